// CASE complex
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %2 = stablehlo.multiply %1, %0 : tensor<3x4xcomplex<f32>>
    %3 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %4 = stablehlo.add %3, %2 : tensor<3x4xcomplex<f32>>
    %5 = stablehlo.sqrt %4 : tensor<3x4xcomplex<f32>>
    %6 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %7 = stablehlo.multiply %5, %6 : tensor<3x4xcomplex<f32>>
    return %7 : tensor<3x4xcomplex<f32>>
  }
}
// INPUTS
f32[3,4] {
  {0.0, 0.841471, 0.9092974, 0.14112},
  {-0.7568025, -0.9589243, -0.2794155, 0.6569866},
  {0.98935825, 0.41211846, -0.54402107, -0.9999902}
  }
// RESULT
c64[3,4] {
  {(0.0, 0.0), (0.8480696678161621, 0.351282000541687), (0.9526464343070984, 0.3945991098880768), (0.05824460834264755, 0.024125706404447556)},
  {(-0.2996201515197754, 0.723347008228302), (-0.4273401200771332, 1.031690239906311), (-0.06721603125333786, 0.1622738540172577), (0.5850696563720703, 0.24234381318092346)},
  {(1.0811928510665894, 0.44784480333328247), (0.2906738519668579, 0.1204010546207428), (-0.18260841071605682, 0.44085565209388733), (-0.4550831913948059, 1.0986679792404175)}
  }
