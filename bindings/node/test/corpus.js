// The WebNN conformance corpus through the package: node test/corpus.js [--corpus DIR] [--backend B] [--filter RE]
// [--verbose]. Cases of the draft run in a context of that edition through compute(), later ones through tensors and
// dispatch(). The last line is "N passed, N failed, N skipped".
'use strict';

const fs = require('fs');
const path = require('path');
const { createML, GPUDevice, MLGraphBuilder } = require('../index.js');
const { checkTensor, kArrays, toTypedArray, zeros } = require('./tensors.js');

// ---- Reading

// Integers that a double does not hold become bigints.
function parse(text) {
  const marked = text.replace(/(?<=[[:,]\s*)-?\d{16,}(?=\s*[,\]}])/g, (digits) => `"big:${digits}"`);
  return JSON.parse(marked, (key, value) =>
    (typeof value === 'string' && value.startsWith('big:') ? BigInt(value.slice(4)) : value));
}

// ---- One operator

const kNumbers = new Set(['NaN', 'Infinity', '-Infinity', '-0']);
function toValue(value) {
  if (Array.isArray(value)) return value.map(toValue);
  return kNumbers.has(value) ? Number(value) : value;
}

function toArgument(argument, operands, builder) {
  if (argument.operand !== undefined) return operands[argument.operand];
  if (argument.operands !== undefined) return argument.operands.map((name) => operands[name]);
  if (argument.activationRefs !== undefined) return argument.activationRefs.map((name) => operands[name]);
  if (argument.activations !== undefined) {
    return argument.activations.map(({ name, options }) => builder[name](toOptions(options, operands, builder)));
  }
  return toValue(argument.value);
}

function toOptions(options, operands, builder) {
  if (options === undefined) return undefined;
  return Object.fromEntries(Object.entries(options).map(([name, value]) =>
    [name, typeof value === 'object' && value !== null ? toArgument(value, operands, builder) : toValue(value)]));
}

function callOperator(builder, { op, args, options }, operands) {
  const values = Object.values(args ?? {}).map((argument) => toArgument(argument, operands, builder));
  const members = toOptions(options, operands, builder);
  const result = builder[op](...values, ...(members === undefined ? [] : [members]));
  return Array.isArray(result) ? result : [result];
}

const describe = (operand) => {
  const [dtype, shape] = typeof operand.dataType === 'function' ? [operand.dataType(), operand.shape()]
      : [operand.dataType, operand.shape];
  return { dtype, shape: [...shape] };
};
const same = (a, b) => a.dtype === b.dtype && a.shape.join() === b.shape.join();
const toDescriptor = ({ dtype, shape }, later) => (later ? { dataType: dtype, shape } : { dataType: dtype, dimensions: shape });

// ---- The three kinds of cases

class Runner {
  constructor(backend) {
    this.backend = backend;
    this.contexts = {};
  }

  context(edition) {
    this.contexts[edition] ??= createML({ edition, backend: this.backend }).createContext();
    return this.contexts[edition];
  }

  async runNumeric(test) {
    const later = test.spec === 'later';
    const context = await this.context(test.spec);
    const builder = new MLGraphBuilder(context);
    const operands = {};
    const inputs = {};
    for (const [name, tensor] of Object.entries(test.inputs)) {
      const view = toTypedArray(tensor);
      if (tensor.constant) {
        operands[name] = builder.constant(toDescriptor(tensor, later), view);
      } else {
        operands[name] = builder.input(name, toDescriptor(tensor, later));
        inputs[name] = { tensor, view };
      }
    }
    for (const operator of test.operators) {
      callOperator(builder, operator, operands).forEach((result, i) => { operands[operator.outputs[i]] = result; });
    }
    const names = Object.keys(test.expected);
    const graph = await builder.build(Object.fromEntries(names.map((name) => [name, operands[name]])));
    for (const name of names) {
      if (!same(describe(operands[name]), test.expected[name])) {
        throw new Error(`${name} is ${JSON.stringify(describe(operands[name]))}`);
      }
    }
    // Inputs that do not reach an output are none of the graph's.
    const used = reachableInputs(test, Object.keys(inputs));
    const got = later ? await this.dispatch(context, graph, used, inputs, test.expected)
        : await this.compute(context, graph, inputs, test.expected);
    for (const name of names) checkTensor(name, got[name], test.expected[name], test.tolerance);
  }

