// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Filters of the gallery: a choice for each property of its cards. What is chosen stands in the address,
// after the '#', so that it can be linked to.
(function () {
  "use strict";
  const properties = { equation: "Equation", elements: "Elements", program: "Program", topic: "What it teaches",
                       times: "Times measured on" };
  const bar = document.querySelector(".filters");
  const cards = Array.from(document.querySelectorAll(".cards > a"));
  if (!bar || cards.length === 0) return;

  const values = (card, property) => card.dataset[property].split("|");
  const wanted = new URLSearchParams(location.hash.slice(1));
  const selects = {};
  for (const [property, title] of Object.entries(properties)) {
    const label = document.createElement("label");
    label.append(title);
    const select = document.createElement("select");
    const all = new Set(cards.flatMap((card) => values(card, property)));
    for (const value of ["", ...Array.from(all).sort((a, b) => a.localeCompare(b))])
      select.append(new Option(value || "all", value));
    select.value = all.has(wanted.get(property)) ? wanted.get(property) : "";
    select.addEventListener("change", apply);
    selects[property] = select;
    label.append(select);
    bar.append(label);
  }
  const count = document.createElement("output");
  bar.append(count);
  bar.hidden = false;
  apply();

  function apply() {
    const chosen = Object.keys(properties).filter((property) => selects[property].value);
    let shown = 0;
    for (const card of cards) {
      card.hidden = !chosen.every((property) => values(card, property).includes(selects[property].value));
      shown += card.hidden ? 0 : 1;
    }
    count.textContent = shown + " of " + cards.length;
    const address = new URLSearchParams(chosen.map((property) => [property, selects[property].value])).toString();
    history.replaceState(null, "", address ? "#" + address : location.pathname);
  }
})();
