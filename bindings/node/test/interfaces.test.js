// What programs see: interfaces as in a browser, both editions, errors of the right kind.
'use strict';

const assert = require('assert');
const test = require('node:test');
const webnn = require('../index.js');
const { float32, isDomException, newContext, rejectsWithTypeError, reluGraph, throwsTypeError } = require('./helpers.js');

const { MLGraphBuilder, MLOperand, MLActivation } = webnn;

test('import and require give the same objects', async () => {
  const imported = await import('../index.mjs');
  assert.strictEqual(imported.default, webnn.ml);
  assert.strictEqual(imported.MLGraphBuilder, MLGraphBuilder);
});

test('interfaces look like those of a browser', () => {
  for (const name of ['ML', 'MLContext', 'MLGraphBuilder', 'MLGraph', 'MLOperand', 'MLActivation', 'MLTensor']) {
    assert.strictEqual(webnn[name].name, name);
    assert.strictEqual(Object.prototype.toString.call(webnn[name].prototype), `[object ${name}]`);
    if (name !== 'MLGraphBuilder') throwsTypeError(() => new webnn[name]());
  }
  assert.ok(webnn.ml instanceof webnn.ML);
  assert.strictEqual(MLGraphBuilder.prototype.conv2d.length, 2);
  assert.strictEqual(MLGraphBuilder.prototype.conv2d.name, 'conv2d');
  assert.ok(Object.keys(MLGraphBuilder.prototype).includes('conv2d'));
  throwsTypeError(() => new MLGraphBuilder.prototype.add());
});

test('install() defines what a browser has', () => {
  const target = {};
  const ml = webnn.install(target, { edition: 'draft' });
  assert.strictEqual(target.navigator.ml, ml);
  assert.strictEqual(target.MLGraphBuilder, MLGraphBuilder);
  assert.ok(!Object.keys(target).includes('MLGraphBuilder'));
});

test('a program of later editions runs', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', float32(2, 2));
  const w = builder.constant(float32(2, 2), new Float32Array([1, 2, 3, 4]));
  const y = builder.add(builder.matmul(x, w, { label: 'product' }), builder.constant('float32', 10));
  assert.strictEqual(y.dataType, 'float32');
  assert.deepStrictEqual(y.shape, [2, 2]);
  assert.strictEqual(y.shape, y.shape);
  const graph = await builder.build({ y });
  const input = await context.createTensor({ ...float32(2, 2), writable: true });
  const output = await context.createTensor({ ...float32(2, 2), readable: true });
  assert.deepStrictEqual([input.writable, input.readable, input.constant, input.dataType], [true, false, false, 'float32']);
  context.writeTensor(input, new Float32Array([1, 0, 0, 1]));
  context.dispatch(graph, { x: input }, { y: output });
  assert.deepStrictEqual([...new Float32Array(await context.readTensor(output))], [11, 12, 13, 14]);
  const room = new Float32Array(6);
  assert.strictEqual(await context.readTensor(output, room.subarray(1, 5)), undefined);
  assert.deepStrictEqual([...room], [0, 11, 12, 13, 14, 0]);
  await assert.rejects(async () => builder.build({ y }), isDomException('InvalidStateError'));
});

test('a program of the draft runs', async () => {
  const context = await newContext({ edition: 'draft' });
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', { dataType: 'float32', dimensions: [3] });
  const activation = builder.tanh();
  assert.ok(activation instanceof MLActivation);
  const y = builder.clamp(x, { minValue: 0 });
  assert.ok(y instanceof MLOperand);
  assert.strictEqual(y.dataType(), 'float32');
  assert.deepStrictEqual(y.shape(), [3]);
  assert.deepStrictEqual(builder.constant('int8', 300).shape(), []);
  const graph = await builder.build({ y });
  await builder.build({ again: y });
  const memory = new ArrayBuffer(16);
  const input = new Float32Array(memory, 4);
  input.set([-1, 0.5, 2]);
  const output = new Float32Array(3);
  const result = await context.compute(graph, { x: input }, { y: output });
  assert.deepStrictEqual([input.length, output.length, memory.byteLength], [0, 0, 0]);
  assert.deepStrictEqual([...result.inputs.x], [-1, 0.5, 2]);
  assert.strictEqual(result.inputs.x.byteOffset, 4);
  assert.deepStrictEqual([...result.outputs.y], [0, 0.5, 2]);
  // Again with what came back.
  const { outputs } = await context.compute(graph, { x: result.outputs.y }, { y: result.inputs.x });
  assert.deepStrictEqual([...outputs.y], [0, 0.5, 2]);
});

