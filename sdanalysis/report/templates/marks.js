// Says below a figure what a mark is that is tapped or reached by the arrow keys: its title alone
// is shown to a mouse. Without this script the titles are there, and the numbers as text.
for (const picture of document.querySelectorAll(".picture:not(.cover *)")) {
  const marks = [...picture.querySelectorAll("svg .mark")];
  if (!marks.length) continue;
  const said = document.createElement("output");
  said.className = "mark-says";
  said.textContent = "What a mark is: point at it, tap it, or press ← and → here.";
  picture.after(said);
  let chosen = -1;
  const choose = (number) => {
    marks[chosen]?.classList.remove("chosen");
    chosen = number;
    marks[chosen].classList.add("chosen");
    said.textContent = marks[chosen].querySelector("title").textContent.split("\n").join(" · ");
  };
  picture.addEventListener("click", (event) => {
    const number = marks.indexOf(event.target.closest(".mark"));
    if (number >= 0) choose(number);
  });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // it would scroll; the chosen mark comes into view instead
    choose(chosen < 0 && step < 0 ? marks.length - 1 : (chosen + step + marks.length) % marks.length);
    marks[chosen].scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
