"""What a page must offer to people who do not see it, or do not use a mouse: hand-written checks on the live page."""

from __future__ import annotations

from typing import Any

__all__ = ["complaints"]

_CHECK = r"""() => {
  const found = [];
  const say = (rule, element) => found.push(`${rule}: ${element.outerHTML.slice(0, 120)}`);
  const shown = (e) => e.checkVisibility() && e.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const text = (e) => (e ? e.textContent.trim() : "");
  const called = (id) => text(document.getElementById(id));
  const name = (e) => e.getAttribute("aria-label")
    || (e.getAttribute("aria-labelledby") || "").split(" ").map(called).join(" ").trim()
    || [...(e.labels || [])].map(text).join(" ").trim() || text(e) || e.getAttribute("alt")
    || text(e.querySelector("title")) || "";

  if (!document.documentElement.lang) found.push("the page has no language");
  if (!document.title.trim()) found.push("the page has no title");
  if (document.querySelectorAll("h1").length !== 1) found.push("the page has not exactly one h1");
  if (document.querySelectorAll("main").length !== 1) found.push("the page has not exactly one main");
  let last = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const level = Number(heading.tagName[1]);
    if (level > last + 1 && last) say("a level of headings is skipped", heading);
    last = level;
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`two elements are called ${id}`);
  for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
    for (const kind of ["aria-labelledby", "aria-describedby"]) {
      for (const id of (e.getAttribute(kind) || "").split(" ").filter(Boolean)) {
        if (!document.getElementById(id)) say(`${kind} leads nowhere`, e);
      }
    }
  }
  for (const e of all("input:not([type=hidden]), select, textarea, meter, progress")) {
    if (!(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || (e.labels && e.labels.length))) {
      say("a control has no label", e);
    }
  }
  for (const e of all("button, a[href], summary, nav, section, aside, [role=region], [role=group]")) {
    if (!name(e)) say("something has no name", e);
  }
  for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) say("a picture has no text", e);
  for (const e of all("table")) {
    if (!e.querySelector("th")) say("a table has no headings", e);
    for (const th of e.querySelectorAll("th")) if (!th.scope) say("a heading of a table has no scope", th);
  }
  for (const e of all("[tabindex]")) if (Number(e.getAttribute("tabindex")) > 0) say("the order of tabs is forced", e);
  for (const e of all(".scroll")) {
    if (e.scrollWidth > e.clientWidth && e.tabIndex < 0) say("the keyboard cannot scroll it", e);
  }
  for (const e of all("fieldset")) if (!text(e.querySelector("legend"))) say("a group of controls has no legend", e);

  // Contrast: at least 4.5 to 1, or 3 to 1 for large letters.
  const parse = (colour) => { const p = colour.match(/[\d.]+/g).map(Number); return p.length < 4 ? [...p, 1] : p; };
  const light = ([r, g, b]) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255, 1];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.textContent.trim() || !shown(e)) continue;
    if (e.closest("svg, :disabled, .off, option, noscript, .hidden, .skip")) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parse(style.color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, e);
  }
  return found;
}"""


def complaints(tab: Any) -> list[str]:
    """Return what is wrong with the page as it stands."""
    found: list[str] = tab.evaluate(_CHECK)
    return found
