// Opens the contents where they have a place of their own, marks the section that is read, and opens
// the appendix that a link leads into. Without this script the contents are a fold on every screen.
"use strict";
{
  const contents = document.querySelector("details.contents");
  const links = [...(contents?.querySelectorAll("a") ?? [])];
  const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));

  function mark() {
    const read = sections.findLastIndex((section) => section?.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, n) => (n === read ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  }

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target?.closest(".appendix > details:not([open])");
    if (fold) {
      fold.open = true;
      target.scrollIntoView();
    }
  }

  if (contents) {
    const wide = matchMedia("(min-width: 75rem)");
    contents.open = wide.matches;
    wide.addEventListener("change", () => (contents.open = wide.matches));
    addEventListener("scroll", mark, { passive: true });
    mark();
  }
  addEventListener("hashchange", unfold);
  unfold();
}
