// Programs that mean no good, or do things in unusual orders.
'use strict';

const assert = require('assert');
const { spawnSync } = require('child_process');
const { once } = require('events');
const path = require('path');
const test = require('node:test');
const { setTimeout: wait } = require('timers/promises');
const { Worker } = require('worker_threads');
const webnn = require('../index.js');
const { float32, isDomException, newContext, rejectsWithTypeError, reluGraph, throwsTypeError } = require('./helpers.js');

const { MLGraphBuilder, MLContext } = webnn;
const kIndex = path.join(__dirname, '..', 'index.js');

test('methods of other objects are refused', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', float32(2));
  const graph = await reluGraph(context);
  for (const wrong of [undefined, null, 3, {}, Object.create(MLGraphBuilder.prototype), new Proxy(builder, {}), context, x]) {
    throwsTypeError(() => MLGraphBuilder.prototype.relu.call(wrong, x));
    throwsTypeError(() => MLGraphBuilder.prototype.input.call(wrong, 'x', float32(2)));
    await rejectsWithTypeError(MLGraphBuilder.prototype.build.call(wrong, { x }));
    if (wrong !== context) await rejectsWithTypeError(MLContext.prototype.compute.call(wrong, graph, {}, {}));
  }
  for (const wrong of [undefined, null, 3, {}, Object.create(webnn.MLOperand.prototype), new Proxy(x, {}), builder, [x]]) {
    throwsTypeError(() => builder.add(x, wrong));
    await rejectsWithTypeError(builder.build({ y: wrong }));
    await rejectsWithTypeError(context.compute(wrong, {}, {}));
    throwsTypeError(() => context.dispatch(wrong, {}, {}));
    throwsTypeError(() => context.writeTensor(wrong, new Float32Array(2)));
  }
});

test('exceptions of getters, iterators and valueOf() come through', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', float32(2));
  const mine = new Error('mine');
  const fail = () => { throw mine; };
  const isMine = (error) => error === mine;
  const failing = (name) => Object.defineProperty({}, name, { get: fail, enumerable: true });
  assert.throws(() => builder.clamp(x, failing('minValue')), isMine);
  assert.throws(() => builder.input('y', failing('dataType')), isMine);
  assert.throws(() => builder.clamp(x, { minValue: { valueOf: fail } }), isMine);
  assert.throws(() => builder.reshape(x, { [Symbol.iterator]: fail }), isMine);
  assert.throws(() => builder.reshape(x, { [Symbol.iterator]: () => ({ next: fail }) }), isMine);
  assert.throws(() => builder.input({ toString: fail }, float32(1)), isMine);
  await assert.rejects(builder.build(failing('y')), isMine);
  await assert.rejects(builder.build(new Proxy({}, { ownKeys: fail })), isMine);
  await assert.rejects(context.createTensor(failing('shape')), isMine);
  await assert.rejects(webnn.ml.createContext(failing('deviceType')), isMine);
  throwsTypeError(() => builder.clamp(x, { minValue: Symbol('s') }));
  throwsTypeError(() => builder.reshape(x, [1n, 2n]));
  throwsTypeError(() => builder.reshape(x, new Array(2 ** 32 - 1)));
  throwsTypeError(() => builder.reshape(x, (function* forever() { for (;;) yield 1; })()));
  throwsTypeError(() => builder.concat(new Array(1000).fill(x).map((operand, i) => (i === 999 ? {} : operand)), 0));
  await rejectsWithTypeError(builder.build({ [Symbol('s')]: x }));
});

test('names may be any', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const name = '__proto__';
  const inputs = JSON.parse('{"__proto__": 1}');
  const graph = await builder.build(Object.defineProperty({}, name, { value: builder.abs(builder.input(name, float32(1))), enumerable: true }));
  const from = Object.defineProperty({}, name, { value: new Float32Array([-2]), enumerable: true });
  const to = Object.defineProperty({}, name, { value: new Float32Array(1), enumerable: true });
  const { outputs } = await context.compute(graph, from, to);
  assert.deepStrictEqual(Object.keys(outputs), Object.keys(inputs));
  assert.strictEqual(Object.getOwnPropertyDescriptor(outputs, name).value[0], 2);
  assert.strictEqual(Object.getPrototypeOf(outputs), Object.prototype);
});

test('huge sizes are refused', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  throwsTypeError(() => builder.input('x', float32(2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1)));
  throwsTypeError(() => builder.input('x', float32(2 ** 32)));
  throwsTypeError(() => builder.input('x', float32(...new Array(100).fill(1))));
  await assert.rejects(context.createTensor(float32(2 ** 31 - 1, 2 ** 12)));
  const x = builder.input('x', float32(2 ** 20, 2 ** 10));
  throwsTypeError(() => builder.tile(x, [2 ** 31 - 1, 2 ** 31 - 1]));
});

