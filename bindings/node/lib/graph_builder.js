// MLGraphBuilder. Its operators are made from Halo's operator table: each has its operands, then its other arguments,
// then a dictionary of options, and one conversion for each kind of value.
'use strict';

const { native } = require('./native.js');
const { MLOperand, MLActivation, MLGraph, MLTensor, handles, kOurs, toDescriptor } = require('./interfaces.js');
const { finishInterface, isObject, requireArguments, toDictionary, toNumber, toNumberOrBigint, toRecord, toSequence, toSource,
        toString, typeError } = require('./web_idl.js');

const converters = {
  boolean: Boolean,
  integer: toNumber,
  float: toNumber,
  number: toNumberOrBigint,
  string: toString,
  enum: toString,
  numbers: (value, what) => toSequence(value, toNumber, what),
  integerOrList: (value, what) =>
    isObject(value) && value[Symbol.iterator] != null ? toSequence(value, toNumber, what) : toNumber(value),
  operand: handles.operand,
  operands: (value, what) => toSequence(value, handles.operand, what),
  // Objects of the draft, strings of later editions.
  activations: (value, what) => toSequence(
      value, (element) => (element instanceof MLActivation ? handles.activation(element, what) : toString(element)), what),
};

// [names, values] of the members that are given, under the names that they are given by.
function readOptions(options, members) {
  const names = [];
  const values = [];
  const dictionary = toDictionary(options, 'options');
  for (const { name, kind } of members) {
    const value = dictionary[name];
    if (value === undefined) continue;
    names.push(name);
    values.push(converters[kind](value, name));
  }
  return [names, values];
}

// What a method needs to know of its operator's row.
function planOf(row) {
  const operands = row.operands.map(({ name }) => ({ name, kind: row.isVariadic ? 'operands' : 'operand', isOptional: false }));
  const positional = [...operands, ...row.parameters.filter(({ isArgument }) => isArgument)];
  const members = row.parameters.filter(({ isArgument }) => !isArgument)
      .flatMap(({ name, laterName, kind }) => [name, laterName].filter((spelling) => spelling !== '')
          .map((spelling) => ({ name: spelling, kind })))
      // Web IDL reads the members of the inherited dictionary first, each in the order of their names.
      .sort((a, b) => (b.name === 'label') - (a.name === 'label') || (a.name < b.name ? -1 : 1));
  return { positional, members, required: positional.filter(({ isOptional }) => !isOptional).length };
}

class MLGraphBuilder {
  #handle;
  #later;

  constructor(context) {
    requireArguments(arguments.length, 1, 'constructor', 'MLGraphBuilder');
    const handle = handles.context(context, 'context');
    this.#handle = native.createBuilder(handle);
    this.#later = native.contextInfo(handle).later;
  }

  input(name, descriptor) {
    const handle = this.#handle;
    requireArguments(arguments.length, 2, 'input', 'MLGraphBuilder');
    const inputName = toString(name);
    const { dataType, shape } = toDescriptor(descriptor, this.#later);
    return this.#operand(native.input(handle, inputName, dataType, shape));
  }

  // (descriptor, buffer), (data type, number), (constant tensor)
  constant(descriptorOrType, bufferOrValue) {
    const handle = this.#handle;
    requireArguments(arguments.length, descriptorOrType instanceof MLTensor ? 1 : 2, 'constant', 'MLGraphBuilder');
    if (descriptorOrType instanceof MLTensor) {
      return this.#operand(native.tensorConstant(handle, handles.tensor(descriptorOrType, 'tensor')));
    }
    if (!isObject(descriptorOrType) && descriptorOrType != null) {
      const type = toString(descriptorOrType);
      return this.#operand(native.scalarConstant(handle, type, toNumberOrBigint(bufferOrValue)));
    }
    const { dataType, shape } = toDescriptor(descriptorOrType, this.#later);
    return this.#operand(native.constant(handle, dataType, shape, toSource(bufferOrValue, 'bufferView')));
  }

  async build(outputs) {
    const handle = this.#handle;
    requireArguments(arguments.length, 1, 'build', 'MLGraphBuilder');
    const { names, values } = toRecord(outputs, handles.operand, 'output');
    return new MLGraph(kOurs, await native.build(handle, names, values));
  }

  #operand(parts) { return new MLOperand(kOurs, parts, this.#later); }

  #call(row, plan, given) {
    const handle = this.#handle;
    if (row.hasActivationForm && !(given[0] instanceof MLOperand)) {
      const [names, values] = readOptions(given[0], plan.members);
      return new MLActivation(kOurs, native.activation(handle, row.name, names, values));
    }
    requireArguments(given.length, plan.required, row.name, 'MLGraphBuilder');
    const names = [];
    const values = [];
    let next = 0;
    for (const { name, kind, isOptional } of plan.positional) {
      // An argument that only one edition has is left out by giving what comes after it, or nothing.
      if (isOptional && (isObject(given[next]) || (given[next] === undefined && given.length <= next + 1))) continue;
      names.push(name);
      values.push(converters[kind](given[next++], name));
    }
    const [optionNames, options] = readOptions(given[next], plan.members);
    const results = native.callOperator(handle, row.name, names, values, optionNames, options)
        .map((parts) => this.#operand(parts));
    return row.returnsSequence ? results : results[0];
  }

  static {
    for (const row of native.operators()) {
      const plan = planOf(row);
      // A method, not a function: it is not a constructor.
      const { [row.name]: method } = { [row.name](...given) { return this.#call(row, plan, given); } };
      Object.defineProperty(method, 'length', { value: row.hasActivationForm ? 0 : plan.required, configurable: true });
      Object.defineProperty(MLGraphBuilder.prototype, row.name, { value: method, writable: true, configurable: true });
    }
  }
}

finishInterface(MLGraphBuilder, 'MLGraphBuilder');

module.exports = { MLGraphBuilder };
