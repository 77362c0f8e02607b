// The package for require(). All that it exports are the names that a browser has as globals, navigator.ml as
// `default`, and install().
'use strict';

const { ML, MLContext, MLGraph, MLOperand, MLActivation, MLTensor, GPUDevice, createML } = require('./lib/interfaces.js');
const { MLGraphBuilder } = require('./lib/graph_builder.js');
const { install } = require('./lib/install.js');

const ml = createML();

module.exports = {
  default: ml,
  ml,
  ML,
  MLContext,
  MLGraphBuilder,
  MLGraph,
  MLOperand,
  MLActivation,
  MLTensor,
  GPUDevice,
  createML,
  install,
};
