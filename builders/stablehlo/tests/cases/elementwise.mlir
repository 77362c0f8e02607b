// CASE abs
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.abs %a : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// INPUTS
s32[3] {-3, 0, 4}
// RESULT
s32[3] {3, 0, 4}

// CASE abs of complex numbers is real
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xf32> {
  %0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
c64[2] {(3, -4), (0, 2)}
// RESULT
f32[2] {5, 2}

// CASE cbrt
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.cbrt %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {27, -8}
// RESULT
f32[2] {3, -2}

// CASE ceil
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.ceil %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1.25, -1.5}
// RESULT
f32[2] {2, -1}

// CASE count leading zeros
func.func @main(%a: tensor<3xui8>) -> tensor<3xui8> {
  %0 = stablehlo.count_leading_zeros %a : tensor<3xui8>
  return %0 : tensor<3xui8>
}
// INPUTS
u8[3] {0, 1, 255}
// RESULT
u8[3] {8, 7, 0}

// CASE cosine
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.cosine %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.87758255, 0.0707372}

// CASE exponential
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {1.64872122, 4.48168898}

// CASE exponential minus one
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential_minus_one %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.648721278, 3.48168898}

// CASE log
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.log %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {-0.693147182, 0.405465096}

// CASE log plus one
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.log_plus_one %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.405465096, 0.91629076}

// CASE logistic
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.logistic %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.622459352, 0.817574501}

// CASE rsqrt
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.rsqrt %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {1.41421354, 0.816496611}

// CASE sine
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sine %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.47942555, 0.997495}

// CASE sqrt
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.sqrt %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.707106769, 1.22474492}

// CASE tan
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tan %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.546302497, 14.1014204}

// CASE tanh
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {0.5, 1.5}
// RESULT
f32[2] {0.462117165, 0.905148268}

// CASE floor
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.floor %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1.25, -1.5}
// RESULT
f32[2] {1, -2}

// CASE is finite
func.func @main(%a: tensor<3xf32>) -> tensor<3xi1> {
  %0 = stablehlo.is_finite %a : (tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
// INPUTS
f32[3] {1, inf, nan}
// RESULT
pred[3] {1, 0, 0}

// CASE negate
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.negate %a : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[2] {1, -2}
// RESULT
s32[2] {-1, 2}

// CASE not
func.func @main(%a: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.not %a : tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
pred[2] {true, false}
// RESULT
pred[2] {0, 1}

// CASE popcnt
func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.popcnt %a : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {7, -1}
// RESULT
s8[2] {3, 8}

// CASE real
func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xf32> {
  %0 = stablehlo.real %a : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
// INPUTS
c64[1] {(3, -4)}
// RESULT
f32[1] {3}

// CASE imag
func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xf32> {
  %0 = stablehlo.imag %a : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
// INPUTS
c64[1] {(3, -4)}
// RESULT
f32[1] {-4}

// CASE round nearest afz
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.round_nearest_afz %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {2.5, -2.5}
// RESULT
f32[2] {3, -3}

// CASE round nearest even
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.round_nearest_even %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {2.5, -3.5}
// RESULT
f32[2] {2, -4}

// CASE sign
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sign %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}
// INPUTS
f32[3] {-2, 0, nan}
// RESULT
f32[3] {-1, 0, nan}

// CASE keeps a result accuracy
// TOLERANCE 1e-5
func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<1xf32>
  return %0 : tensor<1xf32>
}
// INPUTS
f32[1] {1}
// RESULT
f32[1] {2.71828175}

// CASE add
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {9, 5}

// CASE divide
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.divide %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {3.5, 0.666666687}

// CASE maximum
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.maximum %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {7, 3}

// CASE minimum
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.minimum %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {2, 2}

// CASE multiply
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {14, 6}

// CASE power
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.power %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {49, 8}

// CASE remainder
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.remainder %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {1, 2}

// CASE subtract
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.subtract %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {7, 2}
f32[2] {2, 3}
// RESULT
f32[2] {5, -1}

// CASE and
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.and %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {1, 2}

// CASE or
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.or %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {-7, 7}

// CASE xor
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.xor %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {-8, 5}

// CASE shift left
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.shift_left %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {-14, 48}

// CASE shift right arithmetic
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {-4, 0}

// CASE shift right logical
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.shift_right_logical %a, %b : tensor<2xi8>
  return %0 : tensor<2xi8>
}
// INPUTS
s8[2] {-7, 6}
s8[2] {1, 3}
// RESULT
s8[2] {124, 0}

// CASE atan2
// TOLERANCE 1e-6
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.atan2 %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, -1}
f32[2] {1, -1}
// RESULT
f32[2] {0.785398185, -2.3561945}

// CASE complex
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xcomplex<f32>> {
  %0 = stablehlo.complex %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xcomplex<f32>>
  return %0 : tensor<1xcomplex<f32>>
}
// INPUTS
f32[1] {1}
f32[1] {2}
// RESULT
c64[1] {(1, 2)}

// CASE maximum of complex numbers goes by real, then by imaginary parts
func.func @main(%a: tensor<3xcomplex<f32>>, %b: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.maximum %a, %b : tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// INPUTS
c64[3] {(1, 2), (3, 0), (1, 5)}
c64[3] {(1, 3), (2, 9), (1, 5)}
// RESULT
c64[3] {(1, 3), (3, 0), (1, 5)}

// CASE refuses operands of other sizes
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.add: add_c1: requires the same shape for operands #0 and #1, got f32[2] and f32[3]

// CASE refuses operands of another type
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf64>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.add: add_c1: requires the same element type for operands #0 and #1, got f32[2] and f64[2]

// CASE refuses a result of another shape
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.negate"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.negate: negate_c1: result 0 is declared as f32[3], expected f32[2]

// CASE refuses sqrt of integers
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.sqrt %a : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.sqrt: operand #0 must be a tensor of floats or complex numbers, but got s32[2]

// CASE refuses not of floats
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.not %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.not: operand #0 must be a tensor of pred or integers, but got f32[2]

// CASE refuses a wrong number of operands
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.add: expected 2 operands, got 1

// CASE names the operation that was meant
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.negat"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED error: unknown operation 'stablehlo.negat'; did you mean 'stablehlo.negate'?

// CASE refuses types that HLO lacks
func.func @main() -> tensor<2xf80> {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2xf80>
  return %0 : tensor<2xf80>
}
// REFUSED stablehlo.iota: HLO has no arrays of f80; convert them to another type
