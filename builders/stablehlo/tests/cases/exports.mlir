// Programs in the forms that frameworks export.

// CASE PyTorch: a layer, with layouts that say nothing new
module @IrToHlo.16 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<1x2xf32>) -> tensor<1x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x3xf32>
    %0 = stablehlo.transpose %arg1, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[2,3]{0,1}"} : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.dot_general %arg2, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %3 = stablehlo.add %1, %2 : tensor<1x3xf32>
    %4 = stablehlo.maximum %3, %cst : tensor<1x3xf32>
    return %4 : tensor<1x3xf32>
  }
}
// INPUTS
f32[3] {3, 1, -9}
f32[3,2] { {1, 2}, {3, 4}, {5, 6} }
f32[1,2] { {1, -1} }
// RESULT
f32[1,3] { {2, 0, 0} }

// CASE PyTorch: a composite that is not known is its decomposition
module @IrToHlo.30 attributes {mhlo.cross_program_prefetches = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "aten.twice" %arg0 {composite_attributes = {dim = -1 : i64}, decomposition = @aten.twice.impl} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @aten.twice.impl(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {2, 4}

// CASE PyTorch: operations of mhlo as custom calls
module @IrToHlo.89 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
    %1:2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %0, %1#0, %1#1 : tensor<3xf32>, tensor<2xf32>, tensor<2xi32>
  }
}
// INPUTS
f32[3] {0, 1, -1}
// RESULT
( f32[3] {0, 0.842700779, -0.842700779}, f32[2] {1, 0}, s32[2] {1, 0} )

// CASE JAX 0.8: the greatest elements, by a custom call of mhlo
func.func @main(%arg0: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
// INPUTS
f32[3] {0, 1, -1}
// RESULT
( f32[2] {1, 0}, s32[2] {1, 0} )

// CASE PyTorch: a custom call of mhlo with other attributes
func.func @main(%arg0: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%arg0) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
// INPUTS
f32[3] {0, 1, -1}
// REFUSED custom-call.1: the interpreter has no custom-call target 'mhlo.topk'

// CASE PyTorch: an argument whose batch is bounded
module @IrToHlo.8 attributes {mhlo.is_dynamic = true} {
  func.func @main(%arg0: tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<i32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
// INPUTS
f32[4,2] { {0, 0}, {0, 0}, {0, 0}, {0, 0} }
// RESULT
s32[] 4

// CASE PyTorch: an argument whose batch is open
module @IrToHlo.8 attributes {mhlo.is_dynamic = true} {
  func.func @main(%arg0: tensor<?x3xf32>) -> tensor<?x3xf32> {
    return %arg0 : tensor<?x3xf32>
  }
}
// REFUSED func.func: argument 0: it is declared as f32[?,3], and nothing says what its sizes are; export the program for arguments of known sizes

// CASE TensorFlow: attributes of saved models, and a tuple
module @a_inference_f_20__.8 attributes {mhlo.is_dynamic = false, tf.versions = {bad_consumers = [], min_consumer = 0 : i32, producer = 1882 : i32}, tf_saved_model.semantics} {
  func.func @main(%arg0: tensor<2xf32> {tf._user_specified_name = "x", tf_saved_model.index_path = ["x"]}) -> (tensor<2xf32> {tf_saved_model.index_path = ["y"]}) attributes {tf.entry_function = {control_outputs = "", inputs = "x:0", outputs = "Identity:0"}, tf_saved_model.exported_names = ["serving_default"]} {
    %0 = stablehlo.abs %arg0 {mhlo.frontend_attributes = {}} : tensor<2xf32>
    %1 = stablehlo.tuple %0 {xla_shape = "(f32[2]{0})"} : tuple<tensor<2xf32>>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
// INPUTS
f32[2] {1, -2}
// RESULT
f32[2] {1, 2}

// CASE TensorFlow: a tensor without a rank
module attributes {tf.versions = {producer = 1882 : i32}} {
  func.func @main(%arg0: tensor<*xf32>) -> tensor<*xf32> {
    return %arg0 : tensor<*xf32>
  }
}
// REFUSED func.func: argument 0: HLO has no tensors without a rank (tensor<*x...>); export the program for arguments of known rank

// CASE TensorFlow: an operation of its own dialect
module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "tf.Relu"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// REFUSED error: unknown operation 'tf.Relu'

// CASE a sharding as a serialized message
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%arg0: tensor<2xf32> {mhlo.sharding = "\08\03\1A\01\02\22\02\00\01"}) -> tensor<2xf32> {
    return %arg0 : tensor<2xf32>
  }
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE JAX: what results are called, and what arguments stand for
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> {jax.arg_info = "x", mhlo.layout_mode = "default", mhlo.parameter_replication = [false]}) -> (tensor<2xf32> {jax.result_info = "result['y']", mhlo.layout_mode = "default"}) {
    %0 = stablehlo.negate %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// INPUTS
f32[2] {1, -2}
// RESULT
f32[2] {-1, 2}
