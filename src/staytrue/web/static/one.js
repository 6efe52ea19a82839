"use strict";
(() => {
  const { example, metrics } = Site.data;
  const failures = example.failures.map((f) => (f.metric ? `${f.metric}: ${f.error}` : f.error));
  document.getElementById("one").append(Evidence.card(example, metrics, { open: true, failures }));
})();
