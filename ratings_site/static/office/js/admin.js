// Names for what Django's admin leaves without one, for people who hear the page.
"use strict";
{
  function nameAll() {
    // The box that searches as one types is called as the field it stands for.
    for (const select of document.querySelectorAll("select.admin-autocomplete")) {
      const box = select.nextElementSibling?.querySelector("[role=combobox]");
      const shown = box?.querySelector(".select2-selection__rendered");
      const label = select.labels[0];
      if (!shown || !label) continue;
      label.id ||= `label-of-${select.id}`;
      box.setAttribute("aria-labelledby", `${label.id} ${shown.id}`);
      shown.removeAttribute("role");
      shown.removeAttribute("aria-readonly");
    }
    // "Date:" and "Time:" stand before their fields as bare text.
    for (const field of document.querySelectorAll(".datetime input")) {
      let before = field.previousSibling;
      while (before && !before.textContent.trim()) before = before.previousSibling;
      if (before) field.setAttribute("aria-label", before.textContent.trim());
    }
    for (const icon of document.querySelectorAll("span.help-tooltip")) icon.setAttribute("role", "img");
    // The corners of a table of lines head no column.
    for (const head of document.querySelectorAll(".inline-group thead th:empty")) {
      const corner = document.createElement("td");
      corner.className = head.className;
      head.replaceWith(corner);
    }
  }
  // Boxes are made when jQuery says so, and filters once all is loaded; whichever is last.
  if (window.django?.jQuery) window.django.jQuery(nameAll);
  else nameAll();
  window.addEventListener("load", () => setTimeout(nameAll));
  document.addEventListener("formset:added", () => setTimeout(nameAll));
}
