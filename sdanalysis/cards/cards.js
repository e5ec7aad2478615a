// Searches, folds, sorts and compares the table of cards, each board for itself; the address holds
// the view. Without this script the table and the cards below it stand open as they are.
"use strict";
const [table, search, board, count, pair, empty] = ["all", "search", "board", "count", "pair", "empty"].map((id) => document.getElementById(id));
const groups = [...table.tBodies];
const headings = [...table.tHead.rows[0].cells];
const tests = headings.slice(1, -1).map((heading) => heading.textContent);
const original = new Map(groups.map((group) => [group, [...group.rows].slice(1)]));
const rows = [...original.values()].flat();
const texts = new Map(rows.map((row) => [row, plain(`${row.cells[0].textContent} ${row.dataset.words} ${row.cells[5].textContent} ${row.parentNode.dataset.name}`)]));
const names = new Map(rows.map((row) => [row.dataset.card, row.cells[0].dataset.value]));
const state = { q: "", board: "", sort: "", compare: [] };

function plain(text) {
  return text.toLowerCase().replace(/[\s,()]+/g, " ").replace(/(\d) ?(gb|mb)\b/g, "$1$2");
}

// "pi 4", "rpi4", "raspberry pi zero 2 w" choose a board; every other word has to stand in the row.
function understood() {
  let typed = "";
  const words = plain(state.q).replace(/(?:\braspberry ?|\br)?\bpi[ -]?([1-5]|zero(?: ?2)?(?: ?w)?)\b(?: ?b\b)?|\bzero ?2(?: ?w)?\b/g, (all, name) => {
    typed = /zero/.test(all) ? "Zero 2 W" : `Pi ${name}`;
    return " ";
  }).split(/[\s,]+/).filter(Boolean);
  const group = groups.find(({ dataset }) => dataset.name === typed);
  return { words, name: typed, board: typed ? (group?.dataset.board ?? "none") : state.board };
}

// Two letters begin a word ("DA" is no Adata), more stand anywhere.
function has(text, word) {
  return word.length > 2 ? text.includes(word) : ` ${text}`.includes(` ${word}`);
}

function element(tag, text, attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...[text].flat());
  return made;
}

function show() {
  const asked = understood();
  const open = asked.board || (asked.words.length ? "all" : groups[0].dataset.board);
  const seen = [];
  for (const group of groups) {
    const hits = original.get(group).filter((row) => asked.words.every((word) => has(texts.get(row), word)));
    const chosen = open === "all" || open === group.dataset.board;
    for (const row of original.get(group)) row.hidden = !chosen || !hits.includes(row);
    group.hidden = asked.words.length > 0 && !(chosen && hits.length);
    group.classList.toggle("folded", !chosen);
    group.rows[0].querySelector("button").setAttribute("aria-expanded", chosen);
    if (chosen) seen.push(...hits);
    const [key, reverse] = state.sort.startsWith("-") ? [state.sort.slice(1), -1] : [state.sort, 1];
    const column = headings.findIndex((heading) => heading.dataset.sort === key);
    group.append(...(column < 0 ? original.get(group) : sorted(group, column, reverse)));
  }
  const found = new Set(seen.map((row) => row.dataset.card));
  const where = groups.find((group) => group.dataset.board === open)?.dataset.name;
  count.textContent = `${found.size} of ${names.size} cards${where ? `: ${where}` : ""}`;
  board.value = asked.board === "none" ? "" : asked.board;
  explain(seen.length ? null : asked);
  compare();
}

// What is missing stands last, whichever way the rest is sorted; equal rows keep their order.
function sorted(group, column, reverse) {
  const keyed = original.get(group).map((row) => [row.cells[column].dataset.value ?? "", row]);
  const present = keyed.filter(([key]) => key !== "");
  const figures = headings[column].classList.contains("figure"); // the fastest first
  present.sort(([a], [b]) => reverse * (figures ? b - a : a.localeCompare(b, "en", { numeric: true })));
  return [...present, ...keyed.filter(([key]) => key === "")].map(([, row]) => row);
}

function pairsOf(text) {
  return new Set([...text].slice(1).map((letter, index) => text[index] + letter));
}

// The names that share most pairs of letters with what was typed.
function nearest(text) {
  const typed = pairsOf(text);
  const scores = [...new Set(names.values())].map((name) => {
    const own = pairsOf(plain(name));
    return [[...typed].filter((letters) => own.has(letters)).length / (typed.size + own.size || 1), name];
  });
  return scores.filter(([score]) => score > 0.12).sort(([a], [b]) => b - a).slice(0, 3).map(([, name]) => name);
}

