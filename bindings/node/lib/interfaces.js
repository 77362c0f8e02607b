// ML, MLContext and what a context hands out. Each object keeps its native handle in a private field: a method called
// on anything else throws a TypeError by itself, and nothing else gets at the handle.
'use strict';

const { native } = require('./native.js');
const { finishInterface, fromRecord, requireArguments, toDestination, toDictionary, toNumber, toRecord, toSequence, toSource,
        toString, toView, typeError, viewOn } = require('./web_idl.js');

// What constructors of objects that programs cannot construct are called with.
const kOurs = Symbol('created by @halo/webnn');
const checkOurs = (token) => {
  if (token !== kOurs) throw typeError('Illegal constructor', 'illegal constructor');
};

// Read the private field of a class; TypeError for any other value. Set by the classes below.
let contextHandle, graphHandle, operandHandle, activationHandle, tensorHandle;
const handles = {
  context: (value, what) => checked(contextHandle, value, what, 'an MLContext'),
  graph: (value, what) => checked(graphHandle, value, what, 'an MLGraph'),
  operand: (value, what) => checked(operandHandle, value, what, 'an MLOperand'),
  activation: (value, what) => checked(activationHandle, value, what, 'an MLActivation'),
  tensor: (value, what) => checked(tensorHandle, value, what, 'an MLTensor'),
};
function checked(read, value, what, kind) {
  const handle = read(value);
  if (handle === undefined) throw typeError(`${what} must be ${kind}`, `type of ${what}`);
  return handle;
}

// MLOperandDescriptor. The draft calls its shape `dimensions`, which may be left out.
function toDescriptor(value, later) {
  const dictionary = toDictionary(value, 'descriptor');
  const dataType = dictionary.dataType;
  const dimensions = dictionary.dimensions;
  let shape = dictionary.shape;
  if (dataType === undefined) throw typeError('the descriptor has no dataType', 'missing dataType');
  if (shape === undefined) shape = dimensions;
  if (shape === undefined) {
    if (later) throw typeError('the descriptor has no shape', 'missing shape');
    shape = [];
  }
  return { dictionary, dataType: toString(dataType), shape: toSequence(shape, toNumber, 'dimensions') };
}

class MLOperand {
  #handle;
  #dataType;
  #shape;
  #later;
  static { operandHandle = (value) => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined); }

  constructor(token, [handle, dataType, shape], later) {
    checkOurs(token);
    this.#handle = handle;
    this.#dataType = dataType;
    this.#shape = Object.freeze(shape);
    this.#later = later;
  }
  // Attributes in later editions; methods in the draft: operand.dataType().
  get dataType() {
    const dataType = this.#dataType;
    return this.#later ? dataType : () => dataType;
  }
  get shape() {
    const shape = this.#shape;
    return this.#later ? shape : () => [...shape];
  }
}

class MLActivation {
  #handle;
  static { activationHandle = (value) => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined); }

  constructor(token, handle) {
    checkOurs(token);
    this.#handle = handle;
  }
}

