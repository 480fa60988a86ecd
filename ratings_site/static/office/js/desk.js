// The report's page: forms open in a panel beside their rows, and what they change is
// shown at once. The page never scrolls for it; only the list and the tables do.
// Without this file every link leads to a page of its own.
"use strict";
{
  const EDITABLE = /\/reports\/\d+\/(?:event\/|sections\/(-?\d+)\/(?:entries\/(\d+)\/(?:rounds\/\d+\/)?)?)$/;
  const panel = document.getElementById("panel");
  const empty = panel?.innerHTML;
  let edited = "";  // the address of the form in the panel
  document.documentElement.classList.add("has-desk");

  const findings = () => [...document.querySelectorAll("#findings .finding")];
  const current = () =>
    document.activeElement.closest(".finding") ?? document.querySelector(".finding.current");
  // Where to go on after a save: a finding by its place in the list, or a cell.
  let opener = null;

  function remember(element) {
    const finding = element.closest(".finding");
    if (finding) opener = { id: finding.id, index: findings().indexOf(finding) };
    else if (element.closest(".crosstable")) opener = { url: element.href };
  }

  function goOn() {
    if (!opener) return;
    const { id, index, url } = opener;
    opener = null;
    const cell = url && placeOf(url);
    const list = findings().filter((one) => one.checkVisibility());
    const finding = !url && (document.getElementById(id) ?? list[index] ?? list.at(-1));
    if (finding) mark(finding);
    const next = cell || finding?.querySelector("a, button") ||
      document.querySelector("#findings .next-step button");
    next?.focus({ preventScroll: true });
  }

  function mark(finding) {
    for (const one of findings()) one.classList.toggle("current", one === finding);
    reveal(finding, document.querySelector(".issues"));
  }

  // Scroll a pane, never the page, until the element is in view.
  function reveal(element, pane) {
    if (!element || !pane) return;
    const box = pane.getBoundingClientRect();
    const at = element.getBoundingClientRect();
    if (at.top > box.top + 40 && at.bottom < box.bottom) return;
    pane.scrollTop += at.top - box.top - pane.clientHeight / 3;
  }

  // The editor in the panel, and the row that it is about.

  function rowOf(url) {
    const match = EDITABLE.exec(url.pathname);
    if (!match?.[2]) return null;
    const again = url.searchParams.has("occurrence") ? "b" : "";
    return document.getElementById(`s${match[1]}p${match[2]}${again}`);
  }

  function placeOf(address) {
    const url = new URL(address, location.href);
    const links = rowOf(url)?.querySelectorAll("a") ?? [];
    return [...links].find((link) => link.pathname === url.pathname);
  }

  function close() {
    if (panel) panel.innerHTML = empty;
    edited = "";
    panel?.classList.remove("open", "typed");
    for (const cell of document.querySelectorAll(".being-edited, tr.selected")) {
      cell.classList.remove("being-edited", "selected");
    }
  }

  function open(link) {
    const url = new URL(link.href);
    if (!panel || !window.htmx || !EDITABLE.test(url.pathname)) return false;
    close();
    edited = link.href;
    remember(link);
    const finding = link.closest(".finding");
    if (finding) mark(finding);
    const row = rowOf(url);
    row?.classList.add("selected");
    placeOf(link.href)?.closest("td, th").classList.add("being-edited");
    reveal(row, document.getElementById("tables"));
    panel.classList.add("open");
    const editor = panel.querySelector(".editor");
    editor.dataset.field = url.hash.slice(1);
    htmx.ajax("GET", url.pathname + url.search, { target: editor, swap: "innerHTML" })
      .catch(() => { location.href = link.href; });
    return true;
  }
  panel?.addEventListener("input", () => panel.classList.add("typed"));

  document.addEventListener("click", (event) => {
    const plain = !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (event.target.closest("[data-close-editor]")) {
      event.preventDefault();
      close();
      goOn();
      return;
    }
    if (event.target.closest("[data-next-problem]")) {
      event.preventDefault();
      const list = findings().filter((one) => one.checkVisibility());
      const next = list[list.indexOf(document.querySelector(".finding.current")) + 1] ?? list[0];
      if (next) mark(next);
      next?.querySelector("a, button")?.focus();
      return;
    }
    const link = event.target.closest("#findings a.to-place, .crosstable .total ~ td a, .crosstable .name a, #tables .chip[href]");
    if (plain && link && open(link)) event.preventDefault();
  });

  const acts = {
    o() {
      const details = current()?.querySelector("details.confirm");
      if (!details) return;
      details.open = true;
      details.querySelector(".reason").focus();
    },
    r() { current()?.querySelector("[data-use-record]")?.click(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel?.classList.contains("open")) {
      close();
      goOn();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });

  // What the office answers.

  let folds = [];
  let sent = { fromPanel: false, edited: "" };
  document.addEventListener("htmx:configRequest", (event) => {
    const list = document.getElementById("findings");
    event.detail.headers["X-Shown-Version"] = list?.dataset.version ?? "";
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.closest?.("#findings")) remember(event.detail.elt);
    if (event.detail.requestConfig.verb !== "get") {
      sent = { fromPanel: Boolean(event.detail.elt.closest?.("#panel")), edited };
    }
    folds = [...document.querySelectorAll("#findings details[id]")].map((one) => [one.id, one.open]);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A form that is out of date is answered with both states, to decide again.
    if (event.detail.xhr.status === 409 && event.detail.target.closest(".editor")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    for (const [id, isOpen] of folds) {
      const fold = document.getElementById(id);
      if (fold) fold.open = isOpen;
    }
    const editor = event.target.closest?.(".editor");
    if (!editor || editor.querySelector("#form-errors")) return;
    panel.scrollTop = 0;
    const field = document.getElementById(editor.dataset.field);
    const first = editor.querySelector(".likely button") ?? field ??
      editor.querySelector("select, input:not([type=hidden])");
    first?.focus({ preventScroll: true });
  });
  document.addEventListener("desk:saved", () => {
    const isOther = edited !== sent.edited;  // opened while this was being saved
    if (!isOther && (sent.fromPanel || !panel?.classList.contains("typed"))) {
      close();
    } else {  // what is being typed stays, and is saved on what was just saved
      const { version } = document.getElementById("findings").dataset;
      for (const field of panel.querySelectorAll("[name=version]")) field.value = version;
      return;
    }
    goOn();
  });
}
