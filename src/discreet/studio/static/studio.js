// Discreet Studio: everything works without this file; it only spares reloading and waiting.
"use strict";

(() => {
  const root = document.body.dataset.root;
  let edited = false;
  let leaving = false;
  let dead = false;
  document.addEventListener("input", () => { edited = true; });

  async function ask(path, options = {}) {
    const answer = await fetch(root + path, { credentials: "same-origin", cache: "no-store", ...options });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  }

  // ---- whether the server is there ---------------------------------------------------------------------------------
  const banner = document.getElementById("server");
  const elsewhere = document.getElementById("elsewhere");
  let instance = null;
  let startedAgain = false;

  function say(text) {
    if (!banner) return;
    if (banner.textContent !== text) banner.textContent = text; // said once to who listens, not every second
    banner.hidden = !text;
  }

  async function look() {
    try {
      const answer = await (await ask("/alive", { signal: AbortSignal.timeout(4000) })).json();
      // Slow is not dead: a page is renewed where another server answers, or where none has been heard of yet.
      const anew = dead && instance === null;
      startedAgain ||= instance !== null && answer.instance !== instance;
      instance = answer.instance;
      if ((anew || startedAgain) && !edited && !leaving) { window.location.reload(); return; }
      dead = false;
      say(answer.gone ? "This project has been ended in another tab or window." : startedAgain
        ? "The studio was started again. What you typed is still here, and can be sent." : "");
      if (elsewhere && !panel) elsewhere.hidden = answer.gone || answer.stamp === document.body.dataset.stamp;
    } catch (error) {
      if (leaving) return;
      dead = true;
      say(error.message === "403"
        ? "The studio does not know this browser any more. Open the link that discreet studio prints; the project is saved."
        : "The studio does not answer: it was stopped, or has died. Everything up to your last step is saved. "
          + "Start discreet studio again; this page then goes on by itself, with what you typed.");
    }
  }
  const panel = document.getElementById("job");
  if (root) {
    look();
    window.setInterval(look, 2000);
  }

  document.addEventListener("submit", (event) => {
    if (dead) {
      event.preventDefault(); // the browser's own page of errors would take the place of what was typed
      banner.scrollIntoView();
      return;
    }
    leaving = true;
  });
  window.addEventListener("pageshow", () => { leaving = false; });

  // ---- what is typed is kept ---------------------------------------------------------------------------------------
  for (const form of document.querySelectorAll("form[data-draft]")) {
    let waiting = 0;
    let sending = new AbortController();
    form.addEventListener("submit", () => sending.abort()); // what arrives behind the form would take its place
    const send = async () => {
      if (leaving) return;
      const answers = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (typeof value === "string") answers.append(name, value);
      answers.append("draft", form.dataset.draft);
      sending = new AbortController();
      try { await ask("/draft", { method: "POST", body: answers, signal: sending.signal }); } catch { /* it is still on the page */ }
    };
    form.addEventListener("input", () => {
      window.clearTimeout(waiting);
      waiting = window.setTimeout(send, 400);
    });
  }

  // A file that was chosen is the one to take.
  for (const file of document.querySelectorAll("input[type=file]")) {
    const form = file.form;
    const held = form ? form.querySelector("input[name=held][value=file]") : null;
    if (!held) continue;
    file.addEventListener("change", () => { if (file.files.length) held.checked = true; });
    for (const other of form.querySelectorAll("input[name=held]")) {
      other.addEventListener("change", () => { if (other.checked && other.value !== "file") file.value = ""; });
    }
  }

  // ---- how a job gets on -------------------------------------------------------------------------------------------
  const map = document.getElementById("map");

  async function follow() {
    let job;
    try {
      job = await (await ask("/job")).json();
    } catch {
      if (!leaving) window.setTimeout(follow, 1000); // it may come back
      return;
    }
    if (leaving) return; // the answer to a form is on its way; going elsewhere would lose it
    const label = document.getElementById("job-label");
    const bar = document.getElementById("job-bar");
    if (job.state === "running") {
      label.textContent = `${job.label}${job.total ? `, ${job.done} of ${job.total}` : ""} · ${Math.round(job.seconds)} s`;
      if (job.total) { bar.max = job.total; bar.value = job.done; }
      if (map && job.page === "/compare" && job.done !== map.dataset.done) {
        map.dataset.done = job.done;
        try { map.innerHTML = await (await ask("/compare/map")).text(); } catch { /* the next round will do */ }
      }
      window.setTimeout(follow, job.seconds < 5 ? 250 : 700);
      return;
    }
    const place = job.state === "done" && job.goes_to ? job.goes_to
      : root + ((job.state === "failed" ? job.form : job.page) || "/open");
    const here = window.location.pathname === root + (job.page || "").split(/[?#]/)[0];
    if (here && !edited) {
      window.location.replace(place);
      if (place.includes("#") && place.split("#")[0] === window.location.pathname + window.location.search) window.location.reload();
      return;
    }
    // Who went to another page, or is typing, stays there.
    panel.dataset.state = job.state;
    bar.hidden = true;
    const cancel = panel.querySelector("form");
    if (cancel) cancel.remove();
    const link = document.createElement("a");
    link.href = place;
    link.className = "button plain";
    link.textContent = job.state === "done" ? "See the result" : "See what happened";
    label.textContent = job.state === "done" ? "is done." : job.state === "failed" ? "has failed." : "has ended.";
    panel.append(link);
  }
  if (panel && panel.dataset.state === "running") window.setTimeout(follow, 150);

  // ---- levels in order, by arrows or by dragging ---------------------------------------------------------------------
  for (const list of document.querySelectorAll("ol.levels")) {
    const order = document.getElementById(list.dataset.order);
    const say = document.getElementById("moved");
    const keep = () => {
      order.value = [...list.children].map((item) => item.dataset.place).join(",");
      order.dispatchEvent(new Event("input", { bubbles: true }));
    };
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      event.preventDefault();
      const item = button.closest("li");
      const other = button.dataset.way === "up" ? item.previousElementSibling : item.nextElementSibling;
      if (!other) return;
      if (button.dataset.way === "up") list.insertBefore(item, other); else list.insertBefore(other, item);
      keep();
      button.focus();
      say.textContent = `${item.querySelector("span").textContent}: place ${[...list.children].indexOf(item) + 1} of ${list.children.length}`;
    });
    let dragged = null;
    for (const item of list.children) item.draggable = true;
    list.addEventListener("dragstart", (event) => {
      dragged = event.target.closest("li");
      dragged.classList.add("dragged");
      event.dataTransfer.effectAllowed = "move";
    });
    list.addEventListener("dragover", (event) => {
      const item = event.target.closest("li");
      if (!dragged || !item || item === dragged || item.parentElement !== list) return;
      event.preventDefault();
      const box = item.getBoundingClientRect();
      list.insertBefore(dragged, event.clientY < box.top + box.height / 2 ? item : item.nextElementSibling);
    });
    list.addEventListener("drop", (event) => event.preventDefault());
    list.addEventListener("dragend", () => {
      if (dragged) dragged.classList.remove("dragged");
      dragged = null;
      keep();
    });
  }
})();
