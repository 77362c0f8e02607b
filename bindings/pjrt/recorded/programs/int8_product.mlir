// CASE int8 product
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xi8>) -> (tensor<3x3xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xi8>) -> tensor<4x3xi8>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xi8>, tensor<4x3xi8>) -> tensor<3x3xi32>
    return %1 : tensor<3x3xi32>
  }
}
// INPUTS
s8[3,4] {
  {0, 1, 2, 3},
  {4, 5, 6, 7},
  {8, 9, 10, 11}
  }
// RESULT
s32[3,3] {
  {14, 38, 62},
  {38, 126, 214},
  {62, 214, 366}
  }
