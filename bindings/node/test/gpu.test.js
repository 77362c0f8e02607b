// Contexts for deviceType 'gpu', where there is a device, and where there is none.
'use strict';

const assert = require('assert');
const test = require('node:test');
const { createML, MLGraphBuilder } = require('../index.js');
const { isDomException } = require('./helpers.js');

async function addsOn(context) {
  const builder = new MLGraphBuilder(context);
  const x = builder.input('x', { dataType: 'float32', dimensions: [2], shape: [2] });
  const graph = await builder.build({ y: builder.add(x, x) });
  const { outputs } = await context.compute(graph, { x: new Float32Array([1, -2]) }, { y: new Float32Array(2) });
  assert.deepStrictEqual([...outputs.y], [2, -4]);
}

const gpuContext = (edition, members) => createML({ edition }).createContext({ deviceType: 'gpu', ...members });

// undefined, once the test is skipped.
async function gpuContextOrSkip(t) {
  try {
    return await gpuContext('draft');
  } catch (error) {
    assert.ok(isDomException('NotSupportedError')(error) && error.message.includes('Vulkan'), error.message);
    return t.skip(error.message);
  }
}

test('a graph runs on a GPU', async (t) => {
  const context = await gpuContextOrSkip(t);
  if (context === undefined) return;
  await addsOn(context);
  await addsOn(await gpuContext('later', { device: 0 }));
  for (const edition of ['draft', 'later']) {
    await assert.rejects(gpuContext(edition, { device: 'nosuch' }), (error) =>
      isDomException('NotSupportedError')(error) && error.message.includes("there is no Vulkan device 'nosuch'"));
  }
});

// Vulkan's loader looks for drivers where this variable says.
test('without a driver there is no GPU, and the later edition takes the processor', async () => {
  process.env.VK_ICD_FILENAMES = '/nonexistent.json';
  await assert.rejects(gpuContext('draft'), (error) => isDomException('NotSupportedError')(error) && error.message.includes('Vulkan'));
  await assert.rejects(gpuContext('later', { device: 0 }), isDomException('NotSupportedError'));
  await addsOn(await gpuContext('later'));
});
