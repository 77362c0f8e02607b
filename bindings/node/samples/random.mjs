// Random numbers that are the same everywhere: mulberry32.
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// `count` numbers from -scale to scale.
export function randomArray(next, count, scale) {
  return Float32Array.from({ length: count }, () => (2 * next() - 1) * scale);
}
