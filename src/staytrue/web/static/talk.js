"use strict";
(() => {
  const { make } = Evidence;
  const { data, call } = Site;
  const at = (id) => document.getElementById(id);
  const labels = {};
  const positions = [];
  let busy = false;
  const add = (turn) => {
    const line = make("li", { class: turn.speaker }, turn.text);
    if (turn.speaker === "bot" && !data.finished) {
      positions.push(turn.position);
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", () => {
        if (box.checked) labels[turn.position] = false;
        else delete labels[turn.position];
        line.classList.toggle("flagged", box.checked);
      });
      line.append(make("label", {}, box, " contradicts what it said"));
    }
    at("turns").append(line);
    line.scrollIntoView({ block: "nearest" });
    return line;
  };
  const messages = () => at("turns").querySelectorAll("li.user").length;
  const refresh = () => {
    const left = data.least - messages();
    at("left").textContent = data.finished ? (data.score === null ? "You gave up this chat." : `Finished. You gave ${data.score}.`)
      : left > 0 ? `${left} more ${left === 1 ? "message" : "messages"} before you can score it.` : "You can score the bot now, or keep talking.";
    at("finish").hidden = data.finished || left > 0;
    at("say").hidden = data.finished;
  };
  for (const turn of data.turns) add(turn);
  refresh();
  at("message").focus();
  at("say").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = at("message").value.trim();
    if (!text || busy) return;
    busy = true;
    at("said").textContent = "";
    at("message").value = "";
    const mine = add({ speaker: "user", text });
    const waiting = make("li", { class: "bot waiting" }, "…");
    at("turns").append(waiting);
    try {
      const answer = await call("POST", `/v1/chats/${data.chat}/say`, { text });
      waiting.remove();
      add({ speaker: "bot", text: answer.reply, position: answer.position });
    } catch (error) {
      waiting.remove();
      mine.remove();
      at("message").value = text;
      at("said").textContent = error.message;
    }
    busy = false;
    refresh();
    at("message").focus();
  });
  at("score").addEventListener("input", () => { at("shown").textContent = Number(at("score").value).toFixed(2); });
  at("finish").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (at("rest").checked) for (const position of positions) labels[position] ??= true;
    try {
      await call("POST", `/v1/chats/${data.chat}/score`, { score: Number(at("score").value), labels });
      location.assign("/chat");
    } catch (error) {
      at("said").textContent = error.message;
    }
  });
})();
