// A small image classifier in the manner of MobileNet: a convolution, two blocks of depthwise and pointwise
// convolutions, a mean over the image, a fully connected layer, softmax. It is written for a browser's navigator.ml and
// runs there and in Node alike. Its weights are random numbers, so what it sees in an image means nothing;
// classifyPlainly() computes the same in plain JavaScript, to compare with.
import { randomNumbers, randomArray } from './random.mjs';

export const kSize = 32;
export const kClasses = 10;

// Channels in and out, stride of the depthwise convolution.
const kStem = { from: 3, to: 8 };
const kBlocks = [{ from: 8, to: 16, stride: 1 }, { from: 16, to: 24, stride: 2 }];

export function makeWeights(seed = 1) {
  const next = randomNumbers(seed);
  // Sums of n products stay around one.
  const layer = (shape, inputs) => ({
    shape,
    filter: randomArray(next, shape.reduce((a, b) => a * b, 1), Math.sqrt(3 / inputs)),
    bias: randomArray(next, shape[0], 0.1),
  });
  return {
    stem: layer([kStem.to, kStem.from, 3, 3], kStem.from * 9),
    blocks: kBlocks.map(({ from, to }) => ({ depthwise: layer([from, 1, 3, 3], 9), pointwise: layer([to, from, 1, 1], from) })),
    dense: layer([kClasses, kBlocks.at(-1).to], kBlocks.at(-1).to / 200),
  };
}

export const makeImage = (seed = 2) => randomArray(randomNumbers(seed), 3 * kSize * kSize, 1);

// ---- With WebNN

export async function createClassifier(context, weights = makeWeights()) {
  const builder = new MLGraphBuilder(context);
  const constant = (shape, data) => builder.constant({ dataType: 'float32', shape, dimensions: shape }, data);
  const convolve = (x, { shape, filter, bias }, options) => {
    const y = builder.conv2d(x, constant(shape, filter), { bias: constant([shape[0]], bias), ...options });
    return builder.clamp(y, { minValue: 0, maxValue: 6 });
  };

  const imageShape = [1, 3, kSize, kSize];
  const image = builder.input('image', { dataType: 'float32', shape: imageShape, dimensions: imageShape });
  let x = convolve(image, weights.stem, { padding: [1, 1, 1, 1], strides: [2, 2] });
  kBlocks.forEach(({ from, stride }, i) => {
    x = convolve(x, weights.blocks[i].depthwise, { padding: [1, 1, 1, 1], strides: [stride, stride], groups: from });
    x = convolve(x, weights.blocks[i].pointwise, {});
  });
  x = builder.reshape(builder.averagePool2d(x), [1, kBlocks.at(-1).to]);
  const { shape, filter, bias } = weights.dense;
  const logits = builder.gemm(x, constant(shape, filter), { c: constant([kClasses], bias), bTranspose: true });
  const graph = await builder.build({ probabilities: builder.softmax(logits, 1) });

  const input = await context.createTensor({ dataType: 'float32', shape: imageShape, writable: true });
  const output = await context.createTensor({ dataType: 'float32', shape: [1, kClasses], readable: true });
  return async (pixels) => {
    context.writeTensor(input, pixels);
    context.dispatch(graph, { image: input }, { probabilities: output });
    return new Float32Array(await context.readTensor(output));
  };
}

// ---- In plain JavaScript

// Planes of `size` x `size`, one for each channel, with a border of one zero.
function convolvePlainly({ planes, size }, { shape: [to, fromOfGroup, kernel], filter, bias }, stride, groups) {
  const pad = (kernel - 1) / 2;
  const outSize = Math.floor((size - 1) / stride) + 1;
  const result = [];
  for (let o = 0; o < to; ++o) {
    const plane = new Float64Array(outSize * outSize);
    const first = Math.floor(o / (to / groups)) * fromOfGroup;
    for (let y = 0; y < outSize; ++y) {
      for (let x = 0; x < outSize; ++x) {
        let sum = bias[o];
        for (let i = 0; i < fromOfGroup; ++i) {
          for (let ky = 0; ky < kernel; ++ky) {
            for (let kx = 0; kx < kernel; ++kx) {
              const [row, column] = [y * stride + ky - pad, x * stride + kx - pad];
              if (row < 0 || column < 0 || row >= size || column >= size) continue;
              sum += planes[first + i][row * size + column] * filter[((o * fromOfGroup + i) * kernel + ky) * kernel + kx];
            }
          }
        }
        plane[y * outSize + x] = Math.min(Math.max(sum, 0), 6);
      }
    }
    result.push(plane);
  }
  return { planes: result, size: outSize };
}

export function classifyPlainly(pixels, weights = makeWeights()) {
  const area = kSize * kSize;
  let x = { planes: [0, 1, 2].map((c) => pixels.subarray(c * area, (c + 1) * area)), size: kSize };
  x = convolvePlainly(x, weights.stem, 2, 1);
  kBlocks.forEach(({ from, stride }, i) => {
    x = convolvePlainly(x, weights.blocks[i].depthwise, stride, from);
    x = convolvePlainly(x, weights.blocks[i].pointwise, 1, 1);
  });
  const means = x.planes.map((plane) => plane.reduce((a, b) => a + b, 0) / plane.length);
  const { filter, bias } = weights.dense;
  const logits = Array.from({ length: kClasses }, (_, k) =>
    means.reduce((sum, mean, i) => sum + mean * filter[k * means.length + i], bias[k]));
  const top = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - top));
  const total = powers.reduce((a, b) => a + b, 0);
  return Float32Array.from(powers, (power) => power / total);
}
