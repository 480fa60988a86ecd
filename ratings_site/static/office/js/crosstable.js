// Find a player in a long crosstable: by words of the name, member ID or pairing number.
"use strict";
{
  // Letters that are no letter with an accent, as somebody without them on the keys types them.
  const letters = { ø: "o", ł: "l", đ: "d", ß: "ss", æ: "ae", œ: "oe", þ: "th", "’": "", "'": "" };

  function wordsOf(text) {
    const plain = text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
    return plain.replace(/[øłđßæœþ’']/g, (one) => letters[one]).split(/[\s,-]+/).filter(Boolean);
  }

  function isWanted(row, words) {
    const player = row.querySelector(".name a");
    const said = [...wordsOf(player.textContent), player.pathname.split("/").at(-2)];
    return words.every((word) => said.some((one) => one.startsWith(word)) || row.id === `p${word}`);
  }

  function find(field) {
    const words = wordsOf(field.value);
    const table = document.querySelector(".crosstable");
    const found = [];
    for (const row of table.querySelectorAll("tbody tr")) {
      row.hidden = words.length > 0 && !(row.id && isWanted(row, words));
      row.classList.remove("open");
      if (row.id && !row.hidden) found.push(row);
    }
    table.classList.toggle("searched", words.length > 0);
    if (words.length && found.length === 1) found[0].classList.add("open");
    document.getElementById("nobody").hidden = found.length > 0;
  }

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-find-row]")) find(event.target);
  });
  // Somebody may have typed before this was there, or have come back to the page.
  find(document.querySelector("[data-find-row]"));
}
