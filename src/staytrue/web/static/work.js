"use strict";
// One item a screen: number keys answer the current question, Enter sends, U undoes, S skips.
(() => {
  const { make } = Evidence;
  const { data, call } = Site;
  const at = (id) => document.getElementById(id);
  const questions = data.task.questions;
  let item = null;
  let parts = [];
  let history = [];
  let began = 0;
  let hiddenFor = 0;
  let hiddenSince = null;
  let sending = false;
  let mine = 0;

  const asked = (part) => questions.filter((q) => !q.when || q.when[1].includes(part[q.when[0]]));
  const open = () => {
    for (let number = 0; number < parts.length; number += 1) {
      const question = asked(parts[number]).find((q) => !(q.name in parts[number]));
      if (question) return { number, question };
    }
    return null;
  };
  const answer = (number, question, value) => {
    parts[number][question.name] = value;
    const still = new Set(asked(parts[number]).map((q) => q.name));
    for (const name of Object.keys(parts[number])) if (!still.has(name)) delete parts[number][name];
    history = history.filter(([n, name]) => !(n === number && name === question.name));
    history.push([number, question.name]);
    draw();
  };
  const back = () => {
    const last = history.pop();
    if (last) { delete parts[last[0]][last[1]]; draw(); }
  };
  const ask = (number, question, current) => make("fieldset", { class: current ? "ask current" : "ask" },
    make("legend", {}, question.prompt),
    make("div", { class: "choices" }, question.choices.map((choice, index) => {
      const button = make("button", { type: "button", "aria-pressed": String(parts[number][question.name] === choice.value) },
        make("kbd", {}, String(index + 1)), typeof choice.value === "number" ? choice.label.replace(/^\d+\s*/, "") : choice.label);
      button.addEventListener("click", () => answer(number, question, choice.value));
      return button;
    })));
  const block = (title, ...inner) => make("section", {}, make("h3", {}, title), ...inner);
  const given = () => {
    const e = item.example;
    const aih = data.task.kind === "aih";
    const asksProbe = aih || data.task.needs === "probes";
    const blocks = [];
    if (e.knowledge) blocks.push(block(aih ? "the bot said" : data.task.kind === "begin" ? "document" : "knowledge", make("p", { class: "text" }, e.knowledge)));
    if (e.persona?.length) blocks.push(block("persona", make("p", { class: "text" }, e.persona.join("\n"))));
    if (e.history?.length) blocks.push(block("dialogue", make("ul", { class: "turns" }, e.history.map((t) => make("li", {}, make("b", {}, `${t.speaker}: `), t.text)))));
    if (e.probe && asksProbe) blocks.push(block("question", make("p", { class: "text" }, e.probe.question)));
    if (e.probe?.truth && data.task.needs === "probes") blocks.push(block("right answer", make("p", { class: "text" }, `${e.probe.truth}  (${e.probe.fact})`)));
    blocks.push(block(asksProbe ? "answer" : "response", make("p", { class: e.response ? "response" : "response empty" }, e.response || "(empty)")));
    return blocks;
  };
  // A sentence that is not asked about now shows its answers in one line.
  const summary = (part) => asked(part).filter((q) => q.name in part).map((q) => `${q.name} ${part[q.name]}`).join(" · ") || "comes next";
  // A phone has no keys.
  const undoButton = (label) => {
    if (!mine) return null;
    const button = make("button", { type: "button" }, label, make("kbd", {}, "U"));
    button.addEventListener("click", () => undo());
    return button;
  };
  const draw = () => {
    if (!item) {
      at("work").replaceChildren(make("div", { class: "done" }, make("h2", {}, "Nothing left for you here."),
        make("p", { class: "lead" }, mine ? "Thank you." : "Others judge these items."),
        make("p", { class: "actions" }, undoButton("Back to your last item "),
          data.answers ? make("a", { class: "button", href: `/judge/${data.queue}/results` }, "See the results") : null)));
      at("stop").hidden = true;
      return;
    }
    at("stop").hidden = false;
    const current = open();
    const single = parts.length === 1;
    const right = parts.map((part, number) => make("div", { class: single ? "" : current?.number === number ? "part current" : "part" },
      item.parts[number] ? make("p", {}, item.parts[number]) : null,
      single || (current?.number ?? parts.length - 1) === number ? null : make("p", { class: "small" }, summary(part)),
      asked(part).filter(() => single || (current?.number ?? parts.length - 1) === number).map((q) => ask(number, q, current?.number === number && current.question.name === q.name))));
    const send = make("button", { type: "button", class: "main" }, "Send ", make("kbd", {}, "Enter"));
    send.disabled = current !== null || sending;
    send.addEventListener("click", () => submit());
    const skip = make("button", { type: "button" }, "Skip ", make("kbd", {}, "S"));
    skip.addEventListener("click", askSkip);
    at("work").replaceChildren(make("div", { class: "item" }, make("div", {}, given()),
      make("div", {}, right, make("p", { class: "actions" }, send, skip, undoButton("Undo the last item ")))));
  };
  const take = (work, answers) => {
    item = work.item;
    history = [];
    parts = item ? item.parts.map((_, number) => ({ ...(answers?.parts?.[number] ?? {}) })) : [];
    parts.forEach((part, number) => { for (const name of Object.keys(part)) history.push([number, name]); });
    began = performance.now();
    hiddenFor = 0;
    const p = work.progress;
    mine = p.mine + p.my_skips;
    at("bar").max = Math.max(p.wanted, 1);
    at("bar").value = p.judged;
    at("count").textContent = `${p.judged} of ${p.wanted} judged, ${p.mine} by you${p.my_skips ? `; you skipped ${p.my_skips}` : ""}`;
    draw();
  };
  const guarded = async (work) => {
    if (sending) return;
    sending = true;
    at("said").textContent = "";
    try { await work(); } catch (error) { at("said").textContent = error.message; }
    sending = false;
    draw();
  };
  const seconds = () => Math.max(0, (performance.now() - began - hiddenFor) / 1000);
  const submit = () => { if (item && open() === null) guarded(async () => take(await call("POST", `/v1/items/${item.id}/judgement`, { answers: { parts }, seconds: seconds() }))); };
  const undo = () => guarded(async () => { const work = await call("POST", `/v1/queues/${data.queue}/undo`); take(work, work.answers); });
  const askSkip = () => { if (!item) return; at("skip").returnValue = ""; at("skip-reason").value = ""; at("skip").showModal(); };
  at("skip").addEventListener("close", () => {
    if (at("skip").returnValue !== "skip") return;
    const reason = at("skip-reason").value.trim();
    guarded(async () => take(await call("POST", `/v1/items/${item.id}/judgement`, { skipped: reason, seconds: seconds() })));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at("skip").open) return;
    if (event.target.closest("input, textarea, select, a")) return;
    const current = item ? open() : null;
    if (/^[1-9]$/.test(event.key) && current) {
      const choice = current.question.choices[Number(event.key) - 1];
      if (choice) { event.preventDefault(); answer(current.number, current.question, choice.value); }
    } else if (event.key === "Enter") { event.preventDefault(); submit();
    } else if (event.key === "Backspace") { event.preventDefault(); back();
    } else if (event.key === "u" || event.key === "U") { undo();
    } else if (event.key === "s" || event.key === "S") { event.preventDefault(); askSkip(); }
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenSince = performance.now();
    else if (hiddenSince !== null) { hiddenFor += performance.now() - hiddenSince; hiddenSince = null; }
  });
  guarded(async () => take(await call("POST", `/v1/queues/${data.queue}/next`)));
})();
