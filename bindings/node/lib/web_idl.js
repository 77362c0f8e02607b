// Web IDL's conversions from what a program passes to what the native half takes: plain numbers, strings, booleans,
// flat lists. Ranges of integers, the rounding of floats and the strings of enumerations are checked there, by the
// rules that all of Halo's frontends share; here is what needs JavaScript: iterating, calling getters and valueOf().
//
// The engine's own functions are taken when this file is loaded, so a program that replaces them later only hurts
// itself.
'use strict';

const { makeError } = require('./native.js');

const typeError = (message, rule = 'type of argument') => makeError('TypeError', message, rule);

// More elements than any list in a WebNN graph has; a hostile iterable may go on for ever.
const kMaxSequenceLength = 1 << 20;

const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
const getterOf = (prototype, name) => {
  const { get } = getOwnPropertyDescriptor(prototype, name);
  return (object) => apply(get, object, []);
};

// ---- Numbers, strings

// ToNumber. Throws a TypeError for symbols and bigints.
const toNumber = (value) => +value;
const toNumberOrBigint = (value) => {
  if (typeof value !== 'bigint') return +value;
  // The native half takes 64 bits; what is beyond them is beyond every integer type.
  return BigInt.asIntN(64, value) === value || BigInt.asUintN(64, value) === value ? value : Number(value);
};
const toString = (value) => `${value}`;

// ---- Lists, dictionaries, records

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

function toSequence(value, convert, what) {
  const method = isObject(value) ? value[Symbol.iterator] : undefined;
  if (typeof method !== 'function') throw typeError(`${what} must be a list`, `type of ${what}`);
  const iterator = apply(method, value, []);
  if (!isObject(iterator)) throw typeError(`${what} must be a list`, `type of ${what}`);
  const next = iterator.next;
  const result = [];
  for (;;) {
    const step = apply(next, iterator, []);
    if (!isObject(step)) throw typeError(`${what} must be a list`, `type of ${what}`);
    if (step.done) return result;
    if (result.length === kMaxSequenceLength) throw typeError(`${what} has too many elements`, `type of ${what}`);
    result[result.length] = convert(step.value, what);
  }
}

// The dictionary as an object whose members may be read, in any case.
function toDictionary(value, what) {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw typeError(`${what} must be an object`, `type of ${what}`);
  return value;
}

// record<USVString, T>: {names, values}, in the order of the object.
function toRecord(value, convert, what) {
  if (!isObject(value)) throw typeError(`${what} must be an object`, `type of ${what}`);
  const names = [];
  const values = [];
  for (const key of ownKeys(value)) {
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    const name = toString(key);
    names[names.length] = name;
    values[values.length] = convert(value[key], `${what} '${name}'`);
  }
  return { names, values };
}

// The way back. The names may be any, "__proto__" too.
function fromRecord(names, values) {
  const result = {};
  names.forEach((name, i) => defineProperty(
      result, name, { value: values[i], writable: true, enumerable: true, configurable: true }));
  return result;
}

// ---- Buffers

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
// undefined for what is not a typed array, whatever it says of itself.
const typedArrayName = getterOf(typedArrayPrototype, Symbol.toStringTag);
const typedArray = {
  buffer: getterOf(typedArrayPrototype, 'buffer'),
  byteOffset: getterOf(typedArrayPrototype, 'byteOffset'),
  byteLength: getterOf(typedArrayPrototype, 'byteLength'),
  length: getterOf(typedArrayPrototype, 'length'),
};
const dataView = {
  buffer: getterOf(DataView.prototype, 'buffer'),
  byteOffset: getterOf(DataView.prototype, 'byteOffset'),
  byteLength: getterOf(DataView.prototype, 'byteLength'),
};
const arrayBufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const arrayBufferResizable = 'resizable' in ArrayBuffer.prototype ? getterOf(ArrayBuffer.prototype, 'resizable') : () => false;
const sharedBufferLength = getterOf(SharedArrayBuffer.prototype, 'byteLength');
const isDataView = (value) => ArrayBuffer.isView(value) && typedArrayName(value) === undefined;
const answers = (getter, value) => {
  try {
    getter(value);
    return true;
  } catch {
    return false;
  }
};
const isArrayBuffer = (value) => isObject(value) && answers(arrayBufferLength, value);
const isSharedBuffer = (value) => isObject(value) && answers(sharedBufferLength, value);

