// Shows the one answer that is chosen, and keeps the choice in the address; gives commands a button
// that copies them. Without this script all answers stand.
{
  const picker = document.querySelector("form.picker");
  const chosen = () => new FormData(picker);
  const show = () => {
    const id = `${chosen().get("board")}-${chosen().get("use")}`;
    for (const choice of document.querySelectorAll(".choice")) choice.hidden = choice.id !== id;
  };
  const read = () => {
    const view = new URLSearchParams(location.hash.slice(1));
    for (const input of picker.elements) if (input.value && view.get(input.name) === input.value) input.checked = true;
    show();
  };
  if (picker) {
    picker.hidden = false;
    picker.addEventListener("change", () => {
      history.replaceState(null, "", `#${new URLSearchParams(chosen())}`);
      show();
    });
    addEventListener("hashchange", read);
    read();
  }
  for (const command of document.querySelectorAll(".cmd code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(command);
      await navigator.clipboard?.writeText(command.textContent);
      button.textContent = "Copied";
    });
    command.after(button);
  }
}