test('float16 is raw bits, or a Float16Array where there is one', async () => {
  const context = await newContext();
  const descriptor = { dataType: 'float16', shape: [2] };
  const builder = new MLGraphBuilder(context);
  const one = builder.constant(descriptor, new Uint16Array([0x3c00, 0xc000]));
  const graph = await builder.build({ y: builder.neg(one) });
  const { outputs } = await context.compute(graph, {}, { y: new Uint16Array(2) });
  assert.deepStrictEqual([...outputs.y], [0xbc00, 0x4000]);
  if (typeof Float16Array === 'function') {
    const result = await context.compute(graph, {}, { y: new Float16Array(2) });
    assert.deepStrictEqual([...result.outputs.y], [-1, 2]);
  }
});

test('64-bit integers are bigints', async () => {
  const context = await newContext();
  const builder = new MLGraphBuilder(context);
  const x = builder.constant('int64', 2n ** 62n + 1n);
  const graph = await builder.build({ y: builder.add(x, builder.constant('int64', -1)), z: builder.identity(builder.constant('uint64', 10n ** 30n)) });
  const { outputs } = await context.compute(graph, {}, { y: new BigInt64Array(1), z: new BigUint64Array(1) });
  assert.strictEqual(outputs.y[0], 2n ** 62n);
  assert.strictEqual(outputs.z[0], 2n ** 64n - 1n);
});

test('several results come as a list', async () => {
  const builder = new MLGraphBuilder(await newContext());
  const parts = builder.split(builder.input('x', float32(6)), [1, 2, 3]);
  assert.deepStrictEqual(parts.map(({ shape }) => shape[0]), [1, 2, 3]);
});

test('broken rules throw TypeErrors that name the rule', async () => {
  const builder = new MLGraphBuilder(await newContext());
  const x = builder.input('x', float32(2, 3));
  const errorOf = (work) => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const error = errorOf(() => builder.conv2d(x, x, { label: 'first layer' }));
  assert.ok(error instanceof TypeError);
  assert.strictEqual(error.rule, 'input rank 4');
  assert.match(error.message, /conv2d.*first layer/);
  assert.strictEqual(errorOf(() => builder.add(x)).rule, 'missing argument');
  assert.match(errorOf(() => builder.clamp(x, { minValue: 3, maxValue: '2' })).message, /minValue/);
  for (const work of [() => builder.add(x, 3), () => builder.reshape(x, 6), () => builder.reshape(x, [2.5, -1]),
                      () => builder.transpose(x, 'options'), () => builder.input('', float32(1)),
                      () => builder.input('x', { dataType: 'float64', shape: [] }), () => builder.input('x', { dataType: 'float32' }),
                      () => builder.constant(float32(2), new Float32Array(3)), () => builder.constant(float32(2), [1, 2])]) {
    throwsTypeError(work);
  }
});

test('other errors are DOMExceptions', async () => {
  await assert.rejects(newContext({ edition: 'draft', backend: '', deviceType: 'npu' }), isDomException('NotSupportedError'));
  const context = await webnn.createML({ edition: 'draft' }).createContext(new webnn.GPUDevice('interpreter'));
  await assert.rejects(context.compute(await reluGraph(context), { x: new Float32Array(2) }, {}), isDomException('OperationError'));
  await rejectsWithTypeError(webnn.ml.createContext({ powerPreference: 'much' }));
  await rejectsWithTypeError(webnn.ml.createContext('cpu'));
  await rejectsWithTypeError(webnn.ml.createContext.call({}));
});

test('a lost context says so', async () => {
  const context = await newContext();
  const graph = await reluGraph(context);
  const tensor = await context.createTensor({ ...float32(2), readable: true });
  const { lost } = context;
  assert.strictEqual(lost, context.lost);
  context.destroy();
  context.destroy();
  assert.strictEqual(typeof (await lost).message, 'string');
  await assert.rejects(context.createTensor(float32(1)), isDomException('InvalidStateError'));
  await assert.rejects(context.readTensor(tensor));
  assert.throws(() => context.dispatch(graph, {}, {}));
});

test('opSupportLimits() lists every operator', async () => {
  const limits = (await newContext()).opSupportLimits();
  assert.ok(limits.add.a.dataTypes.includes('float32'));
  assert.strictEqual(typeof limits.conv2d.input.rankRange.max, 'number');
  assert.ok(limits.input.dataTypes.includes('int64') && limits.maxTensorByteLength > 0);
  for (const name of Object.keys(MLGraphBuilder.prototype)) {
    if (!['input', 'constant', 'build'].includes(name)) assert.ok(name in limits, name);
  }
});

test('the declarations for TypeScript are those of the operator table', () => {
  const fs = require('fs');
  const path = require('path');
  const { declarations } = require('../types/generate.js');
  const text = fs.readFileSync(path.join(__dirname, '..', 'index.d.ts'), 'utf8');
  assert.ok(text === declarations(require('../lib/native.js').native),
            'index.d.ts is stale: node types/generate.js > index.d.ts');
});
