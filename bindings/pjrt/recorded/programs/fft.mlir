// CASE fft
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %1 = call @fft_0(%arg0) : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
    %2 = call @fft_1(%1) : (tensor<3x3xcomplex<f32>>) -> tensor<3x4xf32>
    return %0, %2 : tensor<3x4xcomplex<f32>>, tensor<3x4xf32>
  }
  func.func private @fft(%arg0: tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [3, 4] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    return %1 : tensor<3x4xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
    return %0 : tensor<3x3xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<3x3xcomplex<f32>>) -> tensor<3x4xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [4] : (tensor<3x3xcomplex<f32>>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// INPUTS
f32[3,4] {
  {0.0, 0.841471, 0.9092974, 0.14112},
  {-0.7568025, -0.9589243, -0.2794155, 0.6569866},
  {0.98935825, 0.41211846, -0.54402107, -0.9999902}
  }
// RESULT
(
  c64[3,4] {
    {(0.41119813919067383, 0.0), (0.14669495820999146, -0.49654877185821533), (0.2256351113319397, 0.0), (0.14669495820999146, 0.49654877185821533)},
    {(2.6322336196899414, 1.0354381799697876), (1.1850481033325195, 0.9391224980354309), (-0.2227579951286316, 1.5306905508041382), (-4.059635162353516, 2.5436267852783203)},
    {(2.6322336196899414, -1.0354381799697876), (-4.059635162353516, -2.5436267852783203), (-0.2227579951286316, -1.5306905508041382), (1.1850481033325195, -0.9391224980354309)}
    },
  f32[3,4] {
    {-2.9802322e-08, 0.841471, 0.90929735, 0.14112002},
    {-0.75680244, -0.9589243, -0.27941546, 0.6569866},
    {0.98935825, 0.41211843, -0.54402107, -0.9999902}
    }
  )
