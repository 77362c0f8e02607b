// A layered drawing of a graph, top to bottom, in time that grows little more than linearly: longest-path layers,
// sources pulled down to their users, barycentre sweeps for the order within layers, and for the horizontal places the
// least-squares fit to the neighbours that keeps the order (pool adjacent violators). Edges over many layers are not
// routed, because they would need a place in each; they are drawn as stubs, and whole only when asked for.
'use strict';

const Layout = (() => {
  const LAYER_GAP = 40, NODE_GAP = 18, ROUTE_WIDTH = 10;
  // Each layer leans a little towards the middle, or a long graph would drift to one side.
  const TOWARDS_MIDDLE = 0.97;

  // Layers by longest path; then, users first, what has few operands moves down next to its users.
  function assignLayers(nodes, users) {
    const layer = new Int32Array(nodes.length);
    nodes.forEach((node, i) => node.ins.forEach(from => { layer[i] = Math.max(layer[i], layer[from] + 1); }));
    const movable = nodes.map(node => node.ins.length === 0);
    nodes.forEach((node, i) => { if (!movable[i]) movable[i] = node.ins.every(from => movable[from]) || new Set(node.ins).size === 1; });
    for (let i = nodes.length - 1; i >= 0; --i) {
      if (!movable[i] || users[i].length === 0) continue;
      layer[i] = Math.max(layer[i], users[i].reduce((least, user) => Math.min(least, layer[user]), Infinity) - 1);
    }
    return layer;
  }

  // Nodes in the order of a walk from the last node up: what belongs together meets early. Its own stack, for long
  // chains.
  function walkOrder(nodes) {
    const seen = new Uint8Array(nodes.length), order = [];
    for (let start = nodes.length - 1; start >= 0; --start) {
      if (seen[start]) continue;
      const stack = [[start, 0]];
      seen[start] = 1;
      while (stack.length) {
        const top = stack[stack.length - 1], ins = nodes[top[0]].ins;
        if (top[1] < ins.length) {
          const next = ins[top[1]++];
          if (!seen[next]) { seen[next] = 1; stack.push([next, 0]); }
        } else {
          order.push(top[0]);
          stack.pop();
        }
      }
    }
    return order;
  }

  // Moves the cells of one layer to the places nearest to `wanted`, in the least-squares sense, that keep order and
  // gaps.
  function place(cells, wanted) {
    const blocks = [];
    let offset = 0;
    cells.forEach((cell, i) => {
      const weight = cell.node < 0 ? 2 : 1;
      const half = cell.w / 2;
      offset += i === 0 ? 0 : cells[i - 1].w / 2 + half + (cell.node < 0 && cells[i - 1].node < 0 ? 4 : NODE_GAP);
      cell.offset = offset;
      let block = {sum: (wanted[i] - offset) * weight, weight, count: 1};
      while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight > block.sum / block.weight) {
        const before = blocks.pop();
        block = {sum: block.sum + before.sum, weight: block.weight + before.weight, count: block.count + before.count};
      }
      blocks.push(block);
    });
    let i = 0;
    for (const block of blocks) {
      for (let k = 0; k < block.count; ++k, ++i) cells[i].x = block.sum / block.weight + cells[i].offset;
    }
  }

  const mean = (cells, otherwise) => cells.length ? cells.reduce((sum, cell) => sum + cell.x, 0) / cells.length : otherwise;

  function sweep(layers, down, place) {
    const order = down ? layers : layers.slice().reverse();
    for (const cells of order) place(cells, cell => down ? cell.up : cell.down);
  }

  // nodes: [{w, h, ins: [index of an earlier node]}]; sets x and y, the upper left corner. Returns
  // {width, height, edges: [{from, to, port, points: [[x, y], ...] or null for a stub}]}.
  function compute(nodes) {
    if (nodes.length === 0) return {width: 0, height: 0, edges: []};
    const users = nodes.map(() => []);
    nodes.forEach((node, i) => node.ins.forEach(from => users[from].push(i)));
    const layer = assignLayers(nodes, users);
    const longest = nodes.length > 400 ? 8 : 30;
    const layers = [];
    const cells = new Array(nodes.length);
    const add = (at, cell) => { (layers[at] = layers[at] || []).push(cell); return cell; };
    for (const i of walkOrder(nodes)) cells[i] = add(layer[i], {node: i, w: nodes[i].w, up: [], down: [], x: 0});
    for (let i = 0; i < layers.length; ++i) layers[i] = layers[i] || [];

    const edges = [];
    const link = (upper, lower) => { upper.down.push(lower); lower.up.push(upper); };
    const routes = new Map();  // by source: the route that its longer edges share, a cell for each layer
    nodes.forEach((node, i) => node.ins.forEach((from, port) => {
      const span = layer[i] - layer[from];
      const edge = {from, to: i, port, route: [], points: null};
      edges.push(edge);
      if (span > longest) return;
      let route = routes.get(from);
      if (!route) routes.set(from, route = []);
      let last = cells[from];
      for (let k = 0; k < span - 1; ++k) {
        if (!route[k]) {
          route[k] = add(layer[from] + 1 + k, {node: -1, w: ROUTE_WIDTH, up: [], down: [], x: 0});
          link(last, route[k]);
        }
        last = route[k];
        edge.route.push(last);
      }
      link(last, cells[i]);
      edge.points = [];
    }));

    const rounds = nodes.length > 2000 ? 3 : 8;
    for (const row of layers) row.forEach((cell, i) => { cell.x = i; });
    for (let round = 0; round < rounds; ++round) {
      sweep(layers, round % 2 === 0, (row, neighbours) => {
        row.forEach(cell => { cell.key = mean(neighbours(cell), cell.x); });
        row.sort((a, b) => a.key - b.key);
        row.forEach((cell, i) => { cell.x = i; });
      });
    }
    for (const row of layers) place(row, row.map(() => 0));
    for (let round = 0; round < rounds + 3; ++round) {
      sweep(layers, round % 2 === 0, (row, neighbours) => place(row, row.map(cell => {
        const near = neighbours(cell);
        return (near.length ? mean(near) : mean(cell.up.concat(cell.down), cell.x)) * TOWARDS_MIDDLE;
      })));
    }

    let y = 0, left = Infinity, right = -Infinity;
    for (const row of layers) {
      const height = row.reduce((most, cell) => Math.max(most, cell.node < 0 ? 0 : nodes[cell.node].h), 0);
      for (const cell of row) {
        cell.top = y;
        cell.bottom = y + height;
        left = Math.min(left, cell.x - cell.w / 2);
        right = Math.max(right, cell.x + cell.w / 2);
      }
      y += height + LAYER_GAP;
    }
    for (const cell of cells) {
      nodes[cell.node].x = cell.x - cell.w / 2 - left;
      // What takes nothing stands close to its users.
      const node = nodes[cell.node];
      node.y = node.ins.length ? cell.top : cell.bottom - node.h;
    }
    for (const edge of edges) {
      const from = nodes[edge.from], to = nodes[edge.to];
      edge.start = [from.x + from.w / 2, from.y + from.h];
      edge.end = [to.x + to.w * (edge.port + 1) / (to.ins.length + 1), to.y];
      if (!edge.points) continue;
      // Straight down to the end of the layer, past taller neighbours.
      edge.points = [edge.start, [edge.start[0], cells[edge.from].bottom]];
      for (const cell of edge.route) edge.points.push([cell.x - left, cell.top], [cell.x - left, cell.bottom]);
      edge.points.push(edge.end);
    }
    return {width: right - left, height: y - LAYER_GAP, edges};
  }

  return {compute};
})();
