// float16 as raw bits, which Uint16Arrays hold.
'use strict';

const kBits = new DataView(new ArrayBuffer(8));

// Of a double, rounded once, to nearest even.
function toFloat16Bits(number) {
  kBits.setFloat64(0, number);
  const sign = (kBits.getUint16(0) >> 15) << 15;
  const magnitude = Math.abs(number);
  if (Number.isNaN(number)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  // Steps of 2^-24 below the smallest normal number, of 11 significant bits above.
  const exponent = magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude));
  const safe = 2 ** exponent > magnitude ? exponent - 1 : exponent;
  const unit = 2 ** (Math.max(safe, -14) - 10);
  const steps = magnitude / unit;
  const floor = Math.floor(steps);
  const rest = steps - floor;
  const rounded = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  const bias = Math.max(safe, -14) + 14;
  return sign | (bias * 1024 + rounded);
}

function fromFloat16Bits(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

module.exports = { toFloat16Bits, fromFloat16Bits };
