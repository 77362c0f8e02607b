// @halo/webnn: WebNN for Node.js. Written by types/generate.js from the operator table; do not edit.
//
// Two editions side by side: the editor's draft of June 2024 (compute(), MLActivation, operand.dataType()) and later
// ones (MLTensor, dispatch(), operand.dataType). See README.md.

export type MLEdition = 'draft' | 'later';
export type MLDeviceType = 'cpu' | 'gpu' | 'npu';
export type MLPowerPreference = 'default' | 'high-performance' | 'low-power';
export type MLRecurrentNetworkActivation = 'relu' | 'sigmoid' | 'tanh';
export type MLNumber = number | bigint;
export type MLConv2dFilterOperandLayout = 'oihw' | 'hwio' | 'ohwi' | 'ihwo';
export type MLConvTranspose2dFilterOperandLayout = 'iohw' | 'hwoi' | 'ohwi';
export type MLGruWeightLayout = 'zrn' | 'rzn';
export type MLInputOperandLayout = 'nchw' | 'nhwc';
export type MLInterpolationMode = 'nearest-neighbor' | 'linear';
export type MLLstmWeightLayout = 'iofg' | 'ifgo';
export type MLOperandDataType = 'float32' | 'float16' | 'int32' | 'uint32' | 'int64' | 'uint64' | 'int8' | 'uint8' | 'int4' | 'uint4';
export type MLPaddingMode = 'constant' | 'edge' | 'reflection' | 'symmetric';
export type MLRecurrentNetworkDirection = 'forward' | 'backward' | 'both';
export type MLRoundingType = 'floor' | 'ceil';

/** The typed array of a data type: Uint16Array with raw bits stands in for Float16Array. */
export type MLArrayBufferView = ArrayBufferView;
export type MLNamedArrayBufferViews = Record<string, MLArrayBufferView>;
export type MLNamedOperands = Record<string, MLOperand>;
export type MLNamedTensors = Record<string, MLTensor>;

export interface MLContextOptions {
  /** Default: "cpu". */
  deviceType?: MLDeviceType;
  /** Default: "default". */
  powerPreference?: MLPowerPreference;
  /** Later editions. Default: true. */
  accelerated?: boolean;
  /** Not of WebNN: whose rules hold where editions contradict each other. Default: "later". */
  edition?: MLEdition;
  /** Not of WebNN: "cpu", "vulkan" or "interpreter". Default: what suits deviceType. */
  backend?: string;
  /** Not of WebNN: the device of "vulkan", by its number or a part of its name. Default: the first. */
  device?: string;
  /** Not of WebNN: threads that share the work of one execution; 0: one for each CPU. */
  threads?: number;
}

export interface MLOperandDescriptor {
  dataType: MLOperandDataType;
  /** Later editions. */
  shape?: Iterable<number>;
  /** The draft's name of the shape. Default: []. */
  dimensions?: Iterable<number>;
}

export interface MLTensorDescriptor extends MLOperandDescriptor {
  /** Default: false. */
  readable?: boolean;
  /** Default: false. */
  writable?: boolean;
}

export interface MLComputeResult {
  inputs: MLNamedArrayBufferViews;
  outputs: MLNamedArrayBufferViews;
}

export interface MLContextLostInfo {
  message: string;
}

export interface MLRankRange {
  min: number;
  max: number;
}

export interface MLTensorLimits {
  dataTypes: MLOperandDataType[];
  rankRange: MLRankRange;
}

