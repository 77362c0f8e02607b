import type * as webnn from './index.js';

declare global {
  var ML: typeof webnn.ML;
  var MLContext: typeof webnn.MLContext;
  var MLGraphBuilder: typeof webnn.MLGraphBuilder;
  var MLGraph: typeof webnn.MLGraph;
  var MLOperand: typeof webnn.MLOperand;
  var MLActivation: typeof webnn.MLActivation;
  var MLTensor: typeof webnn.MLTensor;
  interface Navigator {
    readonly ml: webnn.ML;
  }
}
