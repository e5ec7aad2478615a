// Sorts a table by a click on a column's heading: up, down, then as it was. Without this script the
// tables stand as they are. A table with spanning cells or two rows of headings is left alone.
"use strict";
const MISSING = new Set(["", "~", "-", "–", "nan", "nat", "none", "<na>"]);
const NUMBER = /^[-+−]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?\s*%?$/i;

function isNumber(text) {
  return /\d/.test(text) && NUMBER.test(text);
}

function toNumber(text) {
  return parseFloat(text.replaceAll(",", "").replace("−", "-"));
}

// What is missing or undecided stands last, whichever way the rest is sorted.
function sortRows(rows, column, direction) {
  const keyed = rows.map((row) => ({ row, text: row.cells[column].textContent.trim() }));
  const [absent, present] = [[], []];
  for (const one of keyed) (MISSING.has(one.text.toLowerCase()) ? absent : present).push(one);
  const compare = present.every((one) => isNumber(one.text))
    ? (a, b) => toNumber(a.text) - toNumber(b.text)
    : (a, b) => a.text.localeCompare(b.text, "en", { numeric: true });
  present.sort((a, b) => direction * compare(a, b)); // stable: equal rows keep their order
  return [...present, ...absent].map((one) => one.row);
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    if (!heading.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort by this column";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      for (const other of headings) other.removeAttribute("aria-sort");
      const after = { ascending: "descending", descending: null }[before];
      const state = after === undefined ? "ascending" : after;
      if (state) heading.setAttribute("aria-sort", state);
      const direction = state === "ascending" ? 1 : -1;
      body.append(...(state ? sortRows([...body.rows], column, direction) : original));
    });
  });
}

for (const table of document.querySelectorAll("table.dataframe")) {
  const plain = !table.querySelector("[rowspan], [colspan]");
  const oneOfEach = table.tHead?.rows.length === 1 && table.tBodies.length === 1;
  if (plain && oneOfEach && table.tBodies[0].rows.length > 1) makeSortable(table);
}
