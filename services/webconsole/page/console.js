// The page of the web console. It asks the system for its state every two seconds, and shows what came in between. Whatever the system
// says is text here: elements are made one by one, and names only ever become text nodes.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const PERIOD = 2000;
// Portals that every domain has: threads, semaphores, memory. They are left out at first, and so is what the first components, which have
// no limits, call: everything comes down to them.
const FIRST_FREE = 40;

const byId = id => document.getElementById(id);
let token = "";
let state = null;     // what was said last
let before = null;    // and the time before
let chosen = "";      // identity of the component that is looked at
let view = "graph";
let path = "";
let timer = 0;

// The token comes behind the address's #, which browsers send to nobody, and is kept in this tab.
function findToken() {
  if (location.hash.length > 1) {
    token = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  } else {
    token = sessionStorage.getItem("token") || "";
  }
}

function make(kind, attributes, ...inside) {
  const element = document.createElement(kind);
  return fill(element, attributes, inside);
}
function draw(kind, attributes, ...inside) {
  return fill(document.createElementNS(SVG, kind), attributes, inside);
}
function fill(element, attributes, inside) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "act") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  element.append(...inside.map(part => typeof part === "number" ? String(part) : part));
  return element;
}
function say(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

async function ask(what, change) {
  const answer = await fetch("/api/" + what, {
    method: change ? "POST" : "GET",
    headers: { Authorization: "Bearer " + token },
    cache: "no-store", credentials: "omit", redirect: "error",
  });
  if (answer.status === 401 || answer.status === 403 && !change) {
    leave();
    throw new Error("The token is not the system's.");
  }
  if (!answer.ok) throw new Error(await answer.text() || answer.statusText);
  return answer;
}
function leave() {
  clearTimeout(timer);
  sessionStorage.removeItem("token");
  token = "";
  state = before = null;
  for (const id of ["views", "graph", "table", "log", "files", "detail"]) byId(id).hidden = true;
  byId("summary").textContent = "";
  for (const id of ["picture", "rows", "lines", "entries", "contents", "detail", "start"]) byId(id).replaceChildren();
  byId("door").hidden = false;
  byId("token").focus();
}

async function look() {
  clearTimeout(timer);
  try {
    const said = await (await ask("state")).json();
    before = state;
    state = said;
    if (!state.domains.some(domain => domain.identity === chosen)) chosen = "";
    index();
    byId("door").hidden = true;
    byId("views").hidden = false;
    sessionStorage.setItem("token", token);
    say("");
    show();
  } catch (error) {
    say(error instanceof TypeError ? "The system does not answer." : error.message);
  }
  if (token) timer = setTimeout(look, document.hidden ? 5 * PERIOD : PERIOD);
}

// What has come since the last time, a second.
let rates = new Map();
function index() {
  rates = new Map();
  const seconds = before ? (state.now - before.now) / 1e6 : 0;
  const old = new Map((before ? before.domains : []).map(domain => [domain.identity, domain]));
  let all = 0;
  for (const domain of state.domains) {
    const was = old.get(domain.identity);
    const calls = new Map((was ? was.portals : []).map(portal => [portal.number, portal.calls]));
    const rate = { time: was ? domain.time - was.time : 0, calls: 0, faults: 0, portals: new Map(), to: new Map(), most: 0 };
    all += rate.time;
    if (seconds > 0 && was) {
      rate.faults = (domain.faults - was.faults) / seconds;
      for (const portal of domain.portals) {
        // A number that leads to something else by now has begun again.
        const since = portal.calls - (calls.get(portal.number) || 0);
        const count = (since < 0 ? portal.calls : since) / seconds;
        rate.portals.set(portal.number, count);
        rate.calls += count;
      }
    }
    rates.set(domain.identity, rate);
  }
  for (const rate of rates.values()) rate.share = all > 0 ? rate.time / all : 0;
}
const of = domain => rates.get(domain.identity);
function short(count) {
  if (count < 0.5) return "0";
  if (count < 9.95) return count.toFixed(1);
  if (count < 1e4) return String(Math.round(count));
  return count < 1e6 ? (count / 1e3).toFixed(count < 1e5 ? 1 : 0) + "k" : (count / 1e6).toFixed(1) + "M";
}
const percent = share => (share * 100).toFixed(1) + " %";
const memory = pages => pages >= 256 ? (pages / 256).toFixed(1) + " MiB" : pages * 4 + " KiB";

function show() {
  const idle = state.domains.find(domain => domain.name === "idle");
  const busy = idle && before ? percent(1 - of(idle).share) + " busy, " : "";
  byId("summary").textContent = busy + memory(state.memory[1]) + " of " + memory(state.memory[0]) + " free, up " + Math.round(state.now / 1e6) + " s";
  for (const name of ["graph", "table", "log", "files"]) byId(name).hidden = name !== view;
  for (const button of byId("views").children) {
    if (button.dataset.view === view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  const names = state.components.filter(name => !state.domains.some(domain => domain.name === name));
  const list = byId("start");
  if (list.dataset.names !== names.join("\n")) {
    list.dataset.names = names.join("\n");
    list.replaceChildren(...names.map(name => make("option", { value: name }, name)));
    byId("go").disabled = !names.length;
  }
  if (view === "graph") graph();
  if (view === "table") table();
  detail();
}

// The graph: who calls stands above whom it calls. Arrows that would go up are left out of what decides the order.
function arrows() {
  const all = byId("all").checked;
  const there = new Map(state.domains.map(domain => [domain.id, domain]));
  const found = new Map();
  for (const domain of state.domains) {
    for (const portal of domain.portals) {
      const system = portal.number < FIRST_FREE || portal.name.startsWith("semaphore.") || !domain.limits.length;
      if (!there.has(portal.to) || portal.to === domain.id || system && !all) continue;
      const key = domain.id + " " + portal.to;
      const arrow = found.get(key) || { from: domain, to: there.get(portal.to), portals: 0, rate: 0, names: [] };
      arrow.portals += 1;
      arrow.rate += of(domain).portals.get(portal.number) || 0;
      if (arrow.names.length < 12) arrow.names.push(portal.name + " \"" + portal.spec + "\"");
      found.set(key, arrow);
    }
  }
  return [...found.values()];
}
function layers(domains, edges) {
  const level = new Map(domains.map(domain => [domain.id, 0]));
  const out = new Map(domains.map(domain => [domain.id, []]));
  for (const edge of edges) out.get(edge.from.id).push(edge.to.id);
  // Arrows that close a circle do not count.
  const mark = new Map(), back = new Set();
  const visit = id => {
    mark.set(id, 1);
    for (const to of out.get(id)) {
      if (mark.get(to) === 1) back.add(id + " " + to);
      else if (!mark.has(to)) visit(to);
    }
    mark.set(id, 2);
  };
  const called = new Map(domains.map(domain => [domain.id, edges.filter(edge => edge.to.id === domain.id).length]));
  [...domains].sort((a, b) => called.get(a.id) - called.get(b.id) || b.id - a.id).forEach(domain => mark.has(domain.id) || visit(domain.id));
  for (let round = 0; round < domains.length; round++) {
    let still = true;
    for (const edge of edges) {
      if (back.has(edge.from.id + " " + edge.to.id)) continue;
      if (level.get(edge.to.id) < level.get(edge.from.id) + 1) {
        level.set(edge.to.id, level.get(edge.from.id) + 1);
        still = false;
      }
    }
    if (still) break;
  }
  const rows = [];
  for (const domain of domains) (rows[level.get(domain.id)] ||= []).push(domain);
  return rows.filter(Boolean);
}
function graph() {
  const edges = arrows();
  const used = new Set(edges.flatMap(edge => [edge.from.id, edge.to.id]));
  const shown = state.domains.filter(domain => used.has(domain.id) || domain.limits.length);
  const wide = byId("picture").clientWidth || 800;
  const narrow = wide < 560;
  const most = narrow ? 2 : Math.max(3, Math.floor(wide / 200));
  const [w, h, gap] = narrow ? [146, 54, 60] : [170, 58, 76];
  // A row that is too long becomes several.
  const rows = layers(shown, edges).flatMap(row => {
    const count = Math.ceil(row.length / most), size = Math.ceil(row.length / count);
    return Array.from({ length: count }, (_, n) => row.slice(n * size, (n + 1) * size));
  });
  const columns = Math.max(...rows.map(row => row.length), 1);
  const width = Math.max(narrow ? 330 : 620, wide, columns * (w + 30)), height = rows.length * (h + gap) - gap + 48;
  const place = new Map();
  const at = () => rows.forEach((row, n) => row.forEach((domain, k) => {
    const step = width / row.length;
    place.set(domain.id, { x: step * (k + 0.5), y: 24 + n * (h + gap) });
  }));
  at();
  // Each goes under those that call it.
  for (let round = 0; round < 6; round++) {
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      const centre = domain => {
        const near = edges.filter(edge => edge.from.id === domain.id || edge.to.id === domain.id)
          .map(edge => place.get(edge.from.id === domain.id ? edge.to.id : edge.from.id).x);
        return near.length ? near.reduce((a, b) => a + b, 0) / near.length : place.get(domain.id).x;
      };
      const order = new Map(row.map(domain => [domain, centre(domain)]));
      row.sort((a, b) => order.get(a) - order.get(b));
      at();
    }
  }
  const focus = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.identity : "";
  const arrow = draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, draw("path", { d: "M0 0 L8 4 L0 8 z" }));
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Components and the calls between them" }, draw("defs", null, arrow));
  const labels = [];
  for (const edge of edges) {
    const a = place.get(edge.from.id), b = place.get(edge.to.id);
    const down = b.y > a.y, level = a.y === b.y;
    const from = { x: a.x + (b.x - a.x) / width * w * 0.8, y: level ? a.y + h : down ? a.y + h : a.y };
    const to = { x: b.x + (a.x - b.x) / width * w * 0.8, y: level ? b.y + h : down ? b.y : b.y + h };
    const bend = level ? h * 0.9 : (to.y - from.y) * 0.5;
    const d = `M${from.x} ${from.y} C${from.x} ${from.y + bend} ${to.x} ${to.y + (level ? bend : -bend)} ${to.x} ${to.y}`;
    const far = chosen && edge.from.identity !== chosen && edge.to.identity !== chosen ? " far" : "";
    const busy = edge.rate >= 0.5;
    const line = draw("path", { class: "edge" + (busy ? " busy" : "") + far, d, "marker-end": "url(#arrow)", "stroke-width": busy ? 1.4 + Math.log10(1 + edge.rate) * 0.7 : 1 });
    line.append(draw("title", null, `${edge.from.name} to ${edge.to.name}: ${edge.portals} portals, ${short(edge.rate)} calls/s\n${edge.names.join("\n")}`));
    picture.append(line);
    if (busy) {
      const t = 0.36, u = 1 - t;
      const x = u * u * u * from.x + 3 * u * u * t * from.x + 3 * u * t * t * to.x + t * t * t * to.x;
      const y = u * u * u * from.y + 3 * u * u * t * (from.y + bend) + 3 * u * t * t * (to.y + (level ? bend : -bend)) + t * t * t * to.y;
      labels.push(draw("text", { class: "rate" + far, x, y: y + 4, "text-anchor": "middle" }, short(edge.rate)));
    }
  }
  picture.append(...labels);
  for (const domain of shown) {
    const { x, y } = place.get(domain.id), rate = of(domain), share = rate.share;
    const name = domain.name.length > 19 ? domain.name.slice(0, 18) + "…" : domain.name;
    const node = draw("g", { class: "node " + domain.kind, tabindex: 0, role: "button", "data-identity": domain.identity, "aria-pressed": domain.identity === chosen, transform: `translate(${x - w / 2} ${y})`, "aria-label": `${domain.name}, ${percent(share)} of the processor, ${memory(domain.pages)}` },
      draw("rect", { class: "box", width: w, height: h, rx: 9 }),
      draw("text", { x: 11, y: 21 }, name),
      draw("text", { class: "small", x: 11, y: 38 }, `${percent(share)} · ${domain.pages ? memory(domain.pages) : "in the image"}`),
      draw("rect", { class: "rail", x: 11, y: h - 11, width: w - 22, height: 4, rx: 2 }),
      draw("rect", { class: "bar", x: 11, y: h - 11, width: Math.max(0, Math.min(1, share)) * (w - 22), height: 4, rx: 2 }));
    const choose = () => { chosen = chosen === domain.identity ? "" : domain.identity; show(); };
    node.addEventListener("click", choose);
    node.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
    picture.append(node);
  }
  byId("picture").replaceChildren(picture);
  if (focus) [...picture.querySelectorAll(".node")].find(node => node.dataset.identity === focus)?.focus();
}

function table() {
  const focus = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.identity : "";
  const head = ["component", "domain", "processor", "calls/s", "faults/s", "memory", "limit", "threads", "portals"];
  const rows = [...state.domains].sort((a, b) => of(b).time - of(a).time || a.id - b.id).map(domain => {
    const rate = of(domain), limit = domain.limits.length ? memory(domain.limits[domain.limits.length - 1][2]) : "–";
    const name = make("button", { type: "button", "data-identity": domain.identity, act: () => { chosen = domain.identity; show(); byId("detail").focus(); } }, domain.name);
    return make("tr", null, make("td", null, name), ...[domain.id, percent(rate.share), short(rate.calls), short(rate.faults), memory(domain.pages), limit, domain.threads, domain.portals.length].map(cell => make("td", null, cell)));
  });
  byId("rows").replaceChildren(make("table", null, make("thead", null, make("tr", null, ...head.map(cell => make("th", { scope: "col" }, cell)))), make("tbody", null, ...rows)));
  if (focus) [...byId("rows").querySelectorAll("button")].find(button => button.dataset.identity === focus)?.focus();
}

function detail() {
  const panel = byId("detail");
  const domain = state.domains.find(domain => domain.identity === chosen);
  panel.hidden = !domain || view !== "graph" && view !== "table";
  if (panel.hidden) { panel.replaceChildren(); return; }
  const focus = panel.contains(document.activeElement) ? document.activeElement.dataset.act || "" : "";
  const rate = of(domain);
  const change = (what, question) => async () => {
    if (!confirm(question)) return;
    try {
      await ask(`${what}/${domain.id}/${domain.identity}`, true);
      say("");
    } catch (error) {
      say(`${domain.name}: ${error.message}`);
      return;
    }
    look();
  };
  const own = domain.id === state.own ? " This is the console itself: it comes back with another token." : "";
  const acts = domain.limits.length ? [
    make("button", { type: "button", "data-act": "restart", act: change("restart", `Restart ${domain.name}?${own}`) }, "Restart"),
    make("button", { type: "button", "data-act": "stop", class: "danger", act: change("stop", `Stop ${domain.name}?${own}`) }, "Stop"),
  ] : [];
  acts.push(make("button", { type: "button", "data-act": "close", act: () => { chosen = ""; show(); } }, "Close"));
  const limits = domain.limits.map(row => make("tr", null, ...row.map(cell => make("td", null, cell))));
  const portals = [...domain.portals].sort((a, b) => (rate.portals.get(b.number) || 0) - (rate.portals.get(a.number) || 0) || a.number - b.number)
    .map(portal => {
      const to = state.domains.find(other => other.id === portal.to);
      return make("tr", null, make("td", { class: "wide" }, `${portal.name} `, make("small", null, portal.spec ? `"${portal.spec}"` : "")), ...[to ? to.name : "nucleus", short(rate.portals.get(portal.number) || 0), portal.calls].map(cell => make("td", null, cell)));
    });
  const head = cells => make("thead", null, make("tr", null, ...cells.map(cell => make("th", { scope: "col" }, cell))));
  panel.replaceChildren(
    make("h2", null, domain.name),
    make("p", null, `Domain ${domain.id}, ${domain.kind || "untrusted"}, ${percent(rate.share)} of the processor, ${memory(domain.pages)}, ${domain.threads} ${domain.threads === 1 ? "thread" : "threads"}`),
    make("div", { class: "acts" }, ...acts),
    ...limits.length ? [make("h3", null, "Limits"), make("table", null, head(["", "taken", "of"]), make("tbody", null, ...limits))] : [],
    make("h3", null, "Portals"), make("table", null, head(["portal", "in", "calls/s", "calls"]), make("tbody", null, ...portals)));
  if (focus) [...panel.querySelectorAll("button")].find(button => button.dataset.act === focus)?.focus();
}

async function log() {
  byId("lines").textContent = await (await ask("log")).text() || "Nothing was said.";
}
async function files(to) {
  path = to;
  const answer = await ask("files/" + to.split("/").map(encodeURIComponent).join("/"));
  const contents = byId("contents");
  byId("where").textContent = "/" + to;
  const up = to ? [make("li", null, make("button", { type: "button", act: () => open(to.split("/").slice(0, -1).join("/")) }, ".."))] : [];
  if (answer.headers.get("Content-Type").startsWith("application/json")) {
    const { entries } = await answer.json();
    contents.hidden = true;
    const items = entries.map(entry => make("li", null,
      make("button", { type: "button", act: () => open((to ? to + "/" : "") + entry.name) }, entry.name + (entry.directory ? "/" : "")),
      make("span", null, entry.directory ? "" : `${entry.bytes} bytes`)));
    byId("entries").replaceChildren(...up, ...items);
  } else {
    byId("entries").replaceChildren(...up);
    contents.textContent = await answer.text();
    contents.hidden = false;
  }
}
function attempt(what) {
  what.catch(error => say(error.message));
}
function open(to) {
  say("");
  attempt(files(to));
}

byId("door").addEventListener("submit", event => {
  event.preventDefault();
  token = byId("token").value.trim();
  byId("token").value = "";
  look();
});
byId("views").addEventListener("click", event => {
  if (!event.target.dataset.view) return;
  view = event.target.dataset.view;
  say("");
  show();
  if (view === "log") attempt(log());
  if (view === "files") attempt(files(path));
});
byId("all").addEventListener("change", show);
byId("go").addEventListener("click", async () => {
  const name = byId("start").value;
  if (!name) return;
  try {
    await ask("start/" + encodeURIComponent(name), true);
    say("");
    look();
  } catch (error) {
    say(`${name}: ${error.message}`);
  }
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && chosen) { chosen = ""; show(); }
});
addEventListener("resize", () => state && show());
addEventListener("hashchange", () => { findToken(); if (token) look(); });

findToken();
if (token) look();
else byId("token").focus();
