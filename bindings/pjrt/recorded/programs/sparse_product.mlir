// CASE sparse product
// TOLERANCE 0.0002
module @jit_sparse_product attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 2, 1, 3]> : tensor<4xi32>
    %c_0 = stablehlo.constant dense<[0, 2, 4]> : tensor<3xi32>
    %0 = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %3 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%1, %c_0, %c, %2) {backend_config = "", mhlo.backend_config = {}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<4xf32>, tensor<3xi32>, tensor<4xi32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    return %3 : tensor<2x3xf32>
  }
}
// INPUTS
f32[3,4] {
  {0.0, 0.841471, 0.9092974, 0.14112},
  {-0.7568025, -0.9589243, -0.2794155, 0.6569866},
  {0.98935825, 0.41211846, -0.54402107, -0.9999902}
  }
// RESULT
f32[2,3] {
  {0.7651474, -0.23512003, -0.45777798},
  {0.78506225, -0.7792334, 0.23361963}
  }
