// CASE gradient
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.tanh %1 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %7 = stablehlo.multiply %6, %4 : tensor<3x3xf32>
    %8 = stablehlo.multiply %7, %2 : tensor<3x3xf32>
    %9 = stablehlo.add %7, %8 : tensor<3x3xf32>
    %10 = stablehlo.dot_general %9, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %12 = stablehlo.dot_general %9, %0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<4x3xf32>) -> tensor<3x4xf32>
    %13 = stablehlo.transpose %11, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %14 = stablehlo.add %12, %13 : tensor<3x4xf32>
    return %14 : tensor<3x4xf32>
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
  {1.1553558, 0.1893237, -0.9507716, -1.216732},
  {0.16554818, 0.7198331, 0.6123068, -0.058171578},
  {-0.14943229, 1.3105848, 1.5656562, 0.38127056}
  }
