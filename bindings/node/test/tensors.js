// Tensors of the corpus's JSON as typed arrays, and comparing them.
'use strict';

const { toFloat16Bits, fromFloat16Bits } = require('./float16.js');

const kArrays = {
  float32: Float32Array,
  float16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int4: Int8Array,
  uint4: Uint8Array,
};
const isPacked = (dtype) => dtype === 'int4' || dtype === 'uint4';
const countOf = (shape) => shape.reduce((product, size) => product * size, 1);

// "NaN", "Infinity", "-0" are strings; 64-bit integers are strings, too.
function toElement(value, dtype) {
  if (dtype === 'int64' || dtype === 'uint64') return BigInt(value);
  return dtype === 'float16' ? toFloat16Bits(Number(value)) : Number(value);
}

function elementsOf(tensor) {
  if (tensor.data !== undefined) return tensor.data;
  return new Array(countOf(tensor.shape)).fill(tensor.fill ?? 0);
}

// Zeros for a tensor.
function zeros(dtype, shape) {
  const count = countOf(shape);
  return new kArrays[dtype](isPacked(dtype) ? Math.ceil(count / 2) : count);
}

function toTypedArray(tensor) {
  const array = zeros(tensor.dtype, tensor.shape);
  elementsOf(tensor).forEach((value, i) => {
    const element = toElement(value, tensor.dtype);
    if (isPacked(tensor.dtype)) {
      array[i >> 1] |= (element & 15) << (4 * (i & 1));
    } else {
      array[i] = element;
    }
  });
  return array;
}

function elementAt(array, dtype, i) {
  if (!isPacked(dtype)) return array[i];
  const nibble = (array[i >> 1] >> (4 * (i & 1))) & 15;
  return dtype === 'int4' && nibble > 7 ? nibble - 16 : nibble;
}

// ---- Comparing

const kFloatBits = new DataView(new ArrayBuffer(4));
const ordered = (bits, sign) => (bits & sign ? -(bits & (sign - 1)) : bits);
function orderedFloat32(value) {
  kFloatBits.setFloat32(0, value);
  const bits = kFloatBits.getUint32(0);
  return bits >= 0x80000000 ? -(bits - 0x80000000) : bits;
}

// How far apart two elements are by the metric; Infinity for a NaN and a number.
function distance(got, want, dtype, metric) {
  if (dtype !== 'float32' && dtype !== 'float16') return Math.abs(Number(got - want));
  const numbers = dtype === 'float16' ? [fromFloat16Bits(got), fromFloat16Bits(want)] : [got, want];
  if (numbers.some(Number.isNaN)) return numbers.every(Number.isNaN) ? 0 : Infinity;
  if (metric === 'ATOL') return numbers[0] === numbers[1] ? 0 : Math.abs(numbers[0] - numbers[1]);
  return dtype === 'float16' ? Math.abs(ordered(got, 0x8000) - ordered(want, 0x8000))
      : Math.abs(orderedFloat32(got) - orderedFloat32(want));
}

// Throws with the first element that is too far from what is expected.
function checkTensor(name, got, expected, { metric, value: limit }) {
  const want = toTypedArray(expected);
  if (got.length !== want.length) throw new Error(`${name}: ${got.length} elements, expected ${want.length}`);
  for (let i = 0; i < countOf(expected.shape); ++i) {
    const [a, b] = [elementAt(got, expected.dtype, i), elementAt(want, expected.dtype, i)];
    const apart = distance(a, b, expected.dtype, metric);
    if (!(apart <= limit)) throw new Error(`${name}[${i}]: got ${a}, expected ${b}: ${apart} ${metric}, allowed ${limit}`);
  }
}

module.exports = { checkTensor, kArrays, toTypedArray, zeros };
