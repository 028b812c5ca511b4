const rows = [...document.querySelectorAll("tr[data-family]")];
function apply() {
  const family = document.getElementById("family").value;
  const goal = document.getElementById("goal").value;
  const text = document.getElementById("text").value.toLowerCase();
  const shallow = document.getElementById("shallow").checked;
  let shown = 0;
  for (const row of rows) {
    row.hidden = Boolean((family && row.dataset.family !== family)
      || (goal && row.dataset.goal !== goal)
      || (shallow && !row.classList.contains("shallow"))
      || (text && !row.textContent.toLowerCase().includes(text)));
    shown += row.hidden ? 0 : 1;
  }
  document.getElementById("shown").textContent = shown;
}
for (const id of ["family", "goal", "text", "shallow"]) {
  document.getElementById(id).addEventListener("input", apply);
}