class MLGraph {
  #handle;
  static { graphHandle = (value) => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined); }

  constructor(token, handle) {
    checkOurs(token);
    this.#handle = handle;
  }
  destroy() { native.destroyGraph(this.#handle); }
}

class MLTensor {
  #handle;
  #dataType;
  #shape;
  #flags;
  static { tensorHandle = (value) => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined); }

  constructor(token, [handle, dataType, shape], flags) {
    checkOurs(token);
    this.#handle = handle;
    this.#dataType = dataType;
    this.#shape = Object.freeze(shape);
    this.#flags = flags;
  }
  get dataType() { return this.#dataType; }
  get shape() { return this.#shape; }
  get readable() { return this.#flags.readable; }
  get writable() { return this.#flags.writable; }
  get constant() { return this.#flags.constant; }
  destroy() { native.destroyTensor(this.#handle); }
}

class MLContext {
  #handle;
  #info;
  #lost;
  static { contextHandle = (value) => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : undefined); }

  constructor(token, handle) {
    checkOurs(token);
    this.#handle = handle;
    this.#info = native.contextInfo(handle);
  }

  // ---- The draft

  async compute(graph, inputs, outputs) {
    const handle = this.#handle;
    requireArguments(arguments.length, 3, 'compute', 'MLContext');
    const graphOfCall = handles.graph(graph, 'graph');
    const from = toRecord(inputs, toView, 'input');
    const to = toRecord(outputs, toView, 'output');
    const buffers = await native.compute(handle, graphOfCall, from.names, from.values, to.names, to.values);
    const count = from.values.length;
    return {
      inputs: fromRecord(from.names, from.values.map((view, i) => viewOn(buffers[i], view))),
      outputs: fromRecord(to.names, to.values.map((view, i) => viewOn(buffers[count + i], view))),
    };
  }

  // ---- Later editions

  get accelerated() { return this.#info.accelerated; }

  get lost() {
    const handle = this.#handle;
    this.#lost ??= native.lost(handle);
    return this.#lost;
  }

  async createTensor(descriptor) {
    const handle = this.#handle;
    requireArguments(arguments.length, 1, 'createTensor', 'MLContext');
    const { dictionary, dataType, shape } = toDescriptor(descriptor, this.#info.later);
    const readable = Boolean(dictionary.readable);
    const writable = Boolean(dictionary.writable);
    const tensor = native.createTensor(handle, dataType, shape, readable, writable);
    return new MLTensor(kOurs, tensor, { readable, writable, constant: false });
  }

  async createConstantTensor(descriptor, inputData) {
    const handle = this.#handle;
    requireArguments(arguments.length, 2, 'createConstantTensor', 'MLContext');
    const { dataType, shape } = toDescriptor(descriptor, this.#info.later);
    const tensor = native.createConstantTensor(handle, dataType, shape, toSource(inputData, 'inputData'));
    return new MLTensor(kOurs, tensor, { readable: false, writable: false, constant: true });
  }

  writeTensor(tensor, inputData) {
    const handle = this.#handle;
    requireArguments(arguments.length, 2, 'writeTensor', 'MLContext');
    const [, buffer, offset, length] = toSource(inputData, 'inputData');
    native.writeTensor(handle, handles.tensor(tensor, 'tensor'), [undefined, buffer, offset, length]);
  }

  async readTensor(tensor, outputData) {
    const handle = this.#handle;
    requireArguments(arguments.length, 1, 'readTensor', 'MLContext');
    const tensorOfCall = handles.tensor(tensor, 'tensor');
    if (outputData === undefined) return native.readTensor(handle, tensorOfCall);
    const destination = toDestination(outputData, 'outputData');
    // What is written into is the caller's, who may free it meanwhile: so it is written here, all at once.
    const checkSize = (length) => {
      if (destination.byteLength === length && destination.bytes.length === length) return;
      throw typeError(`outputData needs ${length} bytes, got ${destination.bytes.length}`, 'buffer byte length');
    };
    checkSize(native.tensorByteLength(tensorOfCall));
    const data = await native.readTensor(handle, tensorOfCall);
    checkSize(data.byteLength);
    destination.bytes.set(new Uint8Array(data));
    return undefined;
  }

  dispatch(graph, inputs, outputs) {
    const handle = this.#handle;
    requireArguments(arguments.length, 3, 'dispatch', 'MLContext');
    const graphOfCall = handles.graph(graph, 'graph');
    const from = toRecord(inputs, handles.tensor, 'input');
    const to = toRecord(outputs, handles.tensor, 'output');
    native.dispatch(handle, graphOfCall, from.names, from.values, to.names, to.values);
  }

  opSupportLimits() { return native.opSupportLimits(this.#handle); }

  destroy() { native.destroyContext(this.#handle); }
}

// Stands in for WebGPU's: createContext() of one gives a context of the type "webgpu", which runs on that backend.
class GPUDevice {
  #backend;
  static { GPUDevice.backendOf = (value) => (typeof value === 'object' && value !== null && #backend in value ? value.#backend : undefined); }

  constructor(backend = 'cpu') { this.#backend = toString(backend); }
}
const { backendOf } = GPUDevice;
delete GPUDevice.backendOf;

const kContextMembers = ['accelerated', 'backend', 'device', 'deviceType', 'edition', 'powerPreference', 'threads'];

class ML {
  #defaults;

  constructor(token, defaults) {
    checkOurs(token);
    this.#defaults = defaults;
  }

  async createContext(options = {}) {
    const defaults = this.#defaults;
    const backend = backendOf(options);
    if (backend !== undefined) return new MLContext(kOurs, native.createWebgpuContext(defaults.edition, backend));
    const dictionary = toDictionary(options, 'options');
    const members = { ...defaults };
    for (const name of kContextMembers) {
      const value = dictionary[name];
      if (value !== undefined) members[name] = name === 'accelerated' ? Boolean(value) : name === 'threads' ? toNumber(value) : toString(value);
    }
    // Later editions know no deviceType, and ignore what they do not know.
    if (members.edition === 'later' && !['cpu', 'gpu', 'npu'].includes(members.deviceType)) delete members.deviceType;
    return new MLContext(kOurs, native.createContext(Object.keys(members), Object.values(members)));
  }
}

for (const constructor of [ML, MLContext, MLGraph, MLOperand, MLActivation, MLTensor]) {
  finishInterface(constructor, constructor.name);
}

// A `navigator.ml` whose contexts have other defaults: {edition: 'draft', backend: 'interpreter', threads: 1}.
function createML(defaults = {}) {
  const members = { edition: 'later' };
  for (const name of kContextMembers) if (defaults[name] !== undefined) members[name] = defaults[name];
  return new ML(kOurs, members);
}

module.exports = { ML, MLContext, MLGraph, MLOperand, MLActivation, MLTensor, GPUDevice, createML, handles, kOurs, toDescriptor };
