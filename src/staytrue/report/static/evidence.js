"use strict";
// Builds the view of one example and its verdicts. Everything is set as text, never as HTML.
const Evidence = (() => {
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
    }
    for (const child of children.flat()) {
      if (child !== null && child !== undefined) node.append(child);
    }
    return node;
  };
  const grade = (score) => {
    if (typeof score !== "number") return "";
    return score > 0.5 ? "good" : score < 0.5 ? "bad" : "half";
  };
  // Not every label follows from one half: `contradiction` has a threshold of its own and leaves some
  // unconfirmed, and `begin` names the likeliest of five classes. The colour agrees with the label.
  const SIDES = new Map([
    ["consistent", "good"], ["entailment", "good"], ["unconfirmed", "half"], ["neutral", "half"],
    ["contradiction", "bad"],
  ]);
  const gradeOf = ({ score, label }) => (typeof score === "number" && SIDES.get(label)) || grade(score);
  const shown = (score) => (typeof score === "number" ? score.toFixed(3) : "–");
  const words = (name) => String(name).replaceAll("_", " ");

  // Offsets count characters as Python does, so a text is cut into code points first.
  const marked = (text, spans) => {
    const usable = spans.filter((s) => Number.isInteger(s.start) && Number.isInteger(s.end) && s.end > s.start);
    if (!usable.length) return [text];
    const points = Array.from(text);
    const edges = new Set([0, points.length]);
    for (const span of usable) {
      edges.add(Math.min(span.start, points.length));
      edges.add(Math.min(span.end, points.length));
    }
    const order = [...edges].sort((a, b) => a - b);
    const pieces = [];
    let open = null;
    for (let i = 0; i + 1 < order.length; i += 1) {
      const [from, to] = [order[i], order[i + 1]];
      const piece = points.slice(from, to).join("");
      const over = usable.filter((s) => s.start <= from && s.end >= to);
      if (!over.length) { pieces.push(piece); open = null; continue; }
      const scores = over.map((s) => s.score).filter((s) => typeof s === "number");
      const worst = scores.length ? Math.min(...scores) : null;
      const kind = grade(worst);
      if (open && open.kind === kind) { open.node.append(piece); continue; }
      const hint = over.map((s) => s.hint).filter(Boolean).join(" · ");
      const node = make("mark", { class: kind, title: hint || null }, piece);
      pieces.push(node);
      open = { kind, node };
    }
    return pieces;
  };

  // Where a text first stands in another, counted in code points.
  const placeOf = (text, part) => {
    const at = text.toLowerCase().indexOf(part.toLowerCase());
    if (at < 0) return null;
    const start = Array.from(text.slice(0, at)).length;
    return { start, end: start + Array.from(part).length };
  };
  // The spans that a verdict's evidence points to in one field of the example.
  const spansOf = (verdict, field, text = "") => (verdict?.evidence || [])
    .filter((e) => e.kind !== "dropped")
    .flatMap((e) => {
      const score = typeof e.score === "number" ? e.score.toFixed(2) : "";
      const hint = [e.label, score, e.text].filter(Boolean).join(" · ");
      if (e.field === field) return [{ start: e.start, end: e.end, score: e.score, hint }];
      // A reason about the response may name the answer that stands in this field.
      const answer = (e.details || {})[`answer_from_${field}`];
      const place = typeof answer === "string" && answer ? placeOf(text, answer) : null;
      return place ? [{ ...place, score: e.score, hint }] : [];
    });

  const value = (given) => {
    if (given === null || given === undefined) return "none";
    if (typeof given === "number") return Number.isInteger(given) ? String(given) : given.toFixed(3);
    if (typeof given === "boolean") return given ? "yes" : "no";
    if (Array.isArray(given)) return given.length ? given.map(value).join(", ") : "none";
    if (typeof given === "object") return Object.entries(given).map(([k, v]) => `${words(k)} ${value(v)}`).join(", ");
    return String(given);
  };
  const isShares = (given) => given && typeof given === "object" && !Array.isArray(given)
    && Object.keys(given).length > 1
    && Object.values(given).every((v) => typeof v === "number" && v >= 0 && v <= 1);
  const bars = (shares) => make("div", { class: "bars" }, Object.entries(shares).flatMap(([name, share]) => [
    make("span", {}, words(name)),
    make("progress", { max: 1, value: share, "aria-label": words(name) }),
    make("span", {}, share.toFixed(3)),
  ]));
  const CLASSES = new Set(["entailment", "neutral", "contradiction", "hallucination", "off-topic", "generic"]);
  // Numbers that a reader seldom needs; they stand in one line below the rest.
  const MINOR = new Set(["confidence", "f1", "rank", "span_kind", "start", "end"]);
  const facts = (details) => {
    const entries = Object.entries(details);
    const chances = entries.filter(([key, v]) => CLASSES.has(key) && typeof v === "number");
    const minor = entries.filter(([key]) => MINOR.has(key));
    const rest = entries.filter((entry) => !minor.includes(entry) && !(chances.length > 1 && chances.includes(entry)));
    const list = make("dl");
    const below = chances.length > 1 ? [bars(Object.fromEntries(chances))] : [];
    for (const [key, given] of rest) {
      if (isShares(given)) below.push(bars(given));
      else list.append(make("dt", {}, words(key)), make("dd", {}, key.startsWith("answer_") && given === null ? "no answer" : value(given)));
    }
    const small = minor.map(([key, given]) => `${words(key)} ${value(given)}`).join(" · ");
    return [list.childElementCount ? list : null, ...below, small ? make("p", { class: "small" }, small) : null];
  };
  const scoreChip = (evidence) => (typeof evidence.score === "number"
    ? make("span", { class: `chip ${gradeOf(evidence)}` }, make("span", { class: "spot" }), make("b", {}, evidence.score.toFixed(2))) : null);
  const droppedLine = (evidence) => make("li", { class: "dropped" }, evidence.text,
    make("div", { class: "small" }, evidence.details?.why || words(evidence.label || "")));
  const one = (evidence) => make("li", {},
    make("div", { class: "line" }, make("span", { class: "kind" }, words(evidence.kind)),
      evidence.text ? make("span", { class: evidence.kind === "question" ? "q" : "" }, evidence.text) : null,
      evidence.label ? make("span", { class: "small" }, words(evidence.label)) : null, scoreChip(evidence)),
    facts(evidence.details || {}));
  const evidenceList = (verdict) => {
    const given = verdict.evidence || [];
    const kept = given.filter((e) => e.kind !== "dropped");
    const dropped = given.filter((e) => e.kind === "dropped");
    return [
      kept.length ? make("ul", { class: "evidence" }, kept.map(one)) : null,
      dropped.length ? make("details", {}, make("summary", {}, `${dropped.length} dropped ${dropped.length === 1 ? "question" : "questions"}`),
        make("ul", { class: "evidence" }, dropped.map(droppedLine))) : null,
      verdict.evidence_left_out ? make("p", { class: "small" }, "The evidence is in the run folder; the page has no room for it.") : null,
    ];
  };
  const metricWhy = (name, verdict) => make("section", { class: "metric-why" },
    make("header", {}, make("b", {}, name), make("span", {}, shown(verdict.score)),
      verdict.label ? make("span", { class: "small" }, words(verdict.label)) : null),
    verdict.reason ? make("p", { class: "reason" }, verdict.reason) : null,
    evidenceList(verdict));

  const block = (title, ...content) => make("section", {}, make("h3", {}, title), ...content);
  const turns = (history) => make("ul", { class: "turns" }, history.map((t) =>
    make("li", {}, make("b", {}, `${t.speaker}: `), t.text)));
  const given = (example, verdict) => {
    const blocks = [];
    if (example.knowledge) blocks.push(block("knowledge", make("p", { class: "text" }, marked(example.knowledge, spansOf(verdict, "knowledge", example.knowledge)))));
    if (example.probe) {
      const p = example.probe;
      blocks.push(block("probe", make("dl", { class: "pairs" }, [["question", p.question], ["truth", p.truth], ["fact", p.fact],
        ["kind", [p.source, p.kind].filter(Boolean).join(", ")]].flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, value(v))]))));
    }
    if (example.persona?.length) blocks.push(block("persona", make("p", { class: "text" }, example.persona.join("\n"))));
    if (example.history?.length) blocks.push(block("dialogue", turns(example.history)));
    if (example.tags && Object.keys(example.tags).length) blocks.push(block("tags", make("dl", { class: "pairs" }, Object.entries(example.tags).flatMap(([k, v]) => [make("dt", {}, words(k)), make("dd", {}, value(v))]))));
    return blocks;
  };
  const judgement = (example) => {
    if (typeof example.consistent === "boolean") return example.consistent ? "consistent" : "inconsistent";
    return example.label ?? (typeof example.rating === "number" ? String(example.rating) : null);
  };
  const pickMetric = (example, metrics, wanted) => {
    const has = (name) => spansOf(example.verdicts[name], "response").some((s) => Number.isInteger(s.start));
    if (wanted && example.verdicts[wanted] && has(wanted)) return wanted;
    return metrics.find((name) => example.verdicts[name] && has(name)) ?? wanted ?? metrics[0];
  };

  // As much of the passage as is read without a click, from where the metric's evidence stands.
  const EXCERPT = 280;
  const excerpt = (text, spans) => {
    const first = Math.min(...spans.map((s) => s.start).filter(Number.isInteger), text.length);
    const from = text.length <= EXCERPT || first < EXCERPT / 2 || first === text.length ? 0 : text.lastIndexOf(" ", first - 40) + 1;
    const shownText = text.slice(from, from + EXCERPT);
    return `${from ? "… " : ""}${shownText}${from + EXCERPT < text.length ? " …" : ""}`;
  };
  // The card of one example; `options.failures` are sentences, `options.metric` chooses the marks.
  const card = (example, metrics, options = {}) => {
    let current = pickMetric(example, metrics, options.metric);
    const response = make("p", { class: example.response ? "response" : "response empty" });
    const reason = make("p", { class: "reason" });
    const inner = make("div", { class: "why" });
    const chips = metrics.filter((name) => example.verdicts[name]).map((name) => {
      const verdict = example.verdicts[name];
      const chip = make("button", { type: "button", class: `chip ${gradeOf(verdict)}`, "aria-pressed": "false",
        title: "mark this metric's spans" },
        make("span", { class: "spot" }), name, make("b", {}, verdict.score === null ? "abstained" : shown(verdict.score)),
        verdict.label ? make("span", { class: "small" }, words(verdict.label)) : null);
      chip.addEventListener("click", () => { current = name; draw(); });
      chip.dataset.metric = name;
      return chip;
    });
    const passage = example.knowledge ? make("p", { class: "passage" }) : null;
    const details = make("details", {}, make("summary", {}, "why"), inner);
    const draw = () => {
      const verdict = example.verdicts[current];
      response.replaceChildren(...(example.response ? marked(example.response, spansOf(verdict, "response")) : ["(empty response)"]));
      reason.textContent = verdict?.reason || "";
      if (passage) passage.replaceChildren(make("b", {}, "knowledge: "), excerpt(example.knowledge, spansOf(verdict, "knowledge", example.knowledge)));
      for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.metric === current));
      if (details.open) fill();
    };
    const fill = () => inner.replaceChildren(
      make("div", {}, given(example, example.verdicts[current])),
      make("div", {}, metrics.filter((name) => example.verdicts[name]).map((name) => metricWhy(name, example.verdicts[name]))));
    details.addEventListener("toggle", () => { if (details.open) fill(); });
    if (options.open) { details.open = true; fill(); }
    draw();
    const human = judgement(example);
    const last = example.probe?.question || example.history?.at(-1)?.text;
    return make("article", { class: "example" },
      make("header", {}, chips,
        human ? make("span", { class: "chip human" }, `people: ${human}`) : null,
        (options.failures || []).map((said) => make("span", { class: "chip fault" }, said)),
        make("code", { class: "id" }, options.link ? make("a", { href: options.link }, example.id) : example.id)),
      last ? make("p", { class: "before" }, last) : null, response, reason, passage, details);
  };
  return { make, card, judgement };
})();
