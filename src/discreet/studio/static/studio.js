// Discreet Studio: everything works without this file; it only spares reloading and waiting.
"use strict";

(() => {
  let edited = false;
  let leaving = false;
  document.addEventListener("input", () => { edited = true; });
  document.addEventListener("submit", () => { leaving = true; });

  // ---- how a job gets on -------------------------------------------------------------------------------------------
  const panel = document.getElementById("job");
  const map = document.getElementById("map");

  async function text(path) {
    const answer = await fetch(path, { credentials: "same-origin", cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  }

  async function follow() {
    let job;
    try {
      job = await (await text("/job")).json();
    } catch {
      return; // the session has ended, or the server has
    }
    if (leaving) return; // the answer to a form is on its way; going elsewhere would lose it
    const label = document.getElementById("job-label");
    const bar = document.getElementById("job-bar");
    if (job.state === "running") {
      label.textContent = `${job.label}${job.total ? `, ${job.done} of ${job.total}` : ""} · ${Math.round(job.seconds)} s`;
      if (job.total) { bar.max = job.total; bar.value = job.done; }
      if (map && job.page === "/compare" && job.done !== map.dataset.done) {
        map.dataset.done = job.done;
        try { map.innerHTML = await (await text("/compare/map")).text(); } catch { /* the next round will do */ }
      }
      window.setTimeout(follow, job.seconds < 5 ? 250 : 700);
      return;
    }
    if (edited) {
      label.textContent = "Done. What you typed is still here; reload the page to see the result.";
      return;
    }
    window.location.replace(job.state === "done" ? job.page : window.location.href.split("#")[0]);
  }
  if (panel && panel.dataset.state === "running") window.setTimeout(follow, 150);

  // ---- levels in order, by arrows or by dragging ---------------------------------------------------------------------
  for (const list of document.querySelectorAll("ol.levels")) {
    const order = document.getElementById(list.dataset.order);
    const say = document.getElementById("moved");
    const keep = () => {
      order.value = [...list.children].map((item) => item.dataset.place).join(",");
      edited = true;
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
