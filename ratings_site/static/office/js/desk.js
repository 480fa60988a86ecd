// The report's page: forms open at their cells, and what they change is shown at once.
// Without this file every link leads to a page of its own.
"use strict";
{
  const EDITABLE = /\/sections\/(-?\d+)\/entries\/(\d+)\/(?:rounds\/\d+\/)?$/;
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
    (cell || finding?.querySelector("a, button"))?.focus();
    if (!cell && !finding) document.querySelector("#findings .next-step button")?.focus();
  }

  function mark(finding) {
    for (const one of findings()) one.classList.toggle("current", one === finding);
  }

  // The editor: a row of its own below the row of the entry.

  function rowOf(url) {
    const match = EDITABLE.exec(url.pathname);
    if (!match) return null;
    const again = url.searchParams.has("occurrence") ? "b" : "";
    return document.getElementById(`s${match[1]}p${match[2]}${again}`);
  }

  function placeOf(address) {
    const url = new URL(address, location.href);
    const links = rowOf(url)?.querySelectorAll("a") ?? [];
    return [...links].find((link) => link.pathname === url.pathname);
  }

  function close() {
    document.querySelector(".editor-row")?.remove();
    for (const cell of document.querySelectorAll(".being-edited")) {
      cell.classList.remove("being-edited");
    }
  }

  function open(link) {
    const url = new URL(link.href);
    const row = rowOf(url);
    if (!row || !row.closest(".crosstable") || !window.htmx) return false;
    close();
    remember(link);
    placeOf(link.href)?.closest("td, th").classList.add("being-edited");
    const editorRow = document.createElement("tr");
    editorRow.className = "editor-row";
    const cell = editorRow.insertCell();
    cell.colSpan = row.cells.length;
    const editor = document.createElement("div");
    editor.className = "editor";
    editor.dataset.field = url.hash.slice(1);
    cell.append(editor);
    row.after(editorRow);
    htmx.ajax("GET", url.pathname + url.search, { target: editor, swap: "innerHTML" })
      .catch(() => { location.href = link.href; });
    return true;
  }

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
    const link = event.target.closest("#findings a.to-place, .crosstable .total ~ td a, .crosstable .name a");
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
    if (event.key === "Escape" && document.querySelector(".editor-row")) {
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

  let unfolded = [];
  document.addEventListener("htmx:configRequest", (event) => {
    const panel = document.getElementById("findings");
    event.detail.headers["X-Shown-Version"] = panel?.dataset.version ?? "";
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.closest?.("#findings")) remember(event.detail.elt);
    unfolded = [...document.querySelectorAll("#findings details.finding-group[open]")].map((one) => one.id);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    // A form that is out of date is answered with both states, to decide again.
    if (event.detail.xhr.status === 409 && event.detail.target.closest(".editor")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    for (const id of unfolded) {
      const group = document.getElementById(id);
      if (group) group.open = true;
    }
    const editor = event.target.closest?.(".editor");
    if (!editor || editor.querySelector("#form-errors")) return;
    const field = document.getElementById(editor.dataset.field);
    const first = field ?? editor.querySelector("select, input:not([type=hidden])");
    first?.focus({ preventScroll: true });
    editor.scrollIntoView({ block: "center" });
  });
  document.addEventListener("desk:saved", () => {
    close();
    goOn();
  });
}
