"use strict";
// Talks to the API: sends JSON with the page's CSRF token and shows a refusal as text.
const Site = (() => {
  const data = JSON.parse(document.getElementById("data").textContent || "{}");
  const csrf = document.querySelector("meta[name=csrf]")?.content ?? "";
  const call = async (method, path, body) => {
    const response = await fetch(path, {
      method,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json().catch(() => ({ error: "The server gave no answer." }));
    if (!response.ok) throw new Error(answer.error ?? "That did not work.");
    return answer;
  };
  const values = (form) => {
    const fields = {};
    for (const field of form.elements) {
      if (field.name) fields[field.name] = "number" in field.dataset ? Number(field.value) : field.value;
    }
    return fields;
  };
  const send = (form) => {
    const fields = values(form);
    const gone = form.dataset.delete;
    if (gone) return call("DELETE", `${gone}?${new URLSearchParams(fields)}`);
    return call("POST", form.dataset.post, Object.keys(fields).length ? fields : undefined);
  };
  for (const form of document.querySelectorAll("form[data-post], form[data-delete]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const notice = form.querySelector(".said");
      const button = form.querySelector("button");
      notice.textContent = "";
      button.disabled = true;
      try {
        const answer = await send(form);
        const go = form.dataset.go;
        if (new URL(go, location.origin).origin !== location.origin) return;
        location.assign(go.endsWith("/") && go.length > 1 ? go + answer.id : go);
      } catch (error) {
        notice.textContent = error.message;
        button.disabled = false;
      }
    });
  }
  document.getElementById("logout")?.addEventListener("click", async () => {
    await call("DELETE", "/v1/sessions");
    location.assign("/");
  });
  return { call, data };
})();
