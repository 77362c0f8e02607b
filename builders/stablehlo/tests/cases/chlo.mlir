// CASE acos
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.acos %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {1.0471975511965979}

// CASE acosh
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.acosh %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {1.5}
// RESULT
f64[1] {0.96242365011920694}

// CASE asin
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.asin %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.52359877559829893}

// CASE what asin and acos of complex numbers have in common
// TOLERANCE 1e-11
func.func @main(%z: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {
  %w = chlo._asin_acos_kernel %z : tensor<4xcomplex<f64>> -> tensor<4xcomplex<f64>>
  return %w : tensor<4xcomplex<f64>>
}
// INPUTS
c128[4] {(0.5, 0.25), (-2, 1), (0, 3), (0.125, -0.5)}
// RESULT
c128[4] {(0.911754327326162, 0.2813960562452923), (1.1117859405028427, 1.4693517443681854), (3.1622776601683795, 1.8184464592320668), (1.1124439245854332, 0.4840244430419176)}

// CASE asinh
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.asinh %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.48121182505960347}

// CASE atan
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.atan %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.46364760900080609}

// CASE atanh
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.atanh %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.54930614433405478}

// CASE cosh
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.cosh %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {1.1276259652063807}

// CASE sinh
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.sinh %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.52109530549374738}

// CASE square
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.square %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {3}
// RESULT
f64[1] {9}

// CASE erf
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.erf %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.52049987781304652}

// CASE erfc
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.erfc %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.47950012218695348}

// CASE erf_inv
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.erf_inv %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {0.5}
// RESULT
f64[1] {0.47693627620446988}

// CASE lgamma
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.lgamma %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {4.5}
// RESULT
f64[1] {2.4537365708424428}

// CASE digamma
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.digamma %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {4.5}
// RESULT
f64[1] {1.3888709263595289}

// CASE bessel_i1e
// TOLERANCE 1e-11
func.func @main(%a: tensor<1xf64>) -> tensor<1xf64> {
  %0 = chlo.bessel_i1e %a : tensor<1xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
f64[1] {-2.5}
// RESULT
f64[1] {-0.20658464953126654}

// CASE bessel_i1e of large numbers
// TOLERANCE 1e-13
func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
  %0 = chlo.bessel_i1e %a : tensor<3xf64> -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
// INPUTS
f64[3] {0, 8, 1000}
// RESULT
f64[3] {0, 0.134142493292698, 0.012610930256928631}

// CASE zeta
// TOLERANCE 1e-13
func.func @main(%a: tensor<5xf64>, %b: tensor<5xf64>) -> tensor<5xf64> {
  %0 = chlo.zeta %a, %b : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
  return %0 : tensor<5xf64>
}
// INPUTS
f64[5] {2, 3.5, 1, 0.5, 2}
f64[5] {1, 0.25, 2, 2, -1}
// RESULT
f64[5] {1.6449340668482264, 128.54695896428433, inf, nan, inf}

// CASE polygamma
// TOLERANCE 1e-11
func.func @main(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %0 = chlo.polygamma %a, %b : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// INPUTS
f64[4] {0, 1, 2, 0.5}
f64[4] {1.5, 1.5, 1.5, 1.5}
// RESULT
f64[4] {0.036489973978577117, 0.93480220054468, -0.82879664423431909, nan}

// CASE functions of narrow floats are computed in f32
func.func @main(%a: tensor<1xf16>) -> tensor<1xf16> {
  %0 = chlo.erfc %a : tensor<1xf16> -> tensor<1xf16>
  return %0 : tensor<1xf16>
}
// INPUTS
f16[1] {0.5}
// RESULT
f16[1] {0.47949}

// CASE next_after
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.next_after %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 1}
f32[2] {2, 1}
// RESULT
f32[2] {1.00000012, 1}

// CASE conj
func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
  %0 = chlo.conj %a : tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>
  return %0 : tensor<1xcomplex<f32>>
}
// INPUTS
c64[1] {(1, 2)}
// RESULT
c64[1] {(1, -2)}

// CASE is_inf
func.func @main(%a: tensor<3xf32>) -> tensor<3xi1> {
  %0 = chlo.is_inf %a : tensor<3xf32> -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
// INPUTS
f32[3] {1, inf, -inf}
// RESULT
pred[3] {0, 1, 1}

// CASE top_k
func.func @main(%a: tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = chlo.top_k(%a, k = 2) : tensor<5xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
// INPUTS
f32[5] {1, 5, nan, 5, 2}
// RESULT
( f32[2] {nan, 5}, s32[2] {2, 1} )

// CASE top_k_c1
func.func @main(%a: tensor<5xf32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %0:2 = chlo.top_k(%a, k = 6) : tensor<5xf32> -> (tensor<6xf32>, tensor<6xi32>)
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
}
// REFUSED chlo.top_k: k must be at least 0 and at most the last dimension of f32[5], got 6

// CASE broadcast_add
func.func @main(%a: tensor<2x1xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// INPUTS
s32[2,1] { {1}, {2} }
s32[3] {10, 20, 30}
// RESULT
s32[2,3] { { 11, 21, 31 }, { 12, 22, 32 } }

// CASE broadcast_add with dimensions
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2xi32>) -> tensor<2x3xi32> {
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// INPUTS
s32[2,3] { {1, 2, 3}, {4, 5, 6} }
s32[2] {10, 20}
// RESULT
s32[2,3] { { 11, 12, 13 }, { 24, 25, 26 } }

// CASE broadcast_add_c2
func.func @main(%a: tensor<2xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<2xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED chlo.broadcast_add: the operands s32[2] and s32[3] cannot be broadcast: they have the sizes 2 and 3 in one dimension

// CASE broadcast_compare
func.func @main(%a: tensor<2xi32>, %b: tensor<i32>) -> tensor<2xi1> {
  %0 = "chlo.broadcast_compare"(%a, %b) <{comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<i32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
s32[2] {1, 5}
s32[] 3
// RESULT
pred[2] {1, 0}

// CASE broadcast_select
func.func @main(%a: tensor<2xi1>, %b: tensor<i32>, %c: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "chlo.broadcast_select"(%a, %b, %c) : (tensor<2xi1>, tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
pred[2] {true, false}
s32[] 3
s32[2] {7, 8}
// RESULT
s32[2] {3, 8}

// CASE constant_like
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "chlo.constant_like"(%a) <{value = 2.5 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 5}
// RESULT
f32[2] {2.5, 2.5}

// CASE mhlo.erf, as TensorFlow prints chlo.erf
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mhlo.erf %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0, 10}
// RESULT
f32[2] {0, 1}
