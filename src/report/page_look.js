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
    const images = figures.map((figure) => figure.querySelector("img")), [reference] = images;
    const names = figures.map((figure) => figure.dataset.source), several = figures.length > 2;
    // chosen: sources from left to right, at least one; edges: the wipes between them, of which keys move the active one.
    const view = {chosen: [], edges: [], active: 0, zoom: 1, x: 0, y: 0, flicker: 0, turn: 0, shows: -1, overlay: -1};
    const look = document.createElement("figure");
    look.className = `look ${figures[0].className}`;
    const stage = make("div", "stage", look);
    stage.tabIndex = 0;
    stage.setAttribute("role", "application");
    stage.setAttribute("aria-label", `${words}: left and right move the wipe, F flickers, R and E show one alone, M shows maps, ` +
      "plus and minus zoom, shift with arrows moves the picture, 0 shows all" +
      (several ? ", N and P take the next and previous encode, A takes all, W selects another wipe" : ""));
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
    const panes = images.map(pane), maps = overlays.map((figure) => pane(figure.querySelector("img")));
    for (const each of maps) each.classList.add("map-pane");
    const edges = names.slice(1).map(() => make("div", "edge", stage)), badge = make("div", "badge", stage);
    const caption = make("figcaption", "", look), choices = [];

    const draw = () => {
      const shift = `translate(${view.x * 100}%, ${view.y * 100}%) scale(${view.zoom})`;
      for (const each of [...panes, ...maps]) each.firstChild.style.transform = shift;
      const alone = view.flicker ? view.chosen[view.turn % view.chosen.length] : view.shows;
      panes.forEach((each, source) => {
        const place = view.chosen.indexOf(source), left = alone < 0 && place > 0 ? view.edges[place - 1] : 0;
        each.hidden = alone < 0 ? place < 0 : source !== alone;
        each.style.zIndex = place;
        each.style.clipPath = `inset(0 0 0 ${left * 100}%)`;
      });
      maps.forEach((each, i) => { each.hidden = i !== view.overlay; });
      edges.forEach((edge, i) => {
        edge.hidden = i >= view.edges.length || alone >= 0 || view.overlay >= 0;
        edge.style.left = `${view.edges[i] * 100}%`;
        edge.classList.toggle("active", view.edges.length > 1 && i === view.active);
      });
      const shown = view.overlay >= 0 ? overlays[view.overlay].querySelector("figcaption").textContent
        : alone >= 0 ? names[alone] : view.chosen.map((source) => names[source]).join(" | ");
      badge.textContent = view.zoom > 1 ? `${shown}, ${view.zoom.toFixed(1)}x` : shown;
      choices.forEach((button, source) => button.setAttribute("aria-pressed", view.chosen.includes(source)));
    };
    const choose = (sources) => {
      view.chosen = [...sources];
      view.edges = view.chosen.slice(1).map((_, i) => (i + 1) / view.chosen.length);
      view.active = Math.max(0, view.edges.length - 1);
      view.shows = view.overlay = -1;
    };
    choose(names.length <= 4 ? names.keys() : [0, 1]);
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
      view.flicker = on ? setInterval(() => { ++view.turn; draw(); }, FLICKER) : 0;
      draw();
    };
    const last = () => view.chosen[view.chosen.length - 1];
    const alone = (source) => { view.shows = view.shows === source ? -1 : source; setFlicker(false); };
    const nextOverlay = () => { view.overlay = view.overlay + 1 < overlays.length ? view.overlay + 1 : -1; draw(); };
    const setWipe = (wipe) => {
      const {edges: all, active} = view;
      if (all.length > 0) all[active] = clamp(wipe, all[active - 1] ?? 0, all[active + 1] ?? 1);
      view.shows = view.overlay = -1;
      setFlicker(false);
    };
    const nearest = (x) => {
      const gaps = view.edges.map((edge) => Math.abs(edge - x));
      view.active = Math.max(0, gaps.indexOf(Math.min(...gaps)));
      return gaps[view.active] ?? 1;
    };
    const toggle = (source) => {
      const others = view.chosen.filter((each) => each !== source);
      choose(others.length === view.chosen.length ? [...others, source] : others.length > 0 ? others : view.chosen);
      draw();
    };
    // The encode at the right gives place to another one.
    const another = (step) => {
      const free = names.map((_, source) => source).filter((source) => source > 0 && (source === last() || !view.chosen.includes(source)));
      const next = free[(free.indexOf(last()) + step + free.length) % free.length];
      const wipes = view.edges;
      choose([...view.chosen.filter((source) => source !== last()), next]);
      view.edges = wipes;
      draw();
    };

    const actions = {
      ArrowLeft: (shift) => shift ? moveTo(view.x + 0.1, view.y) : setWipe(view.edges[view.active] - STEP),
      ArrowRight: (shift) => shift ? moveTo(view.x - 0.1, view.y) : setWipe(view.edges[view.active] + STEP),
      ArrowUp: (shift) => shift && moveTo(view.x, view.y + 0.1),
      ArrowDown: (shift) => shift && moveTo(view.x, view.y - 0.1),
      f: () => setFlicker(!view.flicker),
      r: () => alone(0),
      e: () => alone(last()),
      m: nextOverlay,
      ...(several && {
        n: () => another(1),
        p: () => another(-1),
        a: () => { choose(names.keys()); draw(); },
        w: () => { view.active = (view.active + 1) % Math.max(1, view.edges.length); draw(); },
      }),
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
      if (touches.size === 1) view.pans = nearest(x) * width > NEAR && view.zoom > 1;
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
    if (several) {
      for (const [source, name] of names.entries()) {
        const button = make("button", "choice", caption);
        button.type = "button";
        button.textContent = name;
        button.addEventListener("click", () => toggle(source));
        choices.push(button);
      }
    }
    const buttons = [["Flicker (F)", "f"], ["Reference (R)", "r"], ["Encode (E)", "e"], ["Zoom (+)", "+"], ["All (0)", "0"]];
    if (overlays.length > 0) buttons.push(["Maps (M)", "m"]);
    if (several) buttons.push(["Next encode (N)", "n"], ["All encodes (A)", "a"], ["Next wipe (W)", "w"]);
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
      const all = [...pictures.querySelectorAll(`figure.${kind}`)], figures = all.filter((figure) => figure.dataset.source);
      const overlays = [...all.filter((figure) => !figure.dataset.source),
        ...(kind === "whole" ? pictures.querySelectorAll("figure.map") : [])];
      const words = kind === "whole" ? "Whole frame"
        : figures[1].querySelector("figcaption").textContent.replace(`${figures[1].dataset.source} `, "");
      const look = makeView(figures, overlays, words);
      figures[0].before(look);
      for (const figure of [...figures, ...overlays]) figure.hidden = true;
    }
  }
  document.documentElement.dataset.looks = document.querySelectorAll("figure.look").length;  // for tests
})();
