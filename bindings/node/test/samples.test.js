// The samples, run as they would in a browser, against their twins in plain JavaScript.
'use strict';

const assert = require('assert');
const test = require('node:test');
const { install } = require('../index.js');

function assertClose(got, want, tolerance) {
  assert.strictEqual(got.length, want.length);
  got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) <= tolerance, `[${i}]: got ${value}, expected ${want[i]}`));
}

for (const backend of ['cpu', 'interpreter']) {
  test(`an image classifier on ${backend}`, async () => {
    const ml = install(globalThis, { backend });
    const { createClassifier, classifyPlainly, makeImage } = await import('../samples/image_classifier.mjs');
    const classify = await createClassifier(await ml.createContext());
    for (const seed of [2, 3, 4]) {
      const image = makeImage(seed);
      const probabilities = await classify(image);
      assertClose(probabilities, classifyPlainly(image), 1e-5);
      assert.ok(Math.max(...probabilities) > 0.2, 'the classes differ');
    }
  });

  test(`a noise suppressor on ${backend}`, async () => {
    const ml = install(globalThis, { backend });
    const { createSuppressor, suppressPlainly, makeSound, kBands } = await import('../samples/noise_suppression.mjs');
    const frames = 5;
    const suppress = await createSuppressor(await ml.createContext(), frames);
    const sound = makeSound(4 * frames);
    const want = suppressPlainly(sound);
    for (let i = 0; i < sound.length; i += frames * kBands) {
      assertClose(await suppress(sound.slice(i, i + frames * kBands)), want.slice(i, i + frames * kBands), 1e-5);
    }
  });
}
