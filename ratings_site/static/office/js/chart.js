// The crosshair and tooltip of charts, by mouse, touch and keys, and a range by dragging.
// Charts work without this file: dots are links with titles, and ranges are links too.
const SVG = "http://www.w3.org/2000/svg";
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };
const CLEAR = 12;
let drag = null;

const chartAt = (event) => event.target.closest?.(".chart > svg");
const marksOf = (chart) => [...chart.querySelectorAll(".mark")].filter((mark) => mark.checkVisibility());
const zoomable = (chart) => chart.dataset.from && chart.closest("[data-range]");

// Titles become labels, or browsers would show a second tooltip; one stop of the Tab key for all dots.
function prepare() {
  for (const chart of document.querySelectorAll(".chart > svg:not([tabindex])")) {
    const marks = chart.querySelectorAll(".mark");
    if (!marks.length) continue;
    chart.setAttribute("tabindex", "0");
    for (const mark of marks) {
      const title = mark.querySelector("title");
      mark.dataset.tip = title.textContent;
      title.remove();
      if (!mark.matches("[href]")) continue;
      mark.setAttribute("aria-label", mark.dataset.tip.replaceAll("\n", ", "));
      mark.setAttribute("tabindex", "-1");
    }
    const tip = document.createElement("div");
    tip.className = "chart-tip";
    tip.setAttribute("aria-live", "polite");
    chart.after(tip);
  }
}

function place(mark, chart) {
  const box = (mark.querySelector("circle, rect") ?? mark).getBoundingClientRect();
  const frame = chart.getBoundingClientRect();
  return {
    left: box.left - frame.left, right: box.right - frame.left, top: box.top - frame.top, bottom: box.bottom - frame.top,
    x: (box.left + box.right) / 2 - frame.left, y: (box.top + box.bottom) / 2 - frame.top,
  };
}

// A column is found from anywhere above it, a row from anywhere beside it.
function nearest(chart, event) {
  const frame = chart.getBoundingClientRect();
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  const away = (low, value, high) => Math.max(low - value, 0, value - high);
  const distance = (mark) => {
    const at = place(mark, chart);
    if (chart.dataset.by === "rows") return Math.abs(at.y - y);
    const across = away(at.left, x, at.right);
    return chart.dataset.by === "columns" ? across : Math.abs(at.x - x) + 0.3 * away(at.top, y, at.bottom);
  };
  const marks = marksOf(chart).map((mark) => [distance(mark), mark]);
  return marks.reduce((best, one) => (one[0] < best[0] ? one : best), [Infinity, null])[1];
}

function show(chart, mark) {
  if (!mark || mark.classList.contains("current")) return;
  hide(chart);
  mark.classList.add("current");
  const at = place(mark, chart);
  if (chart.dataset.by !== "rows") {
    const base = chart.querySelector(".baseline").getAttribute("y1");
    draw(chart, "line", { class: "crosshair", x1: at.x, x2: at.x, y1: 20, y2: base });
  }
  const tip = chart.nextElementSibling, figure = chart.parentElement.getBoundingClientRect();
  const shift = chart.getBoundingClientRect().left - figure.left;
  tip.textContent = mark.dataset.tip;
  // Beside the mark, on the side with more room, and never over the edge of the figure.
  const beside = at.x + shift < figure.width / 2 ? at.x + shift + CLEAR : at.x + shift - CLEAR - tip.offsetWidth;
  const above = at.top - CLEAR - tip.offsetHeight;
  tip.style.left = `${Math.max(0, Math.min(beside, figure.width - tip.offsetWidth))}px`;
  tip.style.top = `${above > -40 ? above : at.top + 2 * CLEAR}px`;
}

function hide(chart) {
  chart.querySelectorAll(".current").forEach((one) => one.classList.remove("current"));
  chart.querySelectorAll(".crosshair, .selection").forEach((one) => one.remove());
  chart.nextElementSibling.textContent = "";
}

function draw(chart, name, attributes) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  chart.append(one);
  return one;
}

// --- Range ---

const dayAt = (chart, share) => {
  const [from, to] = [chart.dataset.from, chart.dataset.to].map(Date.parse);
  const time = from + Math.min(1, Math.max(0, share)) * (to - from);
  return new Date(time).toISOString().slice(0, 10);
};