test('buffers that cannot be taken stay as they are', async () => {
  const context = await newContext();
  const graph = await reluGraph(context);
  const good = () => new Float32Array(2);
  const detached = good();
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const shared = new Float32Array(new SharedArrayBuffer(8));
  const twice = new ArrayBuffer(16);
  for (const wrong of [detached, shared, new Float32Array(3), new Int32Array(2), new DataView(new ArrayBuffer(8)), new ArrayBuffer(8),
                       [1, 2], null, Object.create(good())]) {
    const output = good();
    await rejectsWithTypeError(context.compute(graph, { x: wrong }, { y: output }));
    assert.strictEqual(output.length, 2);
    const input = good();
    await rejectsWithTypeError(context.compute(graph, { x: input }, { y: wrong }));
    assert.strictEqual(input.length, 2);
  }
  const [x, y] = [new Float32Array(twice, 0, 2), new Float32Array(twice, 8, 2)];
  await rejectsWithTypeError(context.compute(graph, { x }, { y }));
  assert.strictEqual(twice.byteLength, 16);
  const wasm = new Float32Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, 2);
  await rejectsWithTypeError(context.compute(graph, { x: wasm }, { y: good() }));
  await rejectsWithTypeError(context.compute(graph, {}, { y: good() }));
  await rejectsWithTypeError(context.compute(graph, { x: good() }, { z: good() }));
  // A view lies about itself.
  const liar = good();
  Object.defineProperties(liar, { byteLength: { value: 1 << 30 }, length: { value: 1 << 28 }, buffer: { value: new ArrayBuffer(4) } });
  const { outputs } = await context.compute(graph, { x: liar }, { y: good() });
  assert.deepStrictEqual([...outputs.y], [0, 0]);
});

test('data comes from shared memory and from buffers, too', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const shared = new Float32Array(new SharedArrayBuffer(8));
  shared.set([1, 2]);
  const graph = await builder.build({ y: builder.add(builder.constant(float32(2), shared), builder.constant(float32(2), shared.slice().buffer)) });
  const { outputs } = await context.compute(graph, {}, { y: new Float32Array(2) });
  assert.deepStrictEqual([...outputs.y], [2, 4]);
  const tensor = await context.createTensor({ ...float32(2), readable: true, writable: true });
  context.writeTensor(tensor, shared);
  const room = new SharedArrayBuffer(8);
  await context.readTensor(tensor, room);
  assert.deepStrictEqual([...new Float32Array(room)], [1, 2]);
  await rejectsWithTypeError(context.readTensor(tensor, new Float32Array(3)));
  // Detached while it is read.
  const lost = new Float32Array(2);
  const reading = context.readTensor(tensor, lost);
  structuredClone(lost.buffer, { transfer: [lost.buffer] });
  await rejectsWithTypeError(reading);
});

test('tensors that are gone, of others, or not for that', async () => {
  const [context, other] = [await newContext(), await newContext()];
  const graph = await reluGraph(context);
  const tensor = (options) => context.createTensor({ ...float32(2), ...options });
  const [x, y, plain] = [await tensor({ writable: true }), await tensor({ readable: true }), await tensor()];
  const foreign = await other.createTensor({ ...float32(2), readable: true, writable: true });
  for (const wrong of [plain, foreign, y]) throwsTypeError(() => context.writeTensor(wrong, new Float32Array(2)));
  for (const wrong of [plain, foreign, x]) await rejectsWithTypeError(context.readTensor(wrong));
  throwsTypeError(() => context.dispatch(graph, { x }, { y: x }));
  throwsTypeError(() => context.dispatch(graph, { x: foreign }, { y }));
  throwsTypeError(() => context.dispatch(graph, { x }, {}));
  throwsTypeError(() => other.dispatch(graph, { x }, { y }));
  y.destroy();
  y.destroy();
  throwsTypeError(() => context.dispatch(graph, { x }, { y }));
  await rejectsWithTypeError(context.readTensor(y));
  graph.destroy();
  const again = await tensor({ readable: true });
  assert.throws(() => context.dispatch(graph, { x }, { y: again }), isDomException('InvalidStateError'));
});

test('the native functions check what they are given', () => {
  const { native } = require('../lib/native.js');
  const values = [undefined, null, 0, -1, NaN, 'x', {}, [], [1], [['Float32Array', new ArrayBuffer(8), 4, 8]], Symbol('s'), () => 1, 1n];
  for (const [name, call] of Object.entries(native)) {
    if (['operators', 'dataTypes', 'initialize', 'waitForHeld', 'createContext', 'createWebgpuContext'].includes(name)) continue;
    for (const value of values) assert.throws(() => call(value, value, value, value, value, value, value));
  }
  throwsTypeError(() => native.createContext(['edition'], ['newest']));
  throwsTypeError(() => native.createContext(['edition'], []));
});

