"use strict";
// Tables of class "sortable": a click on a head sorts rows by that column, a second one the other way round.
(() => {
  const valueOf = (row, column) => {
    const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent;
    const number = Number.parseFloat(text);
    return Number.isNaN(number) ? text : number;
  };
  const isText = (value) => typeof value === "string";
  // Numbers in order; cells without one come last in both directions.
  const compare = (a, b, sign) => {
    if (isText(a) !== isText(b)) return isText(a) ? 1 : -1;
    return sign * (isText(a) ? a.localeCompare(b) : a - b);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, column) => {
      const first = body.rows[0]?.cells[column];
      if (first && (first.tagName === "TH" || first.className === "words")) head.className = "words";
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const sign = head.ariaSort === "ascending" ? -1 : 1;
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
        rows.sort(([a], [b]) => compare(a, b, sign));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }
  document.documentElement.dataset.sorts = "true";  // for tests
})();