export type MLOperatorName =
'abs' | 'add' | 'argMax' | 'argMin' | 'averagePool2d' | 'batchNormalization' | 'cast' | 'ceil' | 'clamp' | 'concat' | 'conv2d' | 'convTranspose2d' | 'cos' | 'cumulativeSum' | 'dequantizeLinear' | 'div' | 'elu' | 'equal' | 'erf' | 'exp' | 'expand' | 'floor' | 'gather' | 'gatherElements' | 'gatherND' | 'gelu' | 'gemm' | 'greater' | 'greaterOrEqual' | 'gru' | 'gruCell' | 'hardSigmoid' | 'hardSwish' | 'identity' | 'instanceNormalization' | 'isInfinite' | 'isNaN' | 'l2Pool2d' | 'layerNormalization' | 'leakyRelu' | 'lesser' | 'lesserOrEqual' | 'linear' | 'log' | 'logicalAnd' | 'logicalNot' | 'logicalOr' | 'logicalXor' | 'lstm' | 'lstmCell' | 'matmul' | 'max' | 'maxPool2d' | 'min' | 'mul' | 'neg' | 'notEqual' | 'pad' | 'pow' | 'prelu' | 'quantizeLinear' | 'reciprocal' | 'reduceL1' | 'reduceL2' | 'reduceLogSum' | 'reduceLogSumExp' | 'reduceMax' | 'reduceMean' | 'reduceMin' | 'reduceProduct' | 'reduceSum' | 'reduceSumSquare' | 'relu' | 'resample2d' | 'reshape' | 'reverse' | 'roundEven' | 'scatterElements' | 'scatterND' | 'sigmoid' | 'sign' | 'sin' | 'slice' | 'softmax' | 'softplus' | 'softsign' | 'split' | 'sqrt' | 'sub' | 'tan' | 'tanh' | 'tile' | 'transpose' | 'triangular' | 'where'
;

export interface MLOpSupportLimitsBase {
  preferredInputLayout: MLInputOperandLayout;
  maxTensorByteLength: number;
  input: MLTensorLimits;
  constant: MLTensorLimits;
  output: MLTensorLimits;
}

export type MLOpSupportLimits = MLOpSupportLimitsBase & Record<MLOperatorName, Record<string, MLTensorLimits>>;

export interface MLOperatorOptions {
  /** Later editions: stands in messages about this operator. */
  label?: string;
}

export interface MLArgMinMaxOptions extends MLOperatorOptions {
  axes?: Iterable<number>;
  /** Default: false. */
  keepDimensions?: boolean;
  /** Default: false. */
  selectLastIndex?: boolean;
  /** Later editions. */
  outputDataType?: MLOperandDataType;
}

export interface MLBatchNormalizationOptions extends MLOperatorOptions {
  scale?: MLOperand;
  bias?: MLOperand;
  /** Default: 1. */
  axis?: number;
  /** Default: 0.00001. */
  epsilon?: number;
}

export interface MLClampOptions extends MLOperatorOptions {
  minValue?: MLNumber;
  maxValue?: MLNumber;
}

export interface MLConv2dOptions extends MLOperatorOptions {
  padding?: Iterable<number>;
  strides?: Iterable<number>;
  dilations?: Iterable<number>;
  /** Default: 1. */
  groups?: number;
  /** Default: "nchw". */
  inputLayout?: MLInputOperandLayout;
  /** Default: "oihw". */
  filterLayout?: MLConv2dFilterOperandLayout;
  bias?: MLOperand;
}

export interface MLConvTranspose2dOptions extends MLOperatorOptions {
  padding?: Iterable<number>;
  strides?: Iterable<number>;
  dilations?: Iterable<number>;
  outputPadding?: Iterable<number>;
  outputSizes?: Iterable<number>;
  /** Default: 1. */
  groups?: number;
  /** Default: "nchw". */
  inputLayout?: MLInputOperandLayout;
  /** Default: "iohw". */
  filterLayout?: MLConvTranspose2dFilterOperandLayout;
  bias?: MLOperand;
}

export interface MLCumulativeSumOptions extends MLOperatorOptions {
  /** Default: false. */
  exclusive?: boolean;
  /** Default: false. */
  reversed?: boolean;
}

export interface MLEluOptions extends MLOperatorOptions {
  /** Default: 1. */
  alpha?: number;
}

