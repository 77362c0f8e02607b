// @halo/webnn: WebNN for Node.js. Written by types/generate.js from the operator table; do not edit.
//
// Two editions side by side: the editor's draft of June 2024 (compute(), MLActivation, operand.dataType()) and later
// ones (MLTensor, dispatch(), operand.dataType). See README.md.

export type MLEdition = 'draft' | 'later';
export type MLDeviceType = 'cpu' | 'gpu' | 'npu';
export type MLPowerPreference = 'default' | 'high-performance' | 'low-power';
export type MLRecurrentNetworkActivation = 'relu' | 'sigmoid' | 'tanh';
export type MLNumber = number | bigint;
// {{ENUMERATIONS}}

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
  // {{OPERATOR_NAMES}}
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

// {{DICTIONARIES}}

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

  // {{OPERATORS}}
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
