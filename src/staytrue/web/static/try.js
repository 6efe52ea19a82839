"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const sample = {
    knowledge: "Coffee is a brewed drink prepared from roasted coffee beans. The earliest evidence of coffee drinking appears in Yemen in the middle of the 15th century.",
    message: "do you know where coffee comes from?",
    response: "Coffee is made from roasted beans. People first drank it in Brazil in the 15th century.",
  };
  at("sample").addEventListener("click", () => {
    for (const [id, text] of Object.entries(sample)) at(id).value = text;
  });
  at("try").addEventListener("submit", async (event) => {
    event.preventDefault();
    at("said").textContent = "";
    at("took").textContent = "judging …";
    const history = at("message").value ? [{ speaker: "user", text: at("message").value }] : [];
    const example = { id: "yours", response: at("response").value, knowledge: at("knowledge").value, history };
    const begin = performance.now();
    try {
      const answer = await Site.call("POST", "/v1/score", { examples: [example] });
      const [result] = answer.results;
      at("took").textContent = `${((performance.now() - begin) / 1000).toFixed(2)} s`;
      const failures = Object.entries(result.errors).map(([metric, error]) => `${metric}: ${error}`);
      at("result").replaceChildren(Evidence.card({ ...example, verdicts: result.verdicts },
        Object.keys(result.verdicts), { open: true, failures }));
      at("result").hidden = false;
      at("result").scrollIntoView({ behavior: "smooth", block: "nearest" });
    } catch (error) {
      at("took").textContent = "";
      at("said").textContent = error.message;
    }
  });
})();