export interface MLGatherOptions extends MLOperatorOptions {
  /** Default: 0. */
  axis?: number;
}

export interface MLGemmOptions extends MLOperatorOptions {
  c?: MLOperand;
  /** Default: 1. */
  alpha?: number;
  /** Default: 1. */
  beta?: number;
  /** Default: false. */
  aTranspose?: boolean;
  /** Default: false. */
  bTranspose?: boolean;
}

export interface MLGruCellOptions extends MLOperatorOptions {
  bias?: MLOperand;
  recurrentBias?: MLOperand;
  /** Default: true. */
  resetAfter?: boolean;
  /** Default: "zrn". */
  layout?: MLGruWeightLayout;
  activations?: Iterable<MLActivation | MLRecurrentNetworkActivation>;
}

export interface MLGruOptions extends MLOperatorOptions {
  bias?: MLOperand;
  recurrentBias?: MLOperand;
  initialHiddenState?: MLOperand;
  /** Default: true. */
  resetAfter?: boolean;
  /** Default: false. */
  returnSequence?: boolean;
  /** Default: "forward". */
  direction?: MLRecurrentNetworkDirection;
  /** Default: "zrn". */
  layout?: MLGruWeightLayout;
  activations?: Iterable<MLActivation | MLRecurrentNetworkActivation>;
}

export interface MLHardSigmoidOptions extends MLOperatorOptions {
  /** Default: 0.2. */
  alpha?: number;
  /** Default: 0.5. */
  beta?: number;
}

export interface MLInstanceNormalizationOptions extends MLOperatorOptions {
  scale?: MLOperand;
  bias?: MLOperand;
  /** Default: 0.00001. */
  epsilon?: number;
  /** Default: "nchw". */
  layout?: MLInputOperandLayout;
}

export interface MLLayerNormalizationOptions extends MLOperatorOptions {
  scale?: MLOperand;
  bias?: MLOperand;
  axes?: Iterable<number>;
  /** Default: 0.00001. */
  epsilon?: number;
}

export interface MLLeakyReluOptions extends MLOperatorOptions {
  /** Default: 0.01. */
  alpha?: number;
}

export interface MLLinearOptions extends MLOperatorOptions {
  /** Default: 1. */
  alpha?: number;
  /** Default: 0. */
  beta?: number;
}

export interface MLLstmCellOptions extends MLOperatorOptions {
  bias?: MLOperand;
  recurrentBias?: MLOperand;
  peepholeWeight?: MLOperand;
  /** Default: "iofg". */
  layout?: MLLstmWeightLayout;
  activations?: Iterable<MLActivation | MLRecurrentNetworkActivation>;
}

export interface MLLstmOptions extends MLOperatorOptions {
  bias?: MLOperand;
  recurrentBias?: MLOperand;
  peepholeWeight?: MLOperand;
  initialHiddenState?: MLOperand;
  initialCellState?: MLOperand;
  /** Default: false. */
  returnSequence?: boolean;
  /** Default: "forward". */
  direction?: MLRecurrentNetworkDirection;
  /** Default: "iofg". */
  layout?: MLLstmWeightLayout;
  activations?: Iterable<MLActivation | MLRecurrentNetworkActivation>;
}

export interface MLPadOptions extends MLOperatorOptions {
  /** Default: "constant". */
  mode?: MLPaddingMode;
  /** Default: 0. */
  value?: MLNumber;
}

export interface MLPool2dOptions extends MLOperatorOptions {
  windowDimensions?: Iterable<number>;
  padding?: Iterable<number>;
  strides?: Iterable<number>;
  dilations?: Iterable<number>;
  /** Default: "nchw". */
  layout?: MLInputOperandLayout;
  /** Default: "floor". */
  roundingType?: MLRoundingType;
  /** `roundingType`, as later editions call it. */
  outputShapeRounding?: MLRoundingType;
  outputSizes?: Iterable<number>;
}

