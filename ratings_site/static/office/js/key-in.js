// The grid in which results are typed. It works without this file: Save sends it all.
"use strict";
// Below a quad, the next one is added once its results are typed: a form for each.
{
  // Saving: one request after another, each with all cells of a form that wait.
  let running = null;
  const unsaved = (cell) => cell.value !== cell.defaultValue;

  function start(form) {
    const cells = [...form.querySelectorAll("input.cell")];
    const said = form.querySelector(".bar [role=status]");
    const prefix = form.id.slice(0, -"grid".length);
    const find = (id) => document.getElementById(prefix + id);

    function values(waiting) {
      const data = new FormData();
      for (const name of ["csrfmiddlewaretoken", "roster", "page", "by", "part"]) {
        if (form.elements[name]) data.set(name, form.elements[name].value);
      }
      const was = {};
      for (const cell of waiting) {
        data.set(cell.name, cell.value);
        was[cell.name] = cell.defaultValue;
      }
      data.set("was", JSON.stringify(was));
      return data;
    }

    function note(cell, level, sentence) {
      cell.className = `cell ${level}`;
      cell.title = sentence;
      cell.setAttribute("aria-invalid", sentence ? "true" : "false");
      const place = find(`${cell.name}-note`);
      place.className = `note ${level}`;
      place.textContent = sentence;
    }

    // What the office has becomes what stands in the field, unless one is typing there.
    function settle(cell, value) {
      const typing = cell === document.activeElement && unsaved(cell);
      if (!typing) cell.value = value;
      cell.defaultValue = value;
    }

    function take(answer, sent) {
      if (answer.roster) form.elements.roster.value = answer.roster;
      for (const cell of cells) {
        const state = answer.cells[cell.name];
        if (!state) continue;
        const waits = cell.name in answer.conflicts;
        const later = sent.has(cell) ? cell.value !== sent.get(cell) : unsaved(cell);
        if (waits) cell.dataset.left = ""; // not again before one has looked
        if (waits || later) cell.defaultValue = state[0];
        else settle(cell, state[0]);
        note(cell, state[1], state[2]);
        cell.closest("td").querySelector(".now").textContent =
          waits ? `→ ${answer.conflicts[cell.name] || "–"}` : "";
      }
      for (const [number, total] of Object.entries(answer.totals)) {
        const place = find(`total-${number}`);
        if (place) place.textContent = total;
      }
      form.elements.was.value = JSON.stringify(
        Object.fromEntries(cells.map((cell) => [cell.name, cell.defaultValue])));
      find("findings-here").innerHTML = answer.findings;
      said.textContent = answer.said;
    }

    async function send(waiting) {
      const sent = new Map(waiting.map((cell) => [cell, cell.value]));
      said.textContent = form.dataset.saving;
      try {
        const response = await fetch(form.dataset.cells, {
          method: "POST", body: values(waiting), credentials: "same-origin", keepalive: true,
        });
        const answer = await response.json();
        if (answer.cells) take(answer, sent);
        else said.textContent = answer.problem;
      } catch {
        said.textContent = form.dataset.failed;
        for (const cell of waiting) cell.classList.add("waiting");
      }
    }

    // Only fields one has left are sent: half a number is another player.
    async function save() {
      while (running) await running;
      const waiting = cells.filter((cell) => unsaved(cell) && cell.dataset.left === "yes");
      for (const cell of waiting) cell.dataset.left = "";
      if (!waiting.length) return;
      running = send(waiting);
      await running;
      running = null;
      for (const cell of waiting) {
        if (cell.classList.contains("waiting") && unsaved(cell)) cell.dataset.left = "yes";
      }
    }

    function leave(cell) {
      if (!unsaved(cell)) return;
      cell.dataset.left = "yes";
      save();
    }

    // Moving
    function go(cell) {
      if (!cell) return false;
      cell.focus();
      cell.select?.();
      return true;
    }

    function beside(cell, rows, columns) {
      const row = cell.closest("tr");
      if (rows) {
        const all = [...row.parentElement.rows];
        const other = all[all.indexOf(row) + rows];
        return other?.cells[cell.closest("td").cellIndex]?.querySelector("input.cell")
          ?? (other && beside(other.querySelector("input.cell") ?? cell, 0, 0));
      }
      return cells[cells.indexOf(cell) + columns];
    }

    // What a typed result will fill in on the other side need not be visited, however
    // long the answer takes.
    const place = (cell) => cell.name.split("-").slice(1).map(Number);

    function willBeFilled(cell) {
      const [number, column] = place(cell);
      if (cell.name.startsWith("v-")) {
        return Boolean(form.elements[`v-${column}-${number}`]?.value);
      }
      return cells.some((other) => place(other)[1] === column
        && Number(other.value.match(/\d+(?=\D*$)/)?.[0]) === number);
    }

    function nextForm() {
      const forms = [...document.querySelectorAll("form.key-in")];
      return forms[forms.indexOf(form) + 1];
    }

    function nextEmpty(cell) {
      const at = cells.indexOf(cell);
      const order = [...cells.slice(at + 1), ...cells.slice(0, at)];
      return order.find((other) => !other.value && !willBeFilled(other));
    }

    const atStart = (cell) => cell.selectionStart === 0;
    const atEnd = (cell) => cell.selectionEnd === cell.value.length;
    const moves = {
      ArrowUp: (cell) => go(beside(cell, -1, 0)),
      ArrowDown: (cell) => go(beside(cell, 1, 0)),
      ArrowLeft: (cell) => atStart(cell) && go(beside(cell, 0, -1)),
      ArrowRight: (cell) => atEnd(cell) && go(beside(cell, 0, 1)),
      Enter: (cell) => {
        leave(cell);
        go(nextEmpty(cell)) || go(nextForm()?.querySelector("input.cell"))
          || go(form.querySelector(".bar button[value=next]"));
        return true;
      },
      Escape: (cell) => {
        cell.value = cell.defaultValue;
        cell.select();
        return true;
      },
    };

    form.addEventListener("keydown", (event) => {
      const cell = event.target.closest("input.cell");
      if (!cell || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const move = moves[event.key];
      if (move && move(cell)) event.preventDefault();
    });
    form.addEventListener("focusin", (event) => {
      if (event.target.matches("input.cell")) event.target.select();
    });
    form.addEventListener("focusout", (event) => {
      if (event.target.matches("input.cell")) leave(event.target);
    });
    // A button sends everything that is typed; what is on its way comes first.
    let going = false;
    form.addEventListener("submit", async (event) => {
      if (!running || going) return;
      event.preventDefault();
      const button = event.submitter;
      await running;
      going = true;
      form.requestSubmit(button);
    });
    window.addEventListener("online", () => save());

    // Suggestions: down from the field into the list, and back up.
    form.addEventListener("keydown", (event) => {
      const field = event.target.closest(".find-member, .choice");
      if (!field || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
      const box = field.closest(".field, th");
      const stops = [...box.querySelectorAll(".find-member, .choice")];
      const next = stops[stops.indexOf(field) + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });

    // Five keys for thumbs.
    const pad = form.querySelector(".pad");
    if (pad && matchMedia("(pointer: coarse)").matches) {
      pad.hidden = false;
      pad.addEventListener("pointerdown", (event) => {
        const key = event.target.dataset.key;
        const cell = document.activeElement;
        if (!key) return;
        event.preventDefault();
        if (!cell.matches("input.cell")) return;
        cell.value = key;
        moves.Enter(cell);
      });
    }
  }

  document.querySelectorAll("form.key-in").forEach(start);
  document.addEventListener("htmx:load", (event) => {
    const added = event.target;
    if (added.matches("form.key-in") && added.id !== "grid") start(added);
  });
}