test('many computations run at once, and the event loop goes on', async () => {
  const context = await newContext({ backend: 'cpu' });
  const builder = new MLGraphBuilder(context);
  const size = 256;
  let y = builder.input('x', float32(size, size));
  for (let i = 0; i < 40; ++i) y = builder.tanh(builder.matmul(y, y));
  let ticks = 0;
  let done = false;
  const tick = () => {
    ++ticks;
    if (!done) setImmediate(tick);
  };
  setImmediate(tick);
  const graph = await builder.build({ y });
  assert.ok(ticks > 1, 'build() has let others run');
  ticks = 0;
  const results = await Promise.all(Array.from({ length: 8 }, (_, i) => context.compute(
      graph, { x: new Float32Array(size * size).fill(i / size) }, { y: new Float32Array(size * size) })));
  assert.ok(ticks > 1, 'compute() has let others run');
  done = true;
  assert.strictEqual(results[0].outputs.y[0], 0);
  assert.ok(results.every(({ outputs }) => outputs.y.length === size * size));
});

test('memory goes with the garbage', async () => {
  const script = `
    const { createML, MLGraphBuilder } = require(${JSON.stringify(kIndex)});
    (async () => {
      const context = await createML({ backend: 'interpreter' }).createContext();
      for (let i = 0; i < 400; ++i) await context.createTensor({ dataType: 'float32', shape: [1 << 22] });
      const builder = new MLGraphBuilder(context);
      const x = builder.input('x', { dataType: 'float32', shape: [1] });
      const graph = await builder.build({ y: builder.abs(x) });
      for (let i = 0; i < 1000; ++i) await context.compute(graph, { x: new Float32Array(1) }, { y: new Float32Array(1) });
      if (process.memoryUsage().rss > 3e9) throw new Error('too much memory: ' + process.memoryUsage().rss);
    })();`;
  assert.strictEqual(spawnSync(process.execPath, ['-e', script], { stdio: 'inherit' }).status, 0);
});

test('a process ends with promises open, or in the middle', () => {
  const prelude = `
    const { createML, MLGraphBuilder } = require(${JSON.stringify(kIndex)});
    const start = async () => {
      const context = await createML({ backend: 'cpu' }).createContext();
      const builder = new MLGraphBuilder(context);
      let y = builder.input('x', { dataType: 'float32', shape: [200, 200] });
      for (let i = 0; i < 30; ++i) y = builder.tanh(builder.matmul(y, y));
      const graph = await builder.build({ y });
      const run = () => context.compute(graph, { x: new Float32Array(40000) }, { y: new Float32Array(40000) });
      return { context, graph, run };
    };`;
  const scripts = [
    // lost blocks no waiter, a computation does.
    'start().then(({ context, run }) => { context.lost.then(() => process.exit(3)); run().then(() => console.log("ran")); });',
    'start().then(({ run }) => { run(); run(); process.exit(0); });',
    'start().then(({ run }) => { run(); run(); throw 0; }).catch(() => process.exit(0));',
    ...[0, 5, 20].map((delay) => `start(); setTimeout(() => process.exit(0), ${delay});`),
    `start().then(async ({ context, graph }) => {
       const tensor = () => context.createTensor({ dataType: 'float32', shape: [200, 200] });
       context.dispatch(graph, { x: await tensor() }, { y: await tensor() });
       process.exit(0);
     });`,
  ];
  scripts.forEach((script, i) => {
    const { status, signal, stdout } = spawnSync(process.execPath, ['-e', prelude + script], { encoding: 'utf8', timeout: 120000 });
    assert.deepStrictEqual([status, signal], [0, null], script);
    if (i === 0) assert.strictEqual(stdout.trim(), 'ran');
  });
});

// Each computes until it is ended. Its message is the first element after four computations.
function startWorkers() {
  const script = `
    const { parentPort, workerData } = require('worker_threads');
    const { createML, MLGraphBuilder } = require(${JSON.stringify(kIndex)});
    (async () => {
      const context = await createML({ backend: 'cpu' }).createContext();
      const builder = new MLGraphBuilder(context);
      let y = builder.input('x', { dataType: 'float32', shape: [100, 100] });
      for (let i = 0; i < 10; ++i) y = builder.tanh(builder.matmul(y, y));
      const graph = await builder.build({ y });
      let x = new Float32Array(10000).fill(workerData);
      let room = new Float32Array(10000);
      for (let i = 0; ; ++i) {
        const result = await context.compute(graph, { x }, { y: room });
        ({ x } = result.inputs);
        room = result.outputs.y;
        if (i === 3) parentPort.postMessage(room[0]);
      }
    })();`;
  return Array.from({ length: 4 }, (_, i) => new Worker(script, { eval: true, workerData: i }));
}

test('several workers work at once', async () => {
  const workers = startWorkers();
  const firsts = (await Promise.all(workers.map((worker) => once(worker, 'message')))).map(([first]) => first);
  assert.strictEqual(firsts[0], 0);
  assert.ok(firsts.slice(1).every((value) => value > 0.9));
  await Promise.all(workers.map((worker) => worker.terminate()));
  // What remains works on.
  await reluGraph(await newContext({ backend: 'cpu' }));
});

test('workers are ended in the middle of anything', async () => {
  for (let round = 0; round < 30; ++round) {
    const workers = startWorkers();
    if (round % 2 === 1) await Promise.all(workers.map((worker) => once(worker, 'message')));
    await wait(round);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
});
