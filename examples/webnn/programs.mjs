// Programs in WebNN's JavaScript, as they are written for a browser. The page runs them on the browser's navigator.ml,
// the script compare.mjs on Halo's, and compares what comes out.
import { createClassifier, makeImage } from '../../bindings/node/samples/image_classifier.mjs';
import { createSuppressor, makeSound } from '../../bindings/node/samples/noise_suppression.mjs';
import { randomArray, randomNumbers } from '../../bindings/node/samples/random.mjs';

const kSequence = 12;
const kWidth = 16;

// One block of a transformer: layer normalization, attention, and a layer with gelu.
async function runTransformerBlock(context) {
  const builder = new MLGraphBuilder(context);
  const next = randomNumbers(5);
  const descriptor = (...shape) => ({ dataType: 'float32', shape, dimensions: shape });
  const matrix = (rows, columns) =>
    builder.constant(descriptor(rows, columns), randomArray(next, rows * columns, 1 / Math.sqrt(rows)));

  const x = builder.input('x', descriptor(kSequence, kWidth));
  const normalized = builder.layerNormalization(x, { axes: [1] });
  const [query, key, value] = [1, 2, 3].map(() => builder.matmul(normalized, matrix(kWidth, kWidth)));
  const scores = builder.div(
      builder.matmul(query, builder.transpose(key)), builder.constant(descriptor(), new Float32Array([Math.sqrt(kWidth)])));
  const attended = builder.add(x, builder.matmul(builder.softmax(scores, 1), value));
  const y = builder.add(attended, builder.matmul(builder.gelu(builder.matmul(attended, matrix(kWidth, 32))), matrix(32, kWidth)));
  const graph = await builder.build({ y });

  const input = await context.createTensor({ ...descriptor(kSequence, kWidth), writable: true });
  const output = await context.createTensor({ ...descriptor(kSequence, kWidth), readable: true });
  context.writeTensor(input, randomArray(next, kSequence * kWidth, 1));
  context.dispatch(graph, { x: input }, { y: output });
  return new Float32Array(await context.readTensor(output));
}

async function runClassifier(context) {
  const classify = await createClassifier(context);
  return classify(makeImage());
}

async function runSuppressor(context) {
  const suppress = await createSuppressor(context, 8);
  const sound = makeSound(8);
  await suppress(sound);
  return suppress(sound);
}

export const programs = {
  'image classifier': runClassifier,
  'noise suppression': runSuppressor,
  'transformer block': runTransformerBlock,
};

// {name: {output: [numbers]} or {error: text}}, by whatever navigator.ml there is.
export async function runAll() {
  const results = {};
  for (const [name, run] of Object.entries(programs)) {
    try {
      const context = await navigator.ml.createContext({ deviceType: 'cpu' });
      results[name] = { output: [...await run(context)] };
    } catch (error) {
      results[name] = { error: String(error) };
    }
  }
  return results;
}
