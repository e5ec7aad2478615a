// Searches, filters and sorts the table of cards, each computer for itself. Without this script the
// table and the cards below it stand as they are.
"use strict";
const table = document.getElementById("all");
const search = document.getElementById("search");
const computer = document.getElementById("computer");
const count = document.getElementById("count");
const groups = [...table.tBodies];
const rows = groups.flatMap((group) => [...group.rows].slice(1));
const texts = new Map(rows.map((row) => [row, wordsOf(row)]));
const original = new Map(groups.map((group) => [group, [...group.rows].slice(1)]));

// What names a card, without its figures: 64 is a size.
function wordsOf(row) {
  const named = [...row.cells].filter((cell) => !cell.classList.contains("figure"));
  return named.map((cell) => cell.textContent.toLowerCase()).join(" ");
}

// Every word has to stand in the row: "samsung 32 a1".
function show() {
  const words = search.value.toLowerCase().replace(/(\d)(gb|mb)\b/g, "$1 $2").split(/\s+/).filter(Boolean);
  for (const group of groups) {
    const chosen = !computer.value || computer.value === group.id;
    for (const row of original.get(group)) {
      row.hidden = !chosen || !words.every((word) => texts.get(row).includes(word));
    }
    group.hidden = original.get(group).every((row) => row.hidden);
  }
  const seen = rows.filter((row) => !row.hidden);
  const cards = new Set(seen.map((row) => row.dataset.card));
  const all = new Set(rows.map((row) => row.dataset.card));
  count.textContent = `${cards.size} of ${all.size} cards, ${seen.length} of ${rows.length} rows`;
}

// What is missing stands last, whichever way the rest is sorted; equal rows keep their order.
function sorted(group, column, direction) {
  const keyed = original.get(group).map((row) => [row.cells[column].dataset.value ?? "", row]);
  const present = keyed.filter(([key]) => key !== "");
  const numeric = present.every(([key]) => !Number.isNaN(Number(key)));
  const compare = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b, "en", { numeric: true });
  present.sort(([a], [b]) => direction * compare(a, b));
  return [...present, ...keyed.filter(([key]) => key === "")].map(([, row]) => row);
}

const headings = [...table.tHead.rows[0].cells];
headings.forEach((heading, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
  const figures = heading.classList.contains("figure"); // the fastest first
  button.addEventListener("click", () => {
    const order = figures ? ["descending", "ascending"] : ["ascending", "descending"];
    const state = { null: order[0], [order[0]]: order[1] }[heading.getAttribute("aria-sort")];
    for (const other of headings) other.removeAttribute("aria-sort");
    if (state) heading.setAttribute("aria-sort", state);
    const direction = state === "ascending" ? 1 : -1;
    for (const group of groups) {
      group.append(...(state ? sorted(group, column, direction) : original.get(group)));
    }
  });
});

// Older browsers do not open what a link leads to.
function reveal() {
  const card = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  card?.closest("details")?.setAttribute("open", "");
  card?.scrollIntoView();
}

document.getElementById("controls").hidden = false;
search.addEventListener("input", show);
computer.addEventListener("change", show);
addEventListener("hashchange", reveal);
show();
if (location.hash) reveal();