  async compute(context, graph, inputs, expected) {
    const views = Object.fromEntries(Object.entries(inputs).map(([name, { view }]) => [name, view]));
    const room = Object.fromEntries(Object.entries(expected).map(([name, { dtype, shape }]) => [name, zeros(dtype, shape)]));
    const { outputs } = await context.compute(graph, views, room);
    if (Object.values(views).some((view) => view.length !== 0)) throw new Error('compute() has not detached its inputs');
    return outputs;
  }

  async dispatch(context, graph, used, inputs, expected) {
    const from = {};
    const to = {};
    for (const name of used) {
      const { tensor, view } = inputs[name];
      from[name] = await context.createTensor({ ...toDescriptor(tensor, true), writable: true });
      context.writeTensor(from[name], view);
    }
    for (const [name, tensor] of Object.entries(expected)) {
      to[name] = await context.createTensor({ ...toDescriptor(tensor, true), readable: true });
    }
    context.dispatch(graph, from, to);
    const got = {};
    for (const [name, { dtype }] of Object.entries(expected)) {
      got[name] = new kArrays[dtype](await context.readTensor(to[name]));
    }
    for (const tensor of [...Object.values(from), ...Object.values(to)]) tensor.destroy();
    return got;
  }

  async runValidation(test) {
    const later = test.spec === 'later';
    const builder = new MLGraphBuilder(await this.context(test.spec));
    const operands = {};
    for (const [name, tensor] of Object.entries(test.inputs)) operands[name] = builder.input(name, toDescriptor(tensor, later));
    const results = await expectError(test.throws, () => callOperator(builder, test.operators[0], operands));
    if (test.throws !== undefined) return;
    const got = results.map(describe);
    if (got.length !== test.outputs.length || !got.every((one, i) => same(one, test.outputs[i]))) {
      throw new Error(`gave ${JSON.stringify(got)}, expected ${JSON.stringify(test.outputs)}`);
    }
  }

  async runScript(test) {
    const script = new Script(test.spec, this.backend, await this.context(test.spec));
    for (let i = 0; i < test.steps.length; ++i) {
      const throws = i === test.at_step ? test.throws : undefined;
      await expectError(throws, () => script.run(test.steps[i]));
      if (throws !== undefined) return;
    }
  }
}

// Runs `work`, which must fail with an error of that name if there is one.
async function expectError(name, work) {
  let result;
  try {
    result = await work();
  } catch (error) {
    if (name === undefined) throw error;
    const isKind = name === 'TypeError' ? error instanceof TypeError : error instanceof DOMException && error.name === name;
    if (!isKind) throw new Error(`expected ${name}, got ${error}`);
    if (!error.rule) throw new Error(`the error names no rule: ${error}`);
    return undefined;
  }
  if (name !== undefined) throw new Error(`accepted, but it must be refused with ${name}`);
  return result;
}

function reachableInputs(test, inputs) {
  const reached = new Set(Object.keys(test.expected));
  for (const { args, options, outputs } of [...test.operators].reverse()) {
    if (!outputs.some((name) => reached.has(name))) continue;
    for (const argument of [...Object.values(args ?? {}), ...Object.values(options ?? {})]) {
      for (const name of [argument.operand, ...(argument.operands ?? [])]) reached.add(name);
    }
  }
  return inputs.filter((name) => reached.has(name));
}

// The state of a step script.
class Script {
  constructor(edition, backend, context) {
    // `contexts`: of builders and of graphs.
    Object.assign(this, { edition, backend, context, contexts: {}, builders: {}, operands: {}, graphs: {} });
  }

  newContext(kind) {
    const ml = createML({ edition: this.edition, backend: this.backend });
    return ml.createContext(kind === 'webgpu' ? new GPUDevice(this.backend) : {});
  }