async function zoom(chart, start, end) {
  const from = dayAt(chart, start), to = dayAt(chart, end);
  if (from < to) await go(`${from}_${to}`);
}

async function go(range) {
  const url = new URL(location.href);
  url.searchParams.set("range", range);
  url.searchParams.delete("page");
  if (!window.htmx) return location.assign(url);
  await window.htmx.ajax("GET", url.pathname + url.search, { target: "#chart", select: "#chart", swap: "outerHTML" });
  history.replaceState(null, "", url);
  prepare();
  document.querySelector("#chart svg")?.focus({ preventScroll: true });
}

// --- What the reader does ---

document.addEventListener("pointermove", (event) => {
  if (drag) return dragTo(event);
  const chart = chartAt(event);
  if (chart?.hasAttribute("tabindex")) show(chart, event.target.closest(".mark") ?? nearest(chart, event));
});
document.addEventListener("pointerout", (event) => {
  const chart = chartAt(event);
  if (event.pointerType === "mouse" && chart && !chart.contains(event.relatedTarget) && !drag) hide(chart);
});
document.addEventListener("pointerdown", (event) => {
  const chart = chartAt(event);
  if (!chart?.hasAttribute("tabindex")) return;
  if (event.pointerType !== "mouse") chart.touched = event.target.closest(".mark.current");
  else if (event.button === 0 && zoomable(chart)) drag = { chart, from: event.clientX };
  show(chart, event.target.closest(".mark") ?? nearest(chart, event));
});
function dragTo(event) {
  const { chart, from } = drag, frame = chart.getBoundingClientRect();
  const [left, right] = [from, event.clientX].sort((one, other) => one - other)
    .map((x) => Math.min(frame.width, Math.max(0, x - frame.left)));
  if (!drag.box && right - left < CLEAR) return;
  drag.box ??= draw(chart, "rect", { class: "selection", y: 0, height: frame.height });
  drag.box.setAttribute("x", left);
  drag.box.setAttribute("width", right - left);
  drag.shares = [left / frame.width, right / frame.width];
}
document.addEventListener("pointerup", () => {
  if (drag?.shares) {
    drag.chart.dragged = true;
    zoom(drag.chart, ...drag.shares);
  }
  drag = null;
});
document.addEventListener("dragstart", (event) => chartAt(event) && event.preventDefault());
// The first tap on a dot shows what it is, the second opens it; the end of a drag opens nothing.
document.addEventListener("click", (event) => {
  const chart = chartAt(event);
  if (!chart) return;
  if (chart.dragged || chart.touched === null) event.preventDefault();
  chart.dragged = false;
  delete chart.touched;
});
document.addEventListener("focusin", (event) => {
  const mark = event.target.closest?.(".mark"), chart = chartAt(event);
  if (mark && chart?.hasAttribute("tabindex")) show(chart, mark);
});
document.addEventListener("keydown", (event) => {
  const chart = chartAt(event);
  if (!chart?.hasAttribute("tabindex") || event.ctrlKey || event.metaKey || event.altKey) return;
  const marks = marksOf(chart).map((mark) => [place(mark, chart), mark])
    .sort(([one], [other]) => (chart.dataset.by === "rows" ? one.y - other.y : one.x - other.x)).map(([, mark]) => mark);
  const here = marks.findIndex((mark) => mark.classList.contains("current"));
  if (event.key in STEPS) {
    const next = here < 0 && event.key !== "Home" ? marks.length - 1 : here + STEPS[event.key];
    const mark = marks[Math.min(Math.max(next, 0), marks.length - 1)];
    show(chart, mark);
    (mark.matches("[href]") ? mark : chart).focus({ preventScroll: true });
  } else if (event.key === "Escape") {
    hide(chart);
    chart.focus({ preventScroll: true });
  } else if ("+-".includes(event.key) && zoomable(chart)) {
    const middle = here < 0 ? 0.5 : place(marks[here], chart).x / chart.getBoundingClientRect().width;
    if (event.key === "+") zoom(chart, middle - 0.25, middle + 0.25);
    else go("all");
  } else return;
  event.preventDefault();
});
document.addEventListener("htmx:afterSettle", prepare);
prepare();
