// navigator.ml and the interfaces as globals, as a browser has them.
'use strict';

const { MLGraphBuilder } = require('./graph_builder.js');
const { ML, MLContext, MLGraph, MLOperand, MLActivation, MLTensor, createML } = require('./interfaces.js');

const interfaces = { ML, MLContext, MLGraphBuilder, MLGraph, MLOperand, MLActivation, MLTensor };

// Defines them on `target`; `defaults` as for createML(). Returns navigator.ml.
function install(target = globalThis, defaults = {}) {
  const ml = createML(defaults);
  for (const [name, value] of Object.entries(interfaces)) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
  // Node has a navigator since version 21.
  if (typeof target.navigator !== 'object' || target.navigator === null) {
    Object.defineProperty(target, 'navigator', { value: {}, writable: true, enumerable: true, configurable: true });
  }
  Object.defineProperty(target.navigator, 'ml', { get: () => ml, enumerable: true, configurable: true });
  return ml;
}

module.exports = { install };