const { Uint8Array: Bytes } = globalThis;
const constructors = {};
for (const name of ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
                    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array', 'DataView']) {
  constructors[name] = globalThis[name];
}

// A view as [type, buffer, byteOffset, byteLength], which is what the native half takes.
function describeView(value) {
  if (isDataView(value)) {
    // A detached one throws a TypeError.
    return ['DataView', dataView.buffer(value), dataView.byteOffset(value), dataView.byteLength(value)];
  }
  return [typedArrayName(value), typedArray.buffer(value), typedArray.byteOffset(value), typedArray.byteLength(value)];
}

// ArrayBufferView, neither shared nor resizable.
function toView(value, what) {
  if (!ArrayBuffer.isView(value)) throw typeError(`${what} must be an ArrayBufferView`, `type of ${what}`);
  const view = describeView(value);
  if (!isArrayBuffer(view[1])) throw typeError(`${what} must not be on shared memory`, 'buffer cannot be transferred');
  if (arrayBufferResizable(view[1])) throw typeError(`${what} must not be resizable`, 'buffer cannot be transferred');
  return view;
}

// [AllowShared] BufferSource, to be read at once. Without type (undefined) if it is a buffer and no view.
function toSource(value, what) {
  let source;
  if (ArrayBuffer.isView(value)) {
    source = describeView(value);
  } else if (isArrayBuffer(value)) {
    source = [undefined, value, 0, arrayBufferLength(value)];
  } else if (isSharedBuffer(value)) {
    source = [undefined, value, 0, sharedBufferLength(value)];
  } else {
    throw typeError(`${what} must be an ArrayBuffer or a view of one`, `type of ${what}`);
  }
  if (isArrayBuffer(source[1])) return source;
  // The native half does not see shared memory.
  const copy = new Bytes(source[3]);
  copy.set(new Bytes(source[1], source[2], source[3]));
  return [source[0], copy.buffer, 0, source[3]];
}

// Where bytes are to be written to: a view of them, and whether it is still there.
function toDestination(value, what) {
  const [, buffer, offset, length] = ArrayBuffer.isView(value) ? describeView(value)
      : isArrayBuffer(value) || isSharedBuffer(value) ? [undefined, value, 0, value.byteLength]
      : (() => { throw typeError(`${what} must be an ArrayBuffer or a view of one`, `type of ${what}`); })();
  return { byteLength: length, bytes: new Bytes(buffer, offset, length) };
}

// A view like the described one, on another buffer.
function viewOn(buffer, [type, , offset, length]) {
  const View = constructors[type];
  return new View(buffer, offset, type === 'DataView' ? length : length / View.BYTES_PER_ELEMENT);
}

// ---- Interfaces

// Gives the class the look of a browser's interface: enumerable members, a tag.
function finishInterface(constructor, name) {
  for (const object of [constructor.prototype]) {
    for (const key of ownKeys(object)) {
      if (key === 'constructor' || typeof key === 'symbol') continue;
      defineProperty(object, key, { ...getOwnPropertyDescriptor(object, key), enumerable: true });
    }
  }
  defineProperty(constructor.prototype, Symbol.toStringTag, { value: name, configurable: true });
  defineProperty(constructor, 'prototype', { writable: false });
}

function requireArguments(given, wanted, method, name) {
  if (given >= wanted) return;
  throw typeError(`Failed to execute '${method}' on '${name}': ${wanted} argument${wanted === 1 ? '' : 's'} required, ` +
                  `but only ${given} present.`, 'missing argument');
}

module.exports = {
  finishInterface,
  fromRecord,
  isObject,
  requireArguments,
  toDestination,
  toDictionary,
  toNumber,
  toNumberOrBigint,
  toRecord,
  toSequence,
  toSource,
  toString,
  toView,
  typeError,
  viewOn,
};
