// Noise suppression in the manner of RNNoise: for each frame of sound the energies of 22 bands go through a dense
// layer, a GRU that remembers what noise sounded like, and a dense layer that gives a gain for each band. Written for a
// browser's navigator.ml; runs there and in Node alike. The weights are random numbers; suppressPlainly() computes the
// same in plain JavaScript, to compare with.
import { randomNumbers, randomArray } from './random.mjs';

export const kBands = 22;
const kHidden = 24;

export function makeWeights(seed = 3) {
  const next = randomNumbers(seed);
  const matrix = (rows, columns) => randomArray(next, rows * columns, 1 / Math.sqrt(columns));
  return {
    dense: matrix(kHidden, kBands),
    denseBias: randomArray(next, kHidden, 0.1),
    weight: matrix(3 * kHidden, kHidden),
    recurrentWeight: matrix(3 * kHidden, kHidden),
    bias: randomArray(next, 3 * kHidden, 0.1),
    recurrentBias: randomArray(next, 3 * kHidden, 0.1),
    gains: matrix(kBands, kHidden),
    gainsBias: randomArray(next, kBands, 0.1),
  };
}

// Frames of band energies, one after the other.
export const makeSound = (frames, seed = 4) => randomArray(randomNumbers(seed), frames * kBands, 2);

// ---- With WebNN

// A function from a number of frames to their gains, which remembers the frames that came before.
export async function createSuppressor(context, frames, weights = makeWeights()) {
  const builder = new MLGraphBuilder(context);
  const descriptor = (shape) => ({ dataType: 'float32', shape, dimensions: shape });
  const constant = (shape, data) => builder.constant(descriptor(shape), data);
  const dense = (x, rows, columns, matrix, bias) =>
    builder.gemm(x, constant([rows, columns], matrix), { c: constant([rows], bias), bTranspose: true });

  const bands = builder.input('bands', descriptor([frames, kBands]));
  const state = builder.input('state', descriptor([1, 1, kHidden]));
  const features = builder.tanh(dense(bands, kHidden, kBands, weights.dense, weights.denseBias));
  const [last, all] = builder.gru(
      builder.reshape(features, [frames, 1, kHidden]), constant([1, 3 * kHidden, kHidden], weights.weight),
      constant([1, 3 * kHidden, kHidden], weights.recurrentWeight), frames, kHidden, {
        bias: constant([1, 3 * kHidden], weights.bias),
        recurrentBias: constant([1, 3 * kHidden], weights.recurrentBias),
        initialHiddenState: state,
        resetAfter: true,
        returnSequence: true,
        layout: 'zrn',
      });
  const gains = builder.sigmoid(
      dense(builder.reshape(all, [frames, kHidden]), kBands, kHidden, weights.gains, weights.gainsBias));
  const graph = await builder.build({ gains, newState: last });

  const tensor = (shape, options) => context.createTensor({ ...descriptor(shape), ...options });
  const input = await tensor([frames, kBands], { writable: true });
  const output = await tensor([frames, kBands], { readable: true });
  let before = await tensor([1, 1, kHidden], { writable: true });
  let after = await tensor([1, 1, kHidden], {});
  context.writeTensor(before, new Float32Array(kHidden));
  return async (sound) => {
    context.writeTensor(input, sound);
    context.dispatch(graph, { bands: input, state: before }, { gains: output, newState: after });
    [before, after] = [after, before];
    return new Float32Array(await context.readTensor(output));
  };
}

// ---- In plain JavaScript

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
// Row `row` of a matrix times a vector, plus a bias.
const rowTimes = (matrix, row, vector, bias) =>
  vector.reduce((sum, value, i) => sum + value * matrix[row * vector.length + i], bias[row]);

export function suppressPlainly(sound, weights = makeWeights()) {
  let state = new Array(kHidden).fill(0);
  const result = [];
  for (let frame = 0; frame < sound.length / kBands; ++frame) {
    const bands = Array.from(sound.subarray(frame * kBands, (frame + 1) * kBands));
    const features = state.map((_, i) => Math.tanh(rowTimes(weights.dense, i, bands, weights.denseBias)));
    state = state.map((old, i) => {
      const [x, h] = [0, 1, 2].map((gate) => gate * kHidden + i).reduce(([xs, hs], row) => [
        [...xs, rowTimes(weights.weight, row, features, weights.bias)],
        [...hs, rowTimes(weights.recurrentWeight, row, state, weights.recurrentBias)],
      ], [[], []]);
      const [update, reset] = [sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])];
      return update * old + (1 - update) * Math.tanh(x[2] + reset * h[2]);
    });
    for (let band = 0; band < kBands; ++band) result.push(sigmoid(rowTimes(weights.gains, band, state, weights.gainsBias)));
  }
  return Float32Array.from(result);
}
