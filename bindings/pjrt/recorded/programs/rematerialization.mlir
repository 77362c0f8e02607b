// CASE rematerialization
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.cosine %arg0 : tensor<3x4xf32>
    %1 = stablehlo.sine %0 : tensor<3x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3:2 = stablehlo.optimization_barrier %arg0, %cst_0 : tensor<3x4xf32>, tensor<f32>
    %4 = stablehlo.cosine %3#0 : tensor<3x4xf32>
    %5 = stablehlo.sine %3#0 : tensor<3x4xf32>
    %6 = stablehlo.cosine %4 : tensor<3x4xf32>
    %7 = stablehlo.broadcast_in_dim %3#1, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<3x4xf32>
    %9 = stablehlo.negate %8 : tensor<3x4xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<3x4xf32>
    return %10 : tensor<3x4xf32>
  }
}
// INPUTS
f32[3,4] {
  {0.0, 0.841471, 0.9092974, 0.14112},
  {-0.7568025, -0.9589243, -0.2794155, 0.6569866},
  {0.98935825, 0.41211846, -0.54402107, -0.9999902}
  }
// RESULT
f32[3,4] {
  {-0.0, -0.5861148, -0.6448117, -0.07716742},
  {0.51299226, 0.6872077, 0.15789826, -0.4290646},
  {-0.71277004, -0.24384767, 0.33939824, 0.7215981}
  }
