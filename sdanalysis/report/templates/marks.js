// Says below a figure what a mark is that is tapped or reached by the arrow keys: its title alone
// is shown to a mouse. Without this script the titles are there, and the numbers as text.
for (const picture of document.querySelectorAll(".picture:not(.cover *)")) {
  const drawings = [...picture.querySelectorAll("svg")].map((svg) => [...svg.querySelectorAll(".mark")]);
  if (!drawings.some((marks) => marks.length)) continue;
  // A figure is drawn twice, wide and narrow: the marks are those of the drawing that is seen.
  const seen = () => drawings.find((marks) => marks[0]?.getClientRects().length) ?? [];
  const said = document.createElement("output");
  said.className = "mark-says";
  said.textContent = "What a mark is: point at it, tap it, or press ← and → here.";
  picture.after(said);
  let chosen = -1;
  const choose = (marks, number) => {
    for (const mark of picture.querySelectorAll(".chosen")) mark.classList.remove("chosen");
    chosen = number;
    marks[chosen].classList.add("chosen");
    said.textContent = marks[chosen].querySelector("title").textContent.split("\n").join(" · ");
  };
  picture.addEventListener("click", (event) => {
    const number = seen().indexOf(event.target.closest(".mark"));
    if (number >= 0) choose(seen(), number);
  });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const marks = seen();
    if (!step || !marks.length || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // it would scroll; the chosen mark comes into view instead
    choose(marks, chosen < 0 && step < 0 ? marks.length - 1 : (chosen + step + marks.length) % marks.length);
    marks[chosen].scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
