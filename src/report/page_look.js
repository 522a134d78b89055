"use strict";
// Views of a frame's pictures: the reference and the encode in one place, with a wipe between them. Without this script the
// pictures stand next to each other.
(() => {
  const FLICKER = 400, NEAR = 14, STEP = 0.02, MOST = 16;
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const make = (name, className, parent) => {
    const made = document.createElement(name);
    made.className = className;
    parent.append(made);
    return made;
  };

  const makeView = (figures, overlays, words) => {
    const [reference, encode] = figures.map((figure) => figure.querySelector("img"));
    const view = {wipe: 0.5, zoom: 1, x: 0, y: 0, flicker: 0, shows: "", overlay: -1};
    const look = document.createElement("figure");
    look.className = `look ${figures[0].className}`;
    const stage = make("div", "stage", look);
    stage.tabIndex = 0;
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label", `${words}: left and right move the wipe, F flickers, R and E show one alone, M shows maps, ` +
      "plus and minus zoom, shift with arrows moves the picture, 0 shows all");
    stage.style.aspectRatio = `${reference.width} / ${reference.height}`;
    stage.style.maxWidth = `${reference.width * (figures[0].classList.contains("spot") ? 2 : 1.5)}px`;
    const pane = (image) => {
      const made = make("div", "pane", stage);
      const copy = make("img", "", made);
      copy.src = image.src;
      copy.alt = "";
      copy.draggable = false;
      return made;
    };
    const panes = [pane(reference), pane(encode), ...overlays.map((figure) => pane(figure.querySelector("img")))];
    const edge = make("div", "edge", stage), badge = make("div", "badge", stage);
    const caption = make("figcaption", "", look);

    const draw = () => {
      const shift = `translate(${view.x * 100}%, ${view.y * 100}%) scale(${view.zoom})`;
      for (const each of panes) each.firstChild.style.transform = shift;
      const alone = view.flicker ? (view.odd ? "reference" : "encode") : view.shows;
      const wipe = alone === "reference" ? 1 : alone === "encode" ? 0 : view.wipe;
      panes[1].style.clipPath = `inset(0 0 0 ${wipe * 100}%)`;
      panes.slice(2).forEach((each, i) => { each.hidden = i !== view.overlay; });
      edge.hidden = alone !== "" || view.overlay >= 0;
      edge.style.left = `${wipe * 100}%`;
      const shown = view.overlay >= 0 ? overlays[view.overlay].querySelector("figcaption").textContent
        : alone || "reference | encode";
      badge.textContent = view.zoom > 1 ? `${shown}, ${view.zoom.toFixed(1)}x` : shown;
    };
    const zoomTo = (zoom, x, y) => {
      const next = clamp(zoom, 1, MOST), factor = next / view.zoom;
      moveTo(x - (x - view.x) * factor, y - (y - view.y) * factor, next);
    };
    const moveTo = (x, y, zoom = view.zoom) => {
      view.zoom = zoom;
      view.x = clamp(x, 1 - zoom, 0);
      view.y = clamp(y, 1 - zoom, 0);
      draw();
    };
    const setFlicker = (on) => {
      clearInterval(view.flicker);
      view.flicker = on ? setInterval(() => { view.odd = !view.odd; draw(); }, FLICKER) : 0;
      draw();
    };
    const alone = (which) => { view.shows = view.shows === which ? "" : which; setFlicker(false); };
    const nextOverlay = () => { view.overlay = view.overlay + 1 < overlays.length ? view.overlay + 1 : -1; draw(); };
    const setWipe = (wipe) => { view.wipe = clamp(wipe, 0, 1); view.shows = ""; view.overlay = -1; setFlicker(false); };

    const actions = {
      ArrowLeft: (shift) => shift ? moveTo(view.x + 0.1, view.y) : setWipe(view.wipe - STEP),
      ArrowRight: (shift) => shift ? moveTo(view.x - 0.1, view.y) : setWipe(view.wipe + STEP),
      ArrowUp: (shift) => shift && moveTo(view.x, view.y + 0.1),
      ArrowDown: (shift) => shift && moveTo(view.x, view.y - 0.1),
      f: () => setFlicker(!view.flicker),
      r: () => alone("reference"),
      e: () => alone("encode"),
      m: nextOverlay,
      "+": () => zoomTo(view.zoom * 1.5, 0.5, 0.5),
      "-": () => zoomTo(view.zoom / 1.5, 0.5, 0.5),
      1: () => zoomTo(reference.width / stage.clientWidth, 0.5, 0.5),
      0: () => moveTo(0, 0, 1),
    };
    stage.addEventListener("keydown", (event) => {
      const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      if (action(event.shiftKey) !== false) event.preventDefault();
    });
    const place = (event) => {
      const box = stage.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height, box.width];
    };
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== stage) return;  // the page scrolls
      event.preventDefault();
      const [x, y] = place(event);
      zoomTo(view.zoom * (event.deltaY < 0 ? 1.25 : 0.8), x, y);
    }, {passive: false});
    // One finger or the mouse moves the wipe, or a picture that is enlarged where the wipe is not near; two fingers zoom.
    const touches = new Map();
    stage.addEventListener("pointerdown", (event) => {
      stage.setPointerCapture(event.pointerId);
      stage.focus({preventScroll: true});
      const [x, y, width] = place(event);
      touches.set(event.pointerId, [x, y]);
      view.pans = view.zoom > 1 && Math.abs(x - view.wipe) * width > NEAR;
      if (touches.size === 1 && !view.pans) setWipe(x);
    });
    stage.addEventListener("pointermove", (event) => {
      const last = touches.get(event.pointerId);
      if (!last) return;
      const [x, y] = place(event);
      if (touches.size === 2) {
        const other = [...touches].find(([id]) => id !== event.pointerId)[1];
        const far = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
        zoomTo(view.zoom * far([x, y]) / Math.max(0.01, far(last)), other[0], other[1]);
      } else if (view.pans) moveTo(view.x + x - last[0], view.y + y - last[1]);
      else setWipe(x);
      touches.set(event.pointerId, [x, y]);
    });
    for (const kind of ["pointerup", "pointercancel"])
      stage.addEventListener(kind, (event) => touches.delete(event.pointerId));
    stage.addEventListener("dblclick", (event) => {
      const [x, y] = place(event);
      if (view.zoom > 1) moveTo(0, 0, 1); else zoomTo(4, x, y);
    });

    caption.textContent = `${words} `;
    const buttons = [["Flicker (F)", "f"], ["Reference (R)", "r"], ["Encode (E)", "e"], ["Zoom (+)", "+"], ["All (0)", "0"]];
    if (overlays.length > 0) buttons.push(["Maps (M)", "m"]);
    for (const [text, key] of buttons) {
      const button = make("button", "", caption);
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => actions[key](false));
    }
    draw();
    return look;
  };

  for (const pictures of document.querySelectorAll(".pictures")) {
    for (const kind of ["whole", "spot"]) {
      const figures = [...pictures.querySelectorAll(`figure.${kind}`)];
      const [reference, encode, ...rest] = figures;
      const overlays = kind === "whole" ? [...rest, ...pictures.querySelectorAll("figure.map")] : [];
      const words = kind === "whole" ? "Whole frame" : encode.querySelector("figcaption").textContent.replace("encode ", "");
      const look = makeView([reference, encode], overlays, words);
      reference.before(look);
      for (const figure of [reference, encode, ...overlays]) figure.hidden = true;
    }
  }
  document.documentElement.dataset.looks = document.querySelectorAll("figure.look").length;  // for tests
})();