export interface MLReduceOptions extends MLOperatorOptions {
  axes?: Iterable<number>;
  /** Default: false. */
  keepDimensions?: boolean;
}

export interface MLResample2dOptions extends MLOperatorOptions {
  /** Default: "nearest-neighbor". */
  mode?: MLInterpolationMode;
  scales?: Iterable<number>;
  sizes?: Iterable<number>;
  axes?: Iterable<number>;
}

export interface MLReverseOptions extends MLOperatorOptions {
  axes?: Iterable<number>;
}

export interface MLScatterOptions extends MLOperatorOptions {
  /** Default: 0. */
  axis?: number;
}

export interface MLSliceOptions extends MLOperatorOptions {
  /** Later editions. */
  strides?: Iterable<number>;
}

export interface MLSplitOptions extends MLOperatorOptions {
  /** Default: 0. */
  axis?: number;
}

export interface MLTransposeOptions extends MLOperatorOptions {
  permutation?: Iterable<number>;
}

export interface MLTriangularOptions extends MLOperatorOptions {
  /** Default: true. */
  upper?: boolean;
  /** Default: 0. */
  diagonal?: number;
}

/** navigator.ml */
export class ML {
  private constructor();
  /** Rejects with NotSupportedError if there is no such device, SecurityError if it is not allowed. */
  createContext(options?: MLContextOptions): Promise<MLContext>;
  createContext(device: GPUDevice): Promise<MLContext>;
}

export class MLContext {
  private constructor();

  /** The draft: runs a graph. The buffers of all views are detached; the result has views on the same memory. */
  compute(graph: MLGraph, inputs: MLNamedArrayBufferViews, outputs: MLNamedArrayBufferViews): Promise<MLComputeResult>;

  // ---- Later editions

  readonly accelerated: boolean;
  readonly lost: Promise<MLContextLostInfo>;
  createTensor(descriptor: MLTensorDescriptor): Promise<MLTensor>;
  createConstantTensor(descriptor: MLOperandDescriptor, inputData: ArrayBufferLike | ArrayBufferView): Promise<MLTensor>;
  writeTensor(tensor: MLTensor, inputData: ArrayBufferLike | ArrayBufferView): void;
  readTensor(tensor: MLTensor): Promise<ArrayBuffer>;
  readTensor(tensor: MLTensor, outputData: ArrayBufferLike | ArrayBufferView): Promise<undefined>;
  dispatch(graph: MLGraph, inputs: MLNamedTensors, outputs: MLNamedTensors): void;
  opSupportLimits(): MLOpSupportLimits;
  destroy(): void;
}

export class MLGraph {
  private constructor();
  /** Later editions. */
  destroy(): void;
}

export class MLTensor {
  private constructor();
  readonly dataType: MLOperandDataType;
  readonly shape: readonly number[];
  readonly readable: boolean;
  readonly writable: boolean;
  readonly constant: boolean;
  destroy(): void;
}

export class MLOperand {
  private constructor();
  /** An attribute in later editions, a method in the draft. */
  readonly dataType: MLOperandDataType & (() => MLOperandDataType);
  /** An attribute in later editions, a method in the draft. */
  readonly shape: readonly number[] & (() => number[]);
}

/** The draft: an activation function for gru, gruCell, lstm and lstmCell. */
export class MLActivation {
  private constructor();
  private readonly isActivation: true;
}

/** Errors are TypeErrors, thrown by the call that breaks a rule; `rule` of the error names it. */
export class MLGraphBuilder {
  constructor(context: MLContext);
  input(name: string, descriptor: MLOperandDescriptor): MLOperand;
  constant(descriptor: MLOperandDescriptor, bufferView: ArrayBufferLike | ArrayBufferView): MLOperand;
  constant(dataType: MLOperandDataType, value: MLNumber): MLOperand;
  /** Later editions. */
  constant(tensor: MLTensor): MLOperand;
  build(outputs: MLNamedOperands): Promise<MLGraph>;