function explain(asked) {
  empty.hidden = !asked;
  table.hidden = Boolean(asked);
  if (!asked) return;
  const words = asked.words.join(" ");
  const where = asked.name || groups.find((group) => group.dataset.board === asked.board)?.dataset.name;
  const lines = [element("b", `No such card was measured${where ? ` on a ${where}` : ""}.`)];
  const near = nearest(words).map((name) => element("a", name, { href: address({ q: name }) }));
  if (near.length) lines.push(["Nearest names: ", ...near.flatMap((link, index) => (index ? [", ", link] : [link])), "."]);
  if (asked.board) lines.push(element("a", words ? "Look on all boards" : "See all boards", { href: address({ q: words, board: words ? "" : "all" }) }));
  lines.push(["Do you own it? Measure yours: ", element("code", "sdanalysis mine card.log"), " says where it stands."]);
  empty.replaceChildren(...lines.map((line) => element("p", line)));
}

// One or two ticked cards, a line for each board and test that any of them has a number in.
function compare() {
  for (const row of rows) {
    const tick = row.querySelector("input");
    tick.checked = state.compare.includes(row.dataset.card);
    tick.disabled = state.compare.length > 1 && !tick.checked;
  }
  pair.hidden = !state.compare.length;
  if (pair.hidden) return;
  const lines = groups.flatMap((group) => {
    const found = state.compare.map((card) => original.get(group).find((row) => row.dataset.card === card));
    if (found.includes(undefined)) return [];
    return tests.map((test, index) => element("tr", [
      element("th", `${group.dataset.name}, ${test}`, { scope: "row" }),
      ...found.map((row) => {
        const cell = row.cells[index + 1];
        const number = [...cell.childNodes].map((node) => node.cloneNode(true));
        return element("td", cell.title ? [...number, element("small", cell.title)] : number);
      }),
    ]));
  });
  const heads = state.compare.map((card) => element("th", element("a", names.get(card), { href: `#${card}` }), { scope: "col" }));
  const content = lines.length
    ? element("table", [element("thead", element("tr", [element("th", "MB/s", { scope: "col" }), ...heads])), element("tbody", lines)])
    : element("p", `Nobody measured ${state.compare.map((card) => names.get(card)).join(" and ")} on one board.`);
  const clear = element("button", "Untick", { type: "button", onclick: () => change({ compare: [] }) });
  pair.replaceChildren(content, element("p", [state.compare.length > 1 ? "" : "Tick a second card to see both. ", clear]));
}

function address(view) {
  const parts = Object.entries(view).filter(([, value]) => value.length);
  const text = parts.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2F/g, "/").replace(/%2C/g, ",").replace(/%2B/g, "+")}`);
  return `#${text.join("&")}`;
}

function change(changes) {
  Object.assign(state, changes);
  const hash = address(state);
  history.replaceState(null, "", hash === "#" ? location.href.split("#")[0] : hash);
  mark();
  show();
}

function mark() {
  search.value = state.q;
  for (const heading of headings) {
    const key = heading.dataset.sort;
    const falls = heading.classList.contains("figure") === (state.sort === key);
    if (![key, `-${key}`].includes(state.sort)) heading.removeAttribute("aria-sort");
    else heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
  }
}

// An address is a view (board=pi-4b&q=ultra) or the entry of a card, which opens.
function read() {
  const hash = location.hash.slice(1);
  let text = hash;
  try { text = decodeURIComponent(hash); } catch { /* a lone % of somebody's typing */ }
  const entry = document.getElementById(text);
  if (entry) {
    entry.closest("details")?.setAttribute("open", "");
    entry.scrollIntoView();
    if (entry.closest("details")) return;
  }
  const view = Object.fromEntries(hash.split("&").map((part) => part.split("=", 2)).filter(([, value]) => value));
  const value = (key) => { try { return decodeURIComponent(view[key] ?? ""); } catch { return ""; } };
  const known = [...board.options].some((option) => option.value === value("board"));
  Object.assign(state, {
    q: value("q"), board: known ? value("board") : "", sort: value("sort"),
    compare: value("compare").split(",").filter((card) => names.has(card)).slice(0, 2),
  });
  mark();
  show();
}

for (const heading of headings) {
  const button = element("button", [...heading.childNodes], { type: "button" });
  heading.append(button);
  const key = heading.dataset.sort;
  button.addEventListener("click", () => change({ sort: { [key]: `-${key}`, [`-${key}`]: "" }[state.sort] ?? key }));
}
for (const group of groups) {
  const name = group.rows[0].querySelector("strong");
  const button = element("button", [...name.childNodes], { type: "button" });
  name.append(button);
  button.addEventListener("click", () => {
    const { words } = understood();
    change({ q: words.join(" "), board: group.classList.contains("folded") ? group.dataset.board : "" });
  });
}
for (const row of rows) {
  const tick = element("input", [], { type: "checkbox", ariaLabel: `Compare ${names.get(row.dataset.card)}` });
  row.cells[0].prepend(tick, " ");
  tick.addEventListener("change", () => {
    const others = state.compare.filter((card) => card !== row.dataset.card);
    change({ compare: tick.checked ? [...others, row.dataset.card] : others });
  });
}
for (const card of document.querySelectorAll("details.card")) card.open = false;
document.getElementById("controls").hidden = false;
search.addEventListener("input", () => { const { value } = search; change({ q: value }); });
board.addEventListener("change", () => change({ board: board.value, q: understood().words.join(" ") }));
addEventListener("hashchange", read);
show();
read();
