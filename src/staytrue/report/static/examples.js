"use strict";
// Filters, sorts and pages the embedded examples.
(() => {
  const PAGE = 25;
  const data = JSON.parse(document.getElementById("data").textContent);
  const { make, card, judgement } = Evidence;
  const at = (id) => document.getElementById(id);
  const list = at("list");
  let found = [];
  let page = 0;

  const option = (value, text) => make("option", { value }, text ?? value);
  for (const name of data.metrics) at("metric").append(option(name));
  const preferred = data.metrics.find((name) => name.startsWith("consistency"));
  if (preferred) at("metric").value = preferred;
  const judgements = new Set(data.examples.map(judgement).filter((said) => said !== null));
  if (judgements.size <= 40) for (const said of [...judgements].sort()) at("human").append(option(said));
  const fillLabels = () => {
    const labels = new Set(data.examples.map((e) => e.verdicts[at("metric").value]?.label).filter(Boolean));
    at("said").replaceChildren(option("", "anything"), ...[...labels].sort().map((l) => option(l)));
  };
  const haystacks = new Map();
  const haystack = (example) => {
    if (!haystacks.has(example)) {
      haystacks.set(example, [example.id, example.response, example.knowledge, example.probe?.question,
        ...(example.persona || []), ...(example.history || []).map((t) => t.text)].join("\n").toLowerCase());
    }
    return haystacks.get(example);
  };
  const failures = (example) => data.failed[example.id] || [];
  const score = (example) => example.verdicts[at("metric").value]?.score ?? null;
  const spread = (example) => {
    const scores = Object.values(example.verdicts).map((v) => v.score).filter((s) => typeof s === "number");
    return scores.length > 1 ? Math.max(...scores) - Math.min(...scores) : -1;
  };
  const statuses = {
    scored: (e) => score(e) !== null,
    abstained: (e) => { const v = e.verdicts[at("metric").value]; return Boolean(v) && v.score === null; },
    failed: (e) => failures(e).length > 0,
    missing: (e) => !e.verdicts[at("metric").value],
    wrong: (e) => {
      const s = score(e);
      if (typeof e.consistent === "boolean") return s !== null && (s > 0.5) !== e.consistent;
      const label = e.verdicts[at("metric").value]?.label;
      return Boolean(e.label && label && e.label.trim().toLowerCase() !== label.trim().toLowerCase());
    },
  };
  const orders = {
    low: (a, b) => (score(a) ?? 2) - (score(b) ?? 2),
    high: (a, b) => (score(b) ?? -1) - (score(a) ?? -1),
    spread: (a, b) => spread(b) - spread(a),
    long: (a, b) => b.response.length - a.response.length,
  };
  const apply = () => {
    const needle = at("search").value.trim().toLowerCase();
    const low = Number(at("low").value || 0);
    const high = at("high").value === "" ? 1 : Number(at("high").value);
    const whole = low <= 0 && high >= 1;
    const [human, said, status, sort] = ["human", "said", "status", "sort"].map((id) => at(id).value);
    found = data.examples.filter((e) => {
      if (needle && !haystack(e).includes(needle)) return false;
      if (human && judgement(e) !== human) return false;
      if (said && e.verdicts[at("metric").value]?.label !== said) return false;
      if (status && !statuses[status](e)) return false;
      const s = score(e);
      return whole || (s !== null && s >= low && s <= high);
    });
    if (orders[sort]) found.sort(orders[sort]);
    page = 0;
    draw();
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const part = found.slice(page * PAGE, (page + 1) * PAGE);
    list.replaceChildren(...part.map((e) => card(e, data.metrics, { metric: at("metric").value, failures: failures(e), link: data.links ? data.links + encodeURIComponent(e.id) : null })));
    if (!part.length) list.append(make("p", { class: "none-found" }, "No example matches these filters."));
    const first = found.length ? page * PAGE + 1 : 0;
    at("place").textContent = `${first.toLocaleString("en")}–${(page * PAGE + part.length).toLocaleString("en")} of ${found.length.toLocaleString("en")}`;
    for (const id of ["previous", "previous2"]) at(id).disabled = page === 0;
    for (const id of ["next", "next2"]) at(id).disabled = page >= pages - 1;
  };
  const turn = (by) => { page += by; draw(); at("examples").scrollIntoView({ block: "start" }); };
  for (const id of ["previous", "previous2"]) at(id).addEventListener("click", () => turn(-1));
  for (const id of ["next", "next2"]) at(id).addEventListener("click", () => turn(1));
  let timer = null;
  at("tools").addEventListener("input", (event) => {
    if (event.target.id === "metric") fillLabels();
    clearTimeout(timer);
    timer = setTimeout(apply, event.target.id === "search" ? 150 : 0);
  });
  at("tools").addEventListener("submit", (event) => event.preventDefault());
  at("tools").addEventListener("reset", () => setTimeout(() => {
    if (preferred) at("metric").value = preferred;
    fillLabels();
    apply();
  }));
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) {
      details.open = true;
      details.dispatchEvent(new Event("toggle")); // the browser's own comes too late for the print
    }
  });
  fillLabels();
  apply();
})();
