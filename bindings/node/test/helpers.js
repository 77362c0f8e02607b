// What several tests use.
'use strict';

const assert = require('assert');
const { createML, MLGraphBuilder } = require('../index.js');

// Quick to start; what is tested here does not depend on the backend.
const newContext = (options = {}) => createML({ backend: 'interpreter', ...options }).createContext();

const float32 = (...shape) => ({ dataType: 'float32', shape });

// y = relu(x) for float32 of this shape.
async function reluGraph(context, shape = [2]) {
  const builder = new MLGraphBuilder(context);
  return builder.build({ y: builder.relu(builder.input('x', float32(...shape))) });
}

const isTypeError = (error) => error instanceof TypeError;
const isDomException = (name) => (error) => error instanceof DOMException && error.name === name;
const throwsTypeError = (work) => assert.throws(work, isTypeError);
const rejectsWithTypeError = (work) => assert.rejects(work, isTypeError);

module.exports = { float32, isDomException, isTypeError, newContext, rejectsWithTypeError, reluGraph, throwsTypeError };