  async run(step) {
    const builder = this.builders[step.builder];
    const descriptor = () => toDescriptor(step, this.edition === 'later');
    switch (step.do) {
      case 'newContext':
        // For the builders that come after it.
        this.context = await this.newContext(step.kind);
        return;
      case 'newBuilder':
        this.builders[step.as] = new MLGraphBuilder(this.context);
        this.contexts[step.as] = this.context;
        return;
      case 'input':
        this.operands[step.as] = builder.input(step.name, descriptor());
        return;
      case 'constant':
        this.operands[step.as] = builder.constant(descriptor(), makeBuffer(step.buffer));
        return;
      case 'constantScalar':
        this.operands[step.as] = builder.constant(step.dtype, toValue(step.value));
        return;
      case 'activation':
        this.operands[step.as] = builder[step.name](toOptions(step.options, this.operands, builder));
        return;
      case 'op':
        callOperator(builder, step, this.operands).forEach((result, i) => { this.operands[step.as[i]] = result; });
        return;
      case 'build':
        this.graphs[step.as] = await builder.build(mapValues(step.outputs, (name) => this.operands[name]));
        this.contexts[step.as] = this.contexts[step.builder];
        return;
      case 'compute': {
        const context = step.otherContext ? await this.newContext() : this.contexts[step.graph];
        const { outputs } = await context.compute(
            this.graphs[step.graph], mapValues(step.inputs, makeBuffer), mapValues(step.outputs, makeBuffer));
        if (Object.keys(outputs).join() !== Object.keys(step.outputs).join()) throw new Error('compute gave other outputs');
        return;
      }
      default:
        throw new Error(`unknown step '${step.do}'`);
    }
  }
}

const makeBuffer = ({ dtype, length }) => new kArrays[dtype](length);
const mapValues = (object, convert) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, convert(value)]));

// ---- All

function* allCases(folder) {
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.json')).sort()) {
    const { schema, cases } = parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    for (const test of cases) yield { kind: schema.split('/')[0], test };
  }
}

async function runCorpus({ folder, backend = 'cpu', filter = /./, verbose = false, log = console.log }) {
  const runner = new Runner(backend);
  const run = {
    'webnn-conformance': (test) => runner.runNumeric(test),
    'webnn-validation': (test) => runner.runValidation(test),
    'webnn-api': (test) => runner.runScript(test),
  };
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { kind, test } of allCases(folder)) {
    if (!filter.test(test.name)) continue;
    if (run[kind] === undefined) {
      ++counts.skipped;
      log(`skipped ${test.name}: cases of kind ${kind} are unknown`);
      continue;
    }
    try {
      await run[kind](test);
      ++counts.passed;
      if (verbose) log(`passed ${test.name}`);
    } catch (error) {
      ++counts.failed;
      log(`FAILED ${test.name}: ${error.message}`);
    }
  }
  return counts;
}

// Where the corpus is: HALO_CORPUS (with or without the folder "webnn"), or beside the tree. undefined if it is
// nowhere.
function findCorpus(given = process.env.HALO_CORPUS) {
  const base = given || path.join(__dirname, '..', '..', '..', '..', 'shared', 'conformance');
  return [path.join(base, 'webnn'), base].find((folder) => fs.existsSync(path.join(folder, 'api.json')));
}

module.exports = { findCorpus, runCorpus };

if (require.main === module) {
  const flags = Object.fromEntries(process.argv.slice(2).join(' ').split('--').filter(Boolean)
      .map((flag) => flag.trim().split(/[ =]/)).map(([name, ...value]) => [name, value.join(' ')]));
  const folder = findCorpus(flags.corpus);
  if (folder === undefined) {
    console.log('there is no corpus: give --corpus DIR or set HALO_CORPUS\n0 passed, 0 failed, 1 skipped');
  } else {
    runCorpus({ folder, backend: flags.backend || undefined, filter: new RegExp(flags.filter ?? ''), verbose: 'verbose' in flags })
        .then(({ passed, failed, skipped }) => {
          console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
          process.exitCode = failed === 0 ? 0 : 1;
        });
  }
}
