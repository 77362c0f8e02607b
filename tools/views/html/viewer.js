// The viewer: a tree of opened computations over the module's data, drawn on a canvas.
//
// A scope is one drawing of a computation: the one chosen at the top, or what an opened instruction calls, drawn inside
// it. A scope is laid out when first drawn and again when one of its instructions is opened or closed. All text from
// the module reaches the page through textContent and fillText only, so it is never read as markup.
'use strict';

(() => {
  const started = performance.now();
  const data = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const canvas = $('graph'), context = canvas.getContext('2d');
  const FONT = '12px Helvetica, Arial, sans-serif', BOLD = 'bold 12px Helvetica, Arial, sans-serif',
        SMALL = '10px Helvetica, Arial, sans-serif';
  const HEADER = 38, PADDING = 14, LINE = 15, READABLE = 0.6;

  // ---- The module

  const computations = data.computations;
  computations.forEach((computation, index) => {
    computation.index = index;
    computation.callers = [];
    computation.nodes.forEach((node, i) => { node.index = i; node.computation = computation; node.users = []; });
  });
  for (const computation of computations) {
    for (const node of computation.nodes) {
      for (const operand of new Set(node.operands)) computation.nodes[operand].users.push(node.index);
      for (const callee of node.calls) computations[callee].callers.push(node);
    }
  }
  const total = computations.reduce((sum, computation) => sum + computation.nodes.length, 0);

  // Values that users show beside themselves instead of an edge: small constants, also broadcast.
  for (const computation of computations) {
    for (const node of computation.nodes) {
      node.folded = node.value;
      if (node.opcode === 'broadcast') node.folded = computation.nodes[node.operands[0]].folded;
      if (node.index === computation.root) node.folded = undefined;
    }
  }

  // ---- Scopes

  const state = {scale: 1, x: 0, y: 0, heat: 'kind', constants: false, selected: null, root: null};

  function makeScope(computation, owner) {
    return {computation, owner, views: null, layout: null, width: 0, height: 0};
  }

  const isHidden = node => !state.constants && node.folded !== undefined;

  const widths = new Map();
  function textWidth(text, font) {
    const key = font + text;
    let width = widths.get(key);
    if (width === undefined) {
      context.font = font;
      width = context.measureText(text).width;
      widths.set(key, width);
    }
    return width;
  }
  const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;

  function viewsOf(scope) {
    if (scope.views) return scope.views;
    scope.views = [];
    const places = new Map();
    for (const node of scope.computation.nodes) {
      if (isHidden(node)) continue;
      places.set(node.index, scope.views.length);
      const shown = node.operands.filter(operand => !isHidden(scope.computation.nodes[operand]));
      const chips = node.operands.filter(operand => isHidden(scope.computation.nodes[operand]))
                        .map(operand => cut(scope.computation.nodes[operand].folded, 14));
      scope.views.push({node, scope, open: null, ins: shown.map(operand => places.get(operand)), chips,
                        title: cut(node.opcode + (node.detail ? ' ' + node.detail : ''), 34),
                        name: cut(node.name + (chips.length ? '  (' + chips.join(', ') + ')' : ''), 40)});
    }
    return scope.views;
  }

  function layOut(scope) {
    if (scope.layout) return;
    for (const view of viewsOf(scope)) {
      const wanted = Math.max(textWidth(view.title, BOLD) + (view.node.calls.length ? 22 : 0), textWidth(view.name, FONT)) + 16;
      view.w = Math.max(60, wanted);
      view.h = HEADER;
      if (!view.open) continue;
      let width = PADDING, height = 0;
      for (const child of view.open) {
        layOut(child);
        width += child.width + PADDING;
        height = Math.max(height, child.height);
      }
      view.w = Math.max(view.w, width);
      view.h = HEADER + LINE + height + 2 * PADDING;
    }
    scope.layout = Layout.compute(scope.views);
    scope.width = scope.layout.width;
    scope.height = scope.layout.height;
  }

  function changed(scope) {
    for (; scope; scope = scope.owner && scope.owner.scope) scope.layout = null;
  }

  function setOpen(view, open) {
    if (view.node.calls.length === 0 || !!view.open === open) return;
    view.open = open ? view.node.calls.map(callee => makeScope(computations[callee], view)) : null;
    if (state.selected && !open) {
      for (let scope = state.selected.scope; scope; scope = scope.owner && scope.owner.scope) {
        if (scope.owner === view) { select(view); break; }
      }
    }
    changed(view.scope);
  }

  // Where a child scope lies within its view.
  function childOrigin(view, child) {
    let x = PADDING;
    for (const sibling of view.open) {
      if (sibling === child) break;
      x += sibling.width + PADDING;
    }
    return [x, HEADER + LINE + PADDING];
  }

  // The upper left corner of a scope in the drawing.
  function origin(scope) {
    let x = 0, y = 0;
    for (; scope.owner; scope = scope.owner.scope) {
      const [dx, dy] = childOrigin(scope.owner, scope);
      x += scope.owner.x + dx;
      y += scope.owner.y + dy;
    }
    return [x, y];
  }

  // Opens every fusion that can be seen, within reason.
  function openFusions() {
    const waiting = [state.root];
    for (let shown = 0; waiting.length && shown < 20000;) {
      const scope = waiting.shift();
      for (const view of viewsOf(scope)) {
        ++shown;
        if (view.node.opcode === 'fusion') setOpen(view, true);
        if (view.open) waiting.push(...view.open);
      }
    }
  }

  function closeAll() {
    for (const view of viewsOf(state.root)) setOpen(view, false);
  }

  function countShown(scope) {
    let count = 0;
    const waiting = [scope];
    while (waiting.length) {
      for (const view of viewsOf(waiting.pop())) {
        ++count;
        if (view.open) waiting.push(...view.open);
      }
    }
    return count;
  }

  // ---- Colours

  const KINDS = [
    [/^(parameter|infeed|recv)/, '#fdf0cd'], [/^(constant|iota|rng)/, '#e9ebee'],
    [/^(dot|convolution|ragged-dot|scaled-dot|custom-call|fft|cholesky|triangular-solve)/, '#e2d9f3'],
    [/^(fusion|call|while|conditional|async|map)/, '#dcefd9'],
    [/^(reduce|sort|scan|topk|select-and-scatter|batch-norm)/, '#cfeae6'],
    [/^(all-|collective|partition-id|replica-id|send|outfeed)/, '#f8d9e0'],
    [/^(reshape|transpose|broadcast|slice|pad|concatenate|reverse|gather|scatter|dynamic|copy|bitcast|tuple|get-tuple)/, '#dce9f7'],
  ];
  const STOPS = [[247, 244, 238], [253, 212, 158], [252, 141, 89], [215, 48, 31]];

  const most = {};
  const costOf = (node, what) => (node.cost ? node.cost[what] * node.cost.runs : 0);
  for (const what of ['bytes', 'flops', 'transcendentals']) {
    most[what] = 0;
    for (const computation of computations) {
      for (const node of computation.nodes) most[what] = Math.max(most[what], costOf(node, what));
    }
  }

  // The shardings of the module, what most instructions have first. There are more of them than colours at times: then
  // the last ones share one.
  const CUTS = ['#a6cee3', '#fdbf6f', '#b2df8a', '#cab2d6', '#fb9a99', '#ffe97f', '#8dd3c7', '#d9b38c', '#bc9fd8', '#9fc5a2'];
  const OTHERS = '#c3c9d0', WHOLE = '#eef1f4', UNSAID = '#ffffff';
  const shardings = new Map();
  for (const computation of computations) {
    for (const {sharding} of computation.nodes) if (sharding !== undefined) shardings.set(sharding, (shardings.get(sharding) || 0) + 1);
  }
  const isWhole = sharding => sharding === 'whole' || sharding === '{replicated}';
  const cuts = [...shardings.keys()].filter(sharding => !isWhole(sharding)).sort((a, b) => shardings.get(b) - shardings.get(a) || (a < b ? -1 : 1));
  const colorOfSharding = new Map(cuts.map((sharding, i) => [sharding, CUTS[i] || OTHERS]));

  function shardingLegend() {
    const entries = cuts.slice(0, CUTS.length).map((sharding, i) => [CUTS[i], cut(sharding, 40)]);
    if (cuts.length > CUTS.length) entries.push([OTHERS, (cuts.length - CUTS.length) + ' others']);
    if ([...shardings.keys()].some(isWhole)) entries.push([WHOLE, 'whole']);
    entries.push([UNSAID, 'not said']);
    for (const [color, text] of entries) {
      const entry = element('span', undefined, 'entry'), swatch = element('b');
      swatch.style.background = color;
      entry.append(swatch, text);
      $('legend').append(entry);
    }
  }

  function colorOf(node) {
    if (state.heat === 'sharding') {
      if (node.sharding === undefined) return UNSAID;
      return colorOfSharding.get(node.sharding) || WHOLE;
    }
    if (state.heat === 'kind') {
      for (const [pattern, color] of KINDS) if (pattern.test(node.opcode)) return color;
      return '#f6f8fa';
    }
    const value = costOf(node, state.heat), top = most[state.heat];
    if (!(value > 0) || !(top > 0)) return '#ffffff';
    // Three orders of magnitude below the most is cold.
    const heat = Math.max(0, 1 + Math.log10(value / top) / 3) * (STOPS.length - 1);
    const low = Math.min(Math.floor(heat), STOPS.length - 2), rest = heat - low;
    return 'rgb(' + STOPS[low].map((c, i) => Math.round(c + (STOPS[low + 1][i] - c) * rest)).join(',') + ')';
  }

  function colorAll() {
    for (const computation of computations) for (const node of computation.nodes) node.color = colorOf(node);
    $('legend').textContent = '';
    if (state.heat === 'kind') return;
    if (state.heat === 'sharding') return shardingLegend();
    $('legend').append('0 ', document.createElement('i'), ' ' + short(most[state.heat]) + ' per run');
  }

  // ---- Drawing

  const short = value => {
    const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
    let unit = 0;
    while (value >= 999.5 && unit + 1 < units.length) { value /= 1000; ++unit; }
    return (unit === 0 ? String(Math.round(value * 100) / 100) : value.toPrecision(3)) + units[unit];
  };

  let visible = null;  // of the drawing: [left, top, right, bottom]

  const sees = (left, top, right, bottom) => right >= visible[0] && left <= visible[2] && bottom >= visible[1] && top <= visible[3];

  function tracePath(points, x, y) {
    context.moveTo(x + points[0][0], y + points[0][1]);
    for (let i = 1; i < points.length; ++i) {
      const [x0, y0] = points[i - 1], [x1, y1] = points[i];
      if (x0 === x1 || state.scale < 0.12) {
        context.lineTo(x + x1, y + y1);
      } else {
        const middle = (y0 + y1) / 2;
        context.bezierCurveTo(x + x0, y + middle, x + x1, y + middle, x + x1, y + y1);
      }
    }
  }

  function boundsOf(edge) {
    if (edge.bounds) return edge.bounds;
    const xs = edge.points.map(p => p[0]), ys = edge.points.map(p => p[1]);
    return edge.bounds = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  function traceArrow(edge, x, y) {
    context.moveTo(x + edge.end[0] - 3.5, y + edge.end[1] - 6);
    context.lineTo(x + edge.end[0], y + edge.end[1]);
    context.lineTo(x + edge.end[0] + 3.5, y + edge.end[1] - 6);
  }

  const lit = edge => state.selected && (edge.fromView === state.selected || edge.toView === state.selected);

  function drawEdges(scope, x, y) {
    const views = scope.views, labels = [];
    context.strokeStyle = state.selected ? '#c9d1d9' : '#9aa6b2';
    context.lineWidth = Math.max(1, 0.5 / state.scale);
    context.beginPath();
    const special = [];
    for (const edge of scope.layout.edges) {
      if (!edge.fromView) { edge.fromView = views[edge.from]; edge.toView = views[edge.to]; }
      if (lit(edge)) { special.push(edge); continue; }
      if (!edge.points) {
        for (const [px, py, dy] of [[...edge.start, 12], [...edge.end, -16]]) {
          if (!sees(x + px, y + py - 20, x + px, y + py + 20)) continue;
          context.moveTo(x + px, y + py);
          context.lineTo(x + px, y + py + dy);
        }
        if (state.scale > 0.5 && sees(x + edge.end[0] - 40, y + edge.end[1] - 40, x + edge.end[0] + 40, y + edge.end[1])) labels.push(edge);
        continue;
      }
      const [left, top, right, bottom] = boundsOf(edge);
      if (!sees(x + left, y + top, x + right, y + bottom)) continue;
      tracePath(edge.points, x, y);
      if (state.scale > 0.3) traceArrow(edge, x, y);
      if (state.scale > 0.5) labels.push(edge);
    }
    context.stroke();
    for (const edge of special) {
      context.strokeStyle = edge.toView === state.selected ? '#2b7bd6' : '#e07b1a';
      context.lineWidth = Math.max(2, 1.5 / state.scale);
      context.beginPath();
      tracePath(edge.points || [edge.start, edge.end], x, y);
      traceArrow(edge, x, y);
      context.stroke();
      if (state.scale > 0.3) labels.push(edge);
    }
    drawLabels(labels, x, y);
  }

  // The shape of what flows, near the end of the edge; for a stub also where it comes from. Where two would overlap,
  // the first stays.
  function drawLabels(labels, x, y) {
    context.font = SMALL;
    context.textAlign = 'center';
    context.textBaseline = 'bottom';
    const taken = new Map();
    for (const edge of labels.reverse()) {
      const from = edge.fromView.node;
      const text = edge.points || lit(edge) ? cut(from.shape, 26) : cut(from.name, 18);
      const px = x + edge.end[0], py = y + edge.end[1] - 8;
      const half = textWidth(text, SMALL) / 2;
      const row = taken.get(py) || [];
      if (row.some(([left, right]) => px - half < right + 4 && px + half > left - 4)) continue;
      row.push([px - half, px + half]);
      taken.set(py, row);
      context.fillStyle = 'rgba(255,255,255,.85)';
      context.fillRect(px - half - 1, py - 11, 2 * half + 2, 11);
      context.fillStyle = edge.points ? '#42505e' : '#7a5a1e';
      context.fillText(text, px, py);
    }
  }

  function borderOf(view) {
    const selected = state.selected;
    if (!selected) return null;
    if (view === selected) return '#111';
    if (view.scope !== selected.scope) return null;
    if (selected.node.operands.includes(view.node.index)) return '#2b7bd6';
    if (view.node.operands.includes(selected.node.index)) return '#e07b1a';
    return null;
  }

  function drawView(view, x, y) {
    const left = x + view.x, top = y + view.y;
    if (!sees(left, top, left + view.w, top + view.h)) return;
    const border = borderOf(view);
    context.fillStyle = view.open ? '#f3f8f1' : view.node.color;
    context.strokeStyle = border || (view.node.index === view.scope.computation.root ? '#3a4653' : '#aab4be');
    context.lineWidth = border ? Math.max(3, 2 / state.scale) : view.node.index === view.scope.computation.root ? 2 : 1;
    context.fillRect(left, top, view.w, view.h);
    if (state.scale < 0.3 && !border) {
      context.strokeStyle = '#8b96a1';
      context.lineWidth = 0.7 / state.scale;
    }
    if (state.scale > 0.04 || border) context.strokeRect(left, top, view.w, view.h);
    if (view.open) {
      context.fillStyle = view.node.color;
      context.fillRect(left + 1, top + 1, view.w - 2, HEADER - 2);
    }
    if (state.scale > 0.3) drawText(view, left, top);
    if (!view.open) return;
    for (const child of view.open) {
      const [dx, dy] = childOrigin(view, child);
      if (state.scale > 0.3) {
        context.font = SMALL;
        context.fillStyle = '#5b6876';
        context.textAlign = 'left';
        context.textBaseline = 'top';
        const room = view.open.length === 1 ? view.w - 2 * PADDING : child.width;
        context.fillText(cut(child.computation.name, Math.max(4, Math.floor(room / 5.7))), left + dx, top + HEADER + 6);
      }
      drawScope(child, left + dx, top + dy);
    }
  }

  function drawText(view, left, top) {
    context.textAlign = 'left';
    context.textBaseline = 'top';
    context.fillStyle = state.heat in most && costOf(view.node, state.heat) > 0.3 * most[state.heat] ? '#fff' : '#1d2733';
    context.font = BOLD;
    context.fillText(view.title, left + 8, top + 5);
    context.font = FONT;
    context.globalAlpha = 0.75;
    context.fillText(view.name, left + 8, top + 5 + LINE);
    context.globalAlpha = 1;
    if (view.node.calls.length === 0) return;
    context.strokeStyle = context.fillStyle;
    context.lineWidth = 1;
    context.strokeRect(left + view.w - 17.5, top + 5.5, 11, 11);
    context.beginPath();
    context.moveTo(left + view.w - 15, top + 11);
    context.lineTo(left + view.w - 9, top + 11);
    if (!view.open) {
      context.moveTo(left + view.w - 12, top + 8);
      context.lineTo(left + view.w - 12, top + 14);
    }
    context.stroke();
  }

  function drawScope(scope, x, y) {
    if (!sees(x, y - 20, x + scope.width, y + scope.height)) return;
    drawEdges(scope, x, y);
    for (const view of scope.views) drawView(view, x, y);
  }

  function draw() {
    layOut(state.root);
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(ratio * state.scale, 0, 0, ratio * state.scale, ratio * state.x, ratio * state.y);
    visible = [-state.x / state.scale, -state.y / state.scale, (width - state.x) / state.scale, (height - state.y) / state.scale];
    drawScope(state.root, 0, 0);
  }

  let requested = false;
  function redraw() {
    if (requested) return;
    requested = true;
    requestAnimationFrame(() => { requested = false; draw(); });
  }

  function showStatus() {
    $('status').textContent = countShown(state.root) + ' of ' + total + ' instructions shown';
  }

  // ---- Moving about

  // The scale at which all can be seen.
  function wholeScale() {
    layOut(state.root);
    return Math.min(1.2, (canvas.clientWidth - 40) / Math.max(1, state.root.width),
                    (canvas.clientHeight - 40) / Math.max(1, state.root.height));
  }

  function fitAll() {
    state.scale = wholeScale();
    state.x = (canvas.clientWidth - state.root.width * state.scale) / 2;
    state.y = (canvas.clientHeight - state.root.height * state.scale) / 2;
    redraw();
  }

  // All of it, or what can be read from the upper end on.
  function fit() {
    if (wholeScale() >= READABLE) return fitAll();
    state.scale = READABLE;
    const first = state.root.views.reduce((best, view) => !best || view.y < best.y ? view : best, null);
    state.x = canvas.clientWidth / 2 - (first ? first.x + Math.min(first.w, 600) / 2 : 0) * state.scale;
    state.y = 20 - (first ? first.y : 0) * state.scale;
    redraw();
  }

  function zoom(factor, x, y) {
    const scale = Math.min(4, Math.max(0.01, state.scale * factor));
    state.x = x - (x - state.x) * scale / state.scale;
    state.y = y - (y - state.y) * scale / state.scale;
    state.scale = scale;
    redraw();
  }

  function centre(view) {
    layOut(state.root);
    const [x, y] = origin(view.scope);
    state.scale = Math.max(state.scale, 0.8);
    state.x = canvas.clientWidth / 2 - (x + view.x + view.w / 2) * state.scale;
    state.y = canvas.clientHeight / 2 - (y + view.y + Math.min(view.h, 200) / 2) * state.scale;
    redraw();
  }

  function viewAt(scope, x, y) {
    for (const view of viewsOf(scope)) {
      if (x < view.x || x > view.x + view.w || y < view.y || y > view.y + view.h) continue;
      for (const child of view.open || []) {
        const [dx, dy] = childOrigin(view, child);
        const found = viewAt(child, x - view.x - dx, y - view.y - dy);
        if (found) return found;
      }
      return view;
    }
    return null;
  }

  const atPointer = event => {
    const box = canvas.getBoundingClientRect();
    return viewAt(state.root, (event.clientX - box.left - state.x) / state.scale, (event.clientY - box.top - state.y) / state.scale);
  };

  // The calls that lead from the drawing's root to a computation, outermost first; null if none do.
  function pathTo(computation) {
    const cameBy = new Map([[computation, null]]);
    for (const next of cameBy.keys()) {
      if (next === state.root.computation) {
        const path = [];
        for (let at = next; cameBy.get(at); at = computations[cameBy.get(at).callee]) path.push(cameBy.get(at));
        return path;
      }
      for (const node of next.callers) {
        if (!cameBy.has(node.computation)) cameBy.set(node.computation, {node, callee: next.index});
      }
    }
    return null;
  }

  // Opens what hides a node, selects it and moves there.
  function reveal(node) {
    if (isHidden(node)) {
      state.constants = true;
      $('constants').checked = true;
      setRoot(state.root.computation);
    }
    let path = pathTo(node.computation);
    if (!path) {
      setRoot(node.computation);
      path = [];
    }
    let scope = state.root;
    for (const {node: caller, callee} of path) {
      const view = viewsOf(scope).find(v => v.node === caller);
      setOpen(view, true);
      scope = view.open.find(child => child.computation.index === callee);
    }
    const view = viewsOf(scope).find(v => v.node === node);
    select(view);
    showStatus();
    centre(view);
  }

  function setRoot(computation) {
    state.root = makeScope(computation, null);
    $('top').value = String(computation.index);
    select(null);
    showStatus();
    fit();
  }

  // ---- The panel

  function element(tag, text, className) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function linkTo(node, open) {
    const link = element('a', node.name);
    link.onclick = open || (() => reveal(node));
    return link;
  }

  function listOf(title, nodes, className, open) {
    if (nodes.length === 0) return [];
    const list = element('ul');
    for (const node of nodes.slice(0, 200)) {
      const item = element('li', undefined, className);
      item.append(linkTo(node, open && (() => open(node))), ' ', element('span', node.opcode + ' ' + cut(node.shape, 60), 'shape'));
      list.append(item);
    }
    if (nodes.length > 200) list.append(element('li', 'and ' + (nodes.length - 200) + ' more', 'quiet'));
    return [element('h3', title + ' (' + nodes.length + ')'), list];
  }

  function costTable(cost) {
    const table = element('table');
    for (const what of ['bytes', 'flops', 'transcendentals', 'runs']) {
      const row = element('tr');
      row.append(element('td', what), element('td', short(cost[what])));
      table.append(row);
    }
    return [element('h3', 'cost of one run'), table];
  }

  // Moves within the scope of the selected view, so that one of several drawings of a computation stays the one.
  function openNear(view) {
    return node => {
      const near = viewsOf(view.scope).find(v => v.node === node);
      if (!near) return reveal(node);
      select(near);
      centre(near);
    };
  }

  function callList(view) {
    const node = view.node;
    if (node.calls.length === 0) return [];
    const list = element('ul');
    node.calls.forEach((callee, i) => {
      const item = element('li'), link = element('a', computations[callee].name);
      link.onclick = () => {
        setOpen(view, true);
        showStatus();
        centre(view);
      };
      item.append((node.roles[i] || 'calls') + ': ', link, element('span', ' ' + computations[callee].nodes.length + ' instructions', 'shape'));
      list.append(item);
    });
    return [element('h3', 'calls'), list];
  }

  // What a parameter of an opened computation stands for.
  function argumentOf(view) {
    const owner = view.scope.owner;
    if (!owner || view.node.parameter === undefined || !['fusion', 'call', 'while', 'map'].includes(owner.node.opcode)) return [];
    const operand = owner.node.operands[owner.node.opcode === 'while' ? 0 : view.node.parameter];
    if (operand === undefined) return [];
    return listOf('stands for', [owner.scope.computation.nodes[operand]], 'operand', openNear(owner));
  }

  function showDetails(view) {
    const panel = $('details');
    panel.textContent = '';
    if (!view) {
      panel.append(element('p', 'Click an instruction to see it and to light up its operands and users. Double-click one ' +
                                'with a + to open or close what it calls. Drag to move, scroll to zoom, f fits, / searches.', 'hint'));
      return;
    }
    const node = view.node;
    panel.append(element('h2', node.name), element('div', node.opcode + ' in ' + node.computation.name, 'quiet'),
                 element('div', node.shape), element('pre', node.text));
    if (node.sharding) panel.append(element('h3', 'sharding'), element('div', node.sharding));
    if (node.op_name) panel.append(element('h3', 'op_name'), element('div', node.op_name));
    if (node.source) panel.append(element('h3', 'source'), element('div', node.source));
    if (node.cost) panel.append(...costTable(node.cost));
    panel.append(...callList(view), ...argumentOf(view));
    const nodes = node.computation.nodes;
    panel.append(...listOf('operands', node.operands.map(i => nodes[i]), 'operand', openNear(view)));
    panel.append(...listOf('users', node.users.map(i => nodes[i]), 'user', openNear(view)));
    panel.append(...listOf('waits for', (node.control || []).map(i => nodes[i]), '', openNear(view)));
    panel.scrollTop = 0;
  }

  function select(view) {
    state.selected = view;
    showDetails(view);
    if (view) history.replaceState(null, '', '#select=' + encodeURIComponent(view.node.computation.name + '/' + view.node.name));
    redraw();
  }

  // ---- Searching

  let hits = [], current = 0;

  function search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(word => word);
    hits = [];
    if (words.length) {
      for (const computation of computations) {
        for (const node of computation.nodes) {
          node.haystack = node.haystack || (node.name + ' ' + node.opcode + ' ' + node.shape + ' ' + (node.op_name || '')).toLowerCase();
          if (words.every(word => node.haystack.includes(word))) hits.push(node);
        }
      }
      // What is called so comes first.
      hits.sort((a, b) => (b.name.toLowerCase() === words[0]) - (a.name.toLowerCase() === words[0]));
    }
    current = 0;
    showHits(words.length > 0);
  }

  function showHits(open) {
    const list = $('hits');
    list.textContent = '';
    list.hidden = !open;
    if (!open) return;
    hits.slice(0, 100).forEach((node, i) => {
      const item = element('li', undefined, i === current ? 'current' : '');
      item.append(node.name + '  ', element('span', node.opcode + ' ' + cut(node.shape, 40) + ' in ' + node.computation.name, 'where'));
      item.onmousedown = event => { event.preventDefault(); showHits(false); reveal(node); };
      list.append(item);
    });
    list.append(element('li', hits.length === 0 ? 'nothing found' : hits.length > 100 ? hits.length + ' found, 100 shown' : hits.length + ' found', 'where'));
  }

  // ---- Events

  function listen() {
    let drag = null;
    canvas.addEventListener('pointerdown', event => {
      drag = {x: event.clientX, y: event.clientY, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!drag) return;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag = {x: event.clientX, y: event.clientY, moved: true};
      canvas.classList.add('dragging');
      state.x += dx;
      state.y += dy;
      redraw();
    });
    canvas.addEventListener('pointerup', event => {
      if (drag && !drag.moved) click(event);
      drag = null;
      canvas.classList.remove('dragging');
    });
    canvas.addEventListener('dblclick', event => toggle(atPointer(event)));
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
    }, {passive: false});
    window.addEventListener('resize', redraw);
    window.addEventListener('hashchange', followHash);
    window.addEventListener('keydown', event => {
      if (event.target.tagName === 'INPUT' || event.target.tagName === 'SELECT') return;
      if (event.key === 'f') fitAll();
      if (event.key === '/') { event.preventDefault(); $('search').focus(); }
      if (event.key === 'Escape') select(null);
      if (event.key === 'Enter' && state.selected) toggle(state.selected);
    });
    $('search').addEventListener('input', event => search(event.target.value));
    $('search').addEventListener('blur', () => showHits(false));
    $('search').addEventListener('keydown', event => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (step && hits.length) { current = Math.max(0, Math.min(Math.min(hits.length, 100) - 1, current + step)); showHits(true); }
      if (event.key === 'Enter' && hits.length) { showHits(false); reveal(hits[current]); }
      if (event.key === 'Escape') { showHits(false); canvas.focus(); }
    });
    $('top').addEventListener('change', event => setRoot(computations[Number(event.target.value)]));
    $('heat').addEventListener('change', event => { state.heat = event.target.value; colorAll(); redraw(); });
    $('constants').addEventListener('change', event => { state.constants = event.target.checked; setRoot(state.root.computation); });
    $('expand').addEventListener('click', () => { openFusions(); showStatus(); fit(); });
    $('collapse').addEventListener('click', () => { closeAll(); showStatus(); fit(); });
    $('fit').addEventListener('click', fitAll);
  }

  function click(event) {
    const view = atPointer(event);
    if (view) {
      const [x, y] = origin(view.scope), box = canvas.getBoundingClientRect();
      const dx = (event.clientX - box.left - state.x) / state.scale - x - view.x, dy = (event.clientY - box.top - state.y) / state.scale - y - view.y;
      if (view.node.calls.length && dx > view.w - 22 && dy < 22) return toggle(view);
    }
    select(view);
  }

  // Opens or closes a view; its upper left corner stays where it is on the screen.
  function toggle(view) {
    if (!view || view.node.calls.length === 0) return;
    const [x, y] = origin(view.scope), before = [x + view.x, y + view.y];
    setOpen(view, !view.open);
    layOut(state.root);
    const [x1, y1] = origin(view.scope);
    state.x += (before[0] - x1 - view.x) * state.scale;
    state.y += (before[1] - y1 - view.y) * state.scale;
    showStatus();
    redraw();
  }

  // #select=COMPUTATION/NAME, #search=WORDS, #heat=bytes, #open=fusions, #view=all; joined by &. What a link
  // can say.
  function followHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has('heat')) { state.heat = $('heat').value = wanted.get('heat'); colorAll(); }
    if (wanted.get('open') === 'fusions') { openFusions(); showStatus(); fit(); }
    if (wanted.get('view') === 'all') fitAll();
    if (wanted.has('search')) { $('search').value = wanted.get('search'); search(wanted.get('search')); }
    if (wanted.has('select')) {
      const [computation, ...rest] = wanted.get('select').split('/'), name = rest.join('/');
      const node = (computations.find(c => c.name === computation) || {nodes: []}).nodes.find(n => n.name === name);
      if (node) reveal(node);
    }
    if (wanted.has('measure')) measure();
  }

  // How long a frame takes while the drawing moves and zooms; for tests.
  function measure() {
    const frames = 30, before = performance.now();
    for (let i = 0; i < frames; ++i) {
      state.x += i % 2 ? 40 : -40;
      state.scale *= i % 2 ? 1.1 : 1 / 1.1;
      draw();
    }
    context.getImageData(0, 0, 1, 1);
    document.body.dataset.frameMilliseconds = String(Math.round((performance.now() - before) / frames * 10) / 10);
  }

  // ---- Start

  $('module').textContent = data.name;
  document.title = data.name + ' (HLO)';
  for (const computation of computations.slice().reverse()) {
    const option = element('option', (computation.index === data.entry ? 'entry ' : '') + computation.name);
    option.value = String(computation.index);
    $('top').append(option);
  }
  if (shardings.size > 0) {
    const option = element('option', 'sharding');
    option.value = state.heat = 'sharding';
    $('heat').append(option);
    $('heat').value = state.heat;
  }
  colorAll();
  listen();
  const linked = location.hash;
  setRoot(computations[data.entry]);
  draw();
  document.body.dataset.loadMilliseconds = String(Math.round(performance.now() - started));
  if (linked) followHash();
})();
