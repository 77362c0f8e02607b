// CASE cholesky
// TOLERANCE 1e-6
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// INPUTS
f32[2,2] { {4, 0}, {2, 5} }
// RESULT
f32[2,2] { { 2, 0 }, { 1, 2 } }

// CASE cholesky_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.cholesky: cholesky_c2: expected a matrix, got f32[2]

// CASE cholesky_c3
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.cholesky: cholesky_c3: expected a square matrix, got f32[2,3]

// CASE triangular_solve
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// INPUTS
f32[2,2] { {2, 0}, {1, 4} }
f32[2,1] { {2}, {9} }
// RESULT
f32[2,1] { {1}, {2} }

// CASE triangular_solve_c1
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf64>) -> tensor<2x1xf64> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf64>) -> tensor<2x1xf64>
  return %0 : tensor<2x1xf64>
}
// REFUSED stablehlo.triangular_solve: triangular_solve_c1: requires the same element type for operands #0 and #1, got f32[2,2] and f64[2,1]

// CASE triangular_solve_c2
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.triangular_solve: triangular_solve_c2: expected matrices of the same rank, got f32[2,2] and f32[2]

// CASE triangular_solve_c3
func.func @main(%a: tensor<2x2xf32>, %b: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}
// REFUSED stablehlo.triangular_solve: triangular_solve_c3: expected square matrices and right-hand sides that fit them, got f32[2,2] and f32[3,1]

// CASE fft
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// INPUTS
c64[2] {(1, 0), (3, 0)}
// RESULT
c64[2] {(4, 0), (-2, 0)}

// CASE rfft
// TOLERANCE 1e-6
func.func @main(%a: tensor<4xf32>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// INPUTS
f32[4] {1, 2, 3, 4}
// RESULT
c64[3] {(10, 0), (-2, 2), (-2, 0)}

// CASE irfft
// TOLERANCE 1e-6
func.func @main(%a: tensor<3xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.fft %a, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// INPUTS
c64[3] {(10, 0), (-2, 2), (-2, 0)}
// RESULT
f32[4] {1, 2, 3, 4}

// CASE fft_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [2] : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// REFUSED stablehlo.fft: fft_c2: FFT takes complex numbers, got f32[2]

// CASE fft_c4
func.func @main(%a: tensor<4xf32>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = RFFT, length = [5] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// REFUSED stablehlo.fft: fft_c4: fft_length[0] is 5, for which dimension 0 of f32[4] must be 5

// CASE fft_c3
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64>}> : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// REFUSED stablehlo.fft: fft_c3: fft_length must have 1 to 3 entries, got 0

// CASE fft_c5
func.func @main(%a: tensor<4xf32>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// REFUSED stablehlo.fft: fft_c5: result 0 is declared as c64[2], expected c64[3]

// CASE batch_norm_inference
// TOLERANCE 1e-6
func.func @main(%a: tensor<2x1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>, %e: tensor<1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// INPUTS
f32[2,1] { {1}, {3} }
f32[1] {2}
f32[1] {1}
f32[1] {2}
f32[1] {4}
// RESULT
f32[2,1] { {0}, {2} }

// CASE batch_norm_training
// TOLERANCE 1e-6
func.func @main(%a: tensor<2x1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>
}
// INPUTS
f32[2,1] { {1}, {3} }
f32[1] {2}
f32[1] {1}
// RESULT
( f32[2,1] { {-1}, {3} }, f32[1] {2}, f32[1] {1} )

// CASE batch_norm_inference_c1
func.func @main(%a: tensor<2x1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>, %d: tensor<1xf32>, %e: tensor<1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 0.000000e+00 : f32, feature_index = 2 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c1: feature_index must be at least 0 and less than the rank of f32[2,1], got 2

// CASE batch_norm_inference_c4
func.func @main(%a: tensor<2x1xf32>, %b: tensor<1xf32>, %c: tensor<2xf32>, %d: tensor<1xf32>, %e: tensor<1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c4: operand #2 must have an entry for each of 1 features, got f32[2]
