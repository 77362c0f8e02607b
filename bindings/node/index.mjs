// The package for import: the same objects as for require().
import webnn from './index.js';

export const {
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
} = webnn;
export default ml;
