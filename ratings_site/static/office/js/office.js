// Small comforts. Every page works without this file.
"use strict";
{
  const typing = (element) => element.matches("input:not([type=checkbox]), select, textarea, [contenteditable]");

  // The hovered or focused column of a crosstable is lit through its <col>.
  function lightColumn(event) {
    const cell = event.target.closest(".crosstable td, .crosstable th");
    const table = event.target.closest(".crosstable");
    if (!table) return;
    let group = table.querySelector("colgroup");
    if (!group) {
      group = document.createElement("colgroup");
      const count = table.querySelector("thead tr").cells.length;
      for (let i = 0; i < count; i += 1) group.append(document.createElement("col"));
      table.querySelector("thead").before(group);
    }
    for (const column of group.children) column.classList.remove("lit");
    if (cell && !cell.hasAttribute("colspan")) group.children[cell.cellIndex]?.classList.add("lit");
  }
  document.addEventListener("mouseover", lightColumn);
  document.addEventListener("focusin", lightColumn);

  // On a phone a second tap on the open player's number closes the rounds.
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".crosstable .number a");
    if (!link || link.hash !== location.hash) return;
    event.preventDefault();
    history.replaceState(null, "", location.pathname + location.search);
    location.hash = "closed";
    history.replaceState(null, "", location.pathname + location.search);
  });

  // j and k walk the rows of a .walk table, n and p the findings.
  function walk(selector, step) {
    const all = [...document.querySelectorAll(selector)];
    const stops = all.filter((stop) => stop.checkVisibility());
    if (!stops.length) return;
    const here = stops.findIndex((stop) => stop.classList.contains("current"));
    const next = stops[Math.min(Math.max(here + step, 0), stops.length - 1)];
    all.forEach((stop) => stop.classList.toggle("current", stop === next));
    (next.querySelector("a") ?? next.querySelector("button, input") ?? next).focus();
    next.scrollIntoView({ block: "nearest" });
  }
  const keys = {
    "/": () => [...document.querySelectorAll("input[type=search]")].find((one) => one.checkVisibility())?.focus(),
    "?": () => document.getElementById("keys")?.showModal(),
    j: () => walk(".walk tbody tr", 1),
    k: () => walk(".walk tbody tr", -1),
    n: () => walk(".finding", 1),
    p: () => walk(".finding", -1),
  };
  // What a page gives a key of its own, in the row where the reader is, or else anywhere.
  function keyOfPage(key) {
    const named = `[data-key="${CSS.escape(key)}"]`;
    const inRow = document.querySelector(`.walk tr.current ${named}`);
    const all = [...document.querySelectorAll(named)];
    const target = inRow ?? all.find((one) => !one.closest(".walk"));
    return target && (() => target.click());
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const act = keys[event.key] ?? keyOfPage(event.key);
    if (!act || event.repeat && !keys[event.key]) return;
    event.preventDefault();
    act();
  });
  // What opens over the page closes with Escape, or when one goes on elsewhere.
  function closeDrops(where) {
    for (const drop of document.querySelectorAll(".drop[open]")) if (!drop.contains(where)) drop.open = false;
  }
  document.addEventListener("click", (event) => closeDrops(event.target));
  document.addEventListener("keydown", (event) => event.key === "Escape" && closeDrops(null));
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-show-keys]")) keys["?"]();
    if (event.target.closest("[data-print]")) window.print();
  });

  // What is done to those ticked waits until some are. Without this file the answer says so.
  function readyForTicked() {
    for (const button of document.querySelectorAll("[data-for-ticked]")) {
      button.disabled = !button.form.querySelector("td.tick :checked");
    }
  }
  document.addEventListener("change", readyForTicked);
  window.addEventListener("pageshow", readyForTicked);
  readyForTicked();

  // What takes a while is sent once, however often the button is pressed.
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-once]");
    if (!form) return;
    if (form.dataset.once === "sent") event.preventDefault();
    form.dataset.once = "sent";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-once]")) form.dataset.once = "";
  });

  // The arrows walk from the field to what it suggests, and Escape leaves that.
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest(".find");
    const list = form?.querySelector(".suggestions");
    if (!list?.childElementCount) return;
    const stops = [form.querySelector("input"), ...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") list.replaceChildren();
    else if (step) stops[stops.indexOf(document.activeElement) + step]?.focus();
    else return;
    event.preventDefault();
    if (event.key === "Escape") stops[0].focus();
  });

  // After a refused form, the summary of what is wrong is where reading goes on.
  document.getElementById("form-errors")?.focus();
  document.addEventListener("htmx:afterSettle", (event) => {
    event.target.querySelector("#form-errors")?.focus();
  });
}
