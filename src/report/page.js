"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("curves");
  const reading = document.getElementById("reading");
  const COLORS = ["#2f6fde", "#d1495b", "#2a9d6f", "#b8860b", "#8e5bd0", "#0f8fa8", "#c2508f", "#7a8b1f"];
  let width = 900;  // of the charts; as wide as the page
  const LEFT = 46, RIGHT = 10, TOP = 10, BOTTOM = 24;
  const MISSING = 65535, STEPS = 65534;
  const SVG = "http://www.w3.org/2000/svg";

  const words = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return Uint16Array.from({length: bytes.length / 2}, (_, i) => bytes[2 * i] | (bytes[2 * i + 1] << 8));
  };
  const curves = data.curves.map((curve) => {
    const min = words(curve.min);
    return {...curve, min, max: curve.max ? words(curve.max) : min};
  });
  const valueOf = (curve, word) =>
    word === MISSING ? NaN : curve.low + (curve.high - curve.low) * word / STEPS;
  const label = (curve) =>
    data.videos.length > 1 ? `${curve.name}, ${data.videos[curve.video]}` : curve.name;

  const clock = (frame) => {
    if (!data.rate) return `frame ${frame}`;
    const time = frame / data.rate, minutes = Math.floor(time / 60);
    return `${minutes}:${(time - 60 * minutes).toFixed(2).padStart(5, "0")}`;
  };
  const node = (name, attributes, parent) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(made);
    return made;
  };
  const niceStep = (span, count) => {
    const rough = Math.max(span, 1e-9) / count, power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  };

  // The visible frames, first to last, and the cursor.
  const view = {first: 0, last: Math.max(1, data.frames - 1), cursor: 0};

  // A chart has curves of one axis (models), or of an axis each (features).
  const makeChart = (all, height, shares, title) => {
    if (all.length === 0) return null;
    const chart = {all, height, shares, shown: new Set()};
    const some = all.some((curve) => curve.shown);
    const keys = document.createElement("fieldset");
    keys.className = "keys";
    const legend = document.createElement("legend");
    legend.textContent = title;
    keys.appendChild(legend);
    const others = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = "More";
    others.appendChild(summary);
    const isChecked = (curve, i) =>
      shares ? data.videos.length === 1 || curve.name === all[0].name : some ? curve.shown && curve.video === 0 : i < 3;
    // Those that are seen at first take the colors first, so that no two of them look alike.
    const first = all.filter(isChecked);
    [...first, ...all.filter((curve) => !first.includes(curve))].forEach((curve, i) => {
      curve.color = COLORS[i % COLORS.length];
    });
    all.forEach((curve, i) => {
      const item = document.createElement("label"), check = document.createElement("input");
      const swatch = document.createElement("span");
      check.type = "checkbox";
      check.checked = isChecked(curve, i);
      if (check.checked) chart.shown.add(curve);
      check.addEventListener("change", () => {
        if (check.checked) chart.shown.add(curve); else chart.shown.delete(curve);
        draw();
      });
      swatch.className = "swatch";
      swatch.style.background = curve.color;
      item.append(check, swatch, label(curve));
      (check.checked ? keys : others).appendChild(item);
    });
    if (others.children.length > 1) keys.appendChild(others);
    box.appendChild(keys);
    chart.svg = node("svg", {role: "img", "aria-label": title});
    box.appendChild(chart.svg);
    return chart;
  };

  const xOf = (frame) => LEFT + (frame - view.first) / (view.last - view.first) * (width - LEFT - RIGHT);

  // The least and the greatest value of the frames that are seen.
  const rangeOf = (curve) => {
    let low = Infinity, high = -Infinity;
    const begin = Math.max(0, Math.floor(view.first / curve.step)), end = Math.ceil((view.last + 1) / curve.step);
    for (let i = begin; i < Math.min(end, curve.min.length); ++i) {
      if (curve.min[i] !== MISSING) low = Math.min(low, curve.min[i]);
      if (curve.max[i] !== MISSING) high = Math.max(high, curve.max[i]);
    }
    return low > high ? null : [valueOf(curve, low), valueOf(curve, high)];
  };

  // Columns of the picture each show the least and the greatest of their frames.
  const pathOf = (curve, yOf) => {
    const begin = Math.max(0, Math.floor(view.first / curve.step) - 1);
    const end = Math.min(curve.min.length, Math.ceil((view.last + 1) / curve.step) + 1);
    const perColumn = Math.max(1, Math.floor((end - begin) / (width - LEFT - RIGHT)));
    let path = "", pen = "M";
    for (let i = begin; i < end; i += perColumn) {
      let low = MISSING, high = -1;
      for (let k = i; k < Math.min(i + perColumn, end); ++k) {
        if (curve.min[k] !== MISSING) low = Math.min(low, curve.min[k]);
        if (curve.max[k] !== MISSING) high = Math.max(high, curve.max[k]);
      }
      if (high < 0) continue;  // frames that subsampling left out
      const x = xOf(i * curve.step).toFixed(1);
      path += `${pen}${x} ${yOf(valueOf(curve, high)).toFixed(1)}`;
      if (low !== high) path += `L${x} ${yOf(valueOf(curve, low)).toFixed(1)}`;
      pen = "L";
    }
    return path;
  };

  // None where they would be too close to distinguish.
  const cutsInView = () => {
    const cuts = data.shots.filter((frame) => frame > view.first && frame <= view.last);
    return cuts.length < width / 6 ? cuts : [];
  };
  const shotAt = (frame) => data.shots.filter((start) => start <= frame).length;  // from 0

  const scaleOf = (range, height) => {
    const air = (range[1] - range[0]) * 0.06 || Math.abs(range[1]) * 0.01 || 0.5;
    const low = range[0] - air, high = range[1] + air;
    return {low, high, y: (value) => height - BOTTOM - (value - low) / (high - low) * (height - TOP - BOTTOM)};
  };

  const drawChart = (chart) => {
    const {svg, height} = chart;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const shown = [...chart.shown].map((curve) => ({curve, range: rangeOf(curve)})).filter(({range}) => range);
    const common = chart.shares && shown.length > 0
      ? scaleOf([Math.min(...shown.map(({range}) => range[0])), Math.max(...shown.map(({range}) => range[1]))], height)
      : null;
    const clip = node("clipPath", {id: `clip${height}`}, svg);
    node("rect", {x: LEFT, y: 0, width: width - LEFT - RIGHT, height}, clip);
    if (common) {
      const step = niceStep(common.high - common.low, 5);
      for (let value = Math.ceil(common.low / step) * step; value <= common.high; value += step) {
        node("line", {x1: LEFT, x2: width - RIGHT, y1: common.y(value), y2: common.y(value), stroke: "currentColor",
          "stroke-opacity": 0.15}, svg);
        node("text", {x: LEFT - 5, y: common.y(value) + 4, "text-anchor": "end"}, svg).textContent =
          +value.toPrecision(6);
      }
    }
    const step = Math.max(1, niceStep(view.last - view.first, 8));
    for (let frame = Math.ceil(view.first / step) * step; frame <= view.last; frame += step)
      node("text", {x: xOf(frame), y: height - 6, "text-anchor": "middle"}, svg).textContent = Math.round(frame);
    for (const frame of cutsInView())
      node("line", {class: "cut", x1: xOf(frame), x2: xOf(frame), y1: TOP, y2: height - BOTTOM, stroke: "currentColor",
        "stroke-opacity": 0.3}, svg);
    for (const {curve, range} of shown) {
      const scale = common || scaleOf(range, height);
      const single = data.frames === 1;
      if (single) node("circle", {cx: LEFT + 4, cy: scale.y(range[0]), r: 3, fill: curve.color}, svg);
      else node("path", {d: pathOf(curve, scale.y), fill: "none", stroke: curve.color, "stroke-width": 1.4,
        "stroke-linejoin": "round", "clip-path": `url(#clip${height})`}, svg);
    }
    const x = xOf(view.cursor);
    if (x >= LEFT && x <= width - RIGHT)
      node("line", {x1: x, x2: x, y1: 0, y2: height - BOTTOM, stroke: "currentColor", "stroke-dasharray": "3 3"}, svg);
    if (view.drag) {
      const from = xOf(Math.min(...view.drag)), to = xOf(Math.max(...view.drag));
      node("rect", {x: from, y: 0, width: to - from, height: height - BOTTOM, fill: "currentColor",
        "fill-opacity": 0.12}, svg);
    }
  };

  const charts = [
    makeChart(curves.filter((curve) => curve.model), 300, true, "Scores"),
    makeChart(curves.filter((curve) => !curve.model), 220, false, "Features, each on an axis of its own"),
  ].filter((chart) => chart);

  const read = () => {
    const parts = [];
    for (const chart of charts)
      for (const curve of chart.shown) {
        const at = Math.floor(view.cursor / curve.step);
        const low = valueOf(curve, curve.min[at]), high = valueOf(curve, curve.max[at]);
        if (Number.isNaN(low)) continue;
        const number = (value) => value.toFixed(Math.abs(value) < 10 ? 4 : 2);
        parts.push(`${label(curve)} ${low === high ? number(low) : `${number(low)} to ${number(high)}`}`);
      }
    const shot = data.shots.length > 0 ? `, shot ${shotAt(view.cursor) + 1} of ${data.shots.length + 1}` : "";
    reading.textContent = `Frame ${view.cursor}${data.rate ? `, ${clock(view.cursor)}` : ""}${shot}: ${parts.join("; ")}`;
  };
  const draw = () => {
    width = Math.min(Math.max(box.clientWidth, 300), 1100);
    charts.forEach(drawChart);
    read();
  };

  const show = (first, last) => {
    const span = Math.min(Math.max(last - first, 10), Math.max(1, data.frames - 1));
    view.first = Math.min(Math.max(0, first), Math.max(0, data.frames - 1 - span));
    view.last = view.first + span;
    draw();
  };
  const zoom = (factor, around) =>
    show(around - (around - view.first) * factor, around + (view.last - around) * factor);
  const moveTo = (frame) => {
    view.cursor = Math.min(Math.max(0, Math.round(frame)), data.frames - 1);
    if (view.cursor < view.first || view.cursor > view.last) {
      const half = (view.last - view.first) / 2;
      show(view.cursor - half, view.cursor + half);
    } else {
      draw();
    }
  };

  const frameAt = (svg, event) => {
    const area = svg.getBoundingClientRect(), x = (event.clientX - area.left) * width / area.width;
    return view.first + (x - LEFT) / (width - LEFT - RIGHT) * (view.last - view.first);
  };
  for (const {svg} of charts) {
    svg.addEventListener("pointerdown", (event) => { view.drag = [frameAt(svg, event), frameAt(svg, event)]; });
    svg.addEventListener("pointermove", (event) => {
      if (view.drag) view.drag[1] = frameAt(svg, event);
      moveTo(Math.min(Math.max(frameAt(svg, event), view.first), view.last));
    });
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, frameAt(svg, event));
    }, {passive: false});
    svg.addEventListener("dblclick", () => show(0, data.frames - 1));
  }
  addEventListener("pointerup", () => {
    if (!view.drag) return;
    const [from, to] = [Math.min(...view.drag), Math.max(...view.drag)];
    view.drag = null;
    if ((to - from) / (view.last - view.first) > 0.01) show(from, to); else draw();
  });
  addEventListener("pointercancel", () => { view.drag = null; draw(); });
  box.addEventListener("keydown", (event) => {
    const far = Math.max(1, Math.round((view.last - view.first) / 50));
    const actions = {
      ArrowLeft: () => moveTo(view.cursor - (event.shiftKey ? far : 1)),
      ArrowRight: () => moveTo(view.cursor + (event.shiftKey ? far : 1)),
      Home: () => moveTo(0),
      End: () => moveTo(data.frames - 1),
      "+": () => zoom(0.7, view.cursor),
      "-": () => zoom(1.4, view.cursor),
      "[": () => moveTo(data.shots.findLast((start) => start < view.cursor) ?? 0),
      "]": () => moveTo(data.shots.find((start) => start > view.cursor) ?? data.frames - 1),
      0: () => show(0, data.frames - 1),
    };
    if (!actions[event.key] || event.target.type === "checkbox" && event.key === " ") return;
    event.preventDefault();
    actions[event.key]();
  });

  addEventListener("resize", draw);

  for (const button of document.querySelectorAll("button.go"))
    button.addEventListener("click", () => {
      moveTo(Number(button.dataset.frame));
      box.scrollIntoView({block: "center"});
      box.focus({preventScroll: true});
    });
  draw();
  document.documentElement.dataset.drawn = "true";  // for tests
})();