  abs(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  add(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  argMax(input: MLOperand, axis: number, options?: MLArgMinMaxOptions): MLOperand;
  argMax(input: MLOperand, options?: MLArgMinMaxOptions): MLOperand;
  argMin(input: MLOperand, axis: number, options?: MLArgMinMaxOptions): MLOperand;
  argMin(input: MLOperand, options?: MLArgMinMaxOptions): MLOperand;
  averagePool2d(input: MLOperand, options?: MLPool2dOptions): MLOperand;
  batchNormalization(input: MLOperand, mean: MLOperand, variance: MLOperand, options?: MLBatchNormalizationOptions): MLOperand;
  cast(input: MLOperand, type: MLOperandDataType, options?: MLOperatorOptions): MLOperand;
  ceil(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  clamp(input: MLOperand, options?: MLClampOptions): MLOperand;
  concat(inputs: Iterable<MLOperand>, axis: number, options?: MLOperatorOptions): MLOperand;
  conv2d(input: MLOperand, filter: MLOperand, options?: MLConv2dOptions): MLOperand;
  convTranspose2d(input: MLOperand, filter: MLOperand, options?: MLConvTranspose2dOptions): MLOperand;
  cos(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  cumulativeSum(input: MLOperand, axis: number, options?: MLCumulativeSumOptions): MLOperand;
  /** Later editions. */
  dequantizeLinear(input: MLOperand, scale: MLOperand, zeroPoint: MLOperand, options?: MLOperatorOptions): MLOperand;
  div(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  elu(input: MLOperand, options?: MLEluOptions): MLOperand;
  elu(options?: MLEluOptions): MLActivation;
  equal(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  erf(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  exp(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  expand(input: MLOperand, newShape: Iterable<number>, options?: MLOperatorOptions): MLOperand;
  floor(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  gather(input: MLOperand, indices: MLOperand, options?: MLGatherOptions): MLOperand;
  /** Later editions. */
  gatherElements(input: MLOperand, indices: MLOperand, options?: MLGatherOptions): MLOperand;
  /** Later editions. */
  gatherND(input: MLOperand, indices: MLOperand, options?: MLOperatorOptions): MLOperand;
  gelu(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  gelu(options?: MLOperatorOptions): MLActivation;
  gemm(a: MLOperand, b: MLOperand, options?: MLGemmOptions): MLOperand;
  greater(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  greaterOrEqual(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  gru(input: MLOperand, weight: MLOperand, recurrentWeight: MLOperand, steps: number, hiddenSize: number, options?: MLGruOptions): MLOperand[];
  gruCell(input: MLOperand, weight: MLOperand, recurrentWeight: MLOperand, hiddenState: MLOperand, hiddenSize: number, options?: MLGruCellOptions): MLOperand;
  hardSigmoid(input: MLOperand, options?: MLHardSigmoidOptions): MLOperand;
  hardSigmoid(options?: MLHardSigmoidOptions): MLActivation;
  hardSwish(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  hardSwish(options?: MLOperatorOptions): MLActivation;
  identity(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  instanceNormalization(input: MLOperand, options?: MLInstanceNormalizationOptions): MLOperand;
  /** Later editions. */
  isInfinite(a: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  isNaN(a: MLOperand, options?: MLOperatorOptions): MLOperand;
  l2Pool2d(input: MLOperand, options?: MLPool2dOptions): MLOperand;
  layerNormalization(input: MLOperand, options?: MLLayerNormalizationOptions): MLOperand;
  leakyRelu(input: MLOperand, options?: MLLeakyReluOptions): MLOperand;
  leakyRelu(options?: MLLeakyReluOptions): MLActivation;
  lesser(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  lesserOrEqual(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  linear(input: MLOperand, options?: MLLinearOptions): MLOperand;
  linear(options?: MLLinearOptions): MLActivation;
  log(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  logicalAnd(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  logicalNot(a: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  logicalOr(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  logicalXor(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  lstm(input: MLOperand, weight: MLOperand, recurrentWeight: MLOperand, steps: number, hiddenSize: number, options?: MLLstmOptions): MLOperand[];
  lstmCell(input: MLOperand, weight: MLOperand, recurrentWeight: MLOperand, hiddenState: MLOperand, cellState: MLOperand, hiddenSize: number, options?: MLLstmCellOptions): MLOperand[];
  matmul(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  max(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  maxPool2d(input: MLOperand, options?: MLPool2dOptions): MLOperand;
  min(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  mul(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  neg(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  notEqual(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  pad(input: MLOperand, beginningPadding: Iterable<number>, endingPadding: Iterable<number>, options?: MLPadOptions): MLOperand;
  pow(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  prelu(input: MLOperand, slope: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  quantizeLinear(input: MLOperand, scale: MLOperand, zeroPoint: MLOperand, options?: MLOperatorOptions): MLOperand;
  reciprocal(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  reduceL1(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceL2(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceLogSum(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceLogSumExp(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceMax(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceMean(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceMin(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceProduct(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceSum(input: MLOperand, options?: MLReduceOptions): MLOperand;
  reduceSumSquare(input: MLOperand, options?: MLReduceOptions): MLOperand;
  relu(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  relu(options?: MLOperatorOptions): MLActivation;
  resample2d(input: MLOperand, options?: MLResample2dOptions): MLOperand;
  reshape(input: MLOperand, newShape: Iterable<number>, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  reverse(input: MLOperand, options?: MLReverseOptions): MLOperand;
  /** Later editions. */
  roundEven(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  /** Later editions. */
  scatterElements(input: MLOperand, indices: MLOperand, updates: MLOperand, options?: MLScatterOptions): MLOperand;
  /** Later editions. */
  scatterND(input: MLOperand, indices: MLOperand, updates: MLOperand, options?: MLOperatorOptions): MLOperand;
  sigmoid(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  sigmoid(options?: MLOperatorOptions): MLActivation;
  /** Later editions. */
  sign(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  sin(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  slice(input: MLOperand, starts: Iterable<number>, sizes: Iterable<number>, options?: MLSliceOptions): MLOperand;
  softmax(input: MLOperand, axis: number, options?: MLOperatorOptions): MLOperand;
  softplus(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  softplus(options?: MLOperatorOptions): MLActivation;
  softsign(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  softsign(options?: MLOperatorOptions): MLActivation;
  split(input: MLOperand, splits: number | Iterable<number>, options?: MLSplitOptions): MLOperand[];
  sqrt(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  sub(a: MLOperand, b: MLOperand, options?: MLOperatorOptions): MLOperand;
  tan(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  tanh(input: MLOperand, options?: MLOperatorOptions): MLOperand;
  tanh(options?: MLOperatorOptions): MLActivation;
  /** Later editions. */
  tile(input: MLOperand, repetitions: Iterable<number>, options?: MLOperatorOptions): MLOperand;
  transpose(input: MLOperand, options?: MLTransposeOptions): MLOperand;
  triangular(input: MLOperand, options?: MLTriangularOptions): MLOperand;
  where(condition: MLOperand, input: MLOperand, other: MLOperand, options?: MLOperatorOptions): MLOperand;
}

// ---- Not of WebNN

/** Stands in for WebGPU's GPUDevice: a context made from one has the type "webgpu", which cannot compute(). */
export class GPUDevice {
  constructor(backend?: string);
  private readonly isDevice: true;
}

/** A navigator.ml whose contexts have other defaults. */
export function createML(defaults?: MLContextOptions): ML;
/** Defines navigator.ml and the interfaces on `target`, by default globalThis, and returns navigator.ml. */
export function install(target?: object, defaults?: MLContextOptions): ML;

export const ml: ML;
export default ml;
