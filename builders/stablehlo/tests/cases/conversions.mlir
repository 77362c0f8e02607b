// CASE compare EQ
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  %0 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
// INPUTS
f32[3] {1, nan, 2}
f32[3] {1, nan, 3}
// RESULT
pred[3] {1, 0, 0}

// CASE compare LT
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
// INPUTS
f32[3] {1, nan, 2}
f32[3] {1, nan, 3}
// RESULT
pred[3] {0, 0, 1}

// CASE compare GE
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
  %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
// INPUTS
f32[3] {1, nan, 2}
f32[3] {1, nan, 3}
// RESULT
pred[3] {1, 0, 0}

// CASE compare in total order
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
f32[2] {-0, 1}
f32[2] {0, nan}
// RESULT
pred[2] {1, 1}

// CASE compare without a type
func.func @main(%a: tensor<2xui8>, %b: tensor<2xui8>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
u8[2] {1, 200}
u8[2] {200, 1}
// RESULT
pred[2] {1, 0}

// CASE compare with a type that does not suit
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
s32[2] {-1, 2}
s32[2] {1, 1}
// RESULT
pred[2] {1, 0}

// CASE compare complex numbers
func.func @main(%a: tensor<2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
// INPUTS
c64[2] {(1, 2), (3, 0)}
c64[2] {(1, 3), (2, 9)}
// RESULT
pred[2] {1, 0}

// CASE compare_c1
func.func @main(%a: tensor<1xf32>, %b: tensor<1xf64>) -> tensor<1xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<1xf32>, tensor<1xf64>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}
// REFUSED stablehlo.compare: compare_c1: requires the same element type for operands #0 and #1, got f32[1] and f64[1]

// CASE compare_c2
func.func @main(%a: tensor<1xf32>, %b: tensor<2xf32>) -> tensor<1xi1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<1xf32>, tensor<2xf32>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}
// REFUSED stablehlo.compare: compare_c2: requires the same shape for operands #0 and #1, got f32[1] and f32[2]

// CASE select by elements
func.func @main(%a: tensor<2xi1>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.select %a, %b, %c : tensor<2xi1>, tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
pred[2] {true, false}
f32[2] {1, 2}
f32[2] {3, 4}
// RESULT
f32[2] {1, 4}

// CASE select by a scalar
func.func @main(%a: tensor<i1>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.select %a, %b, %c : tensor<i1>, tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
pred[] false
f32[2] {1, 2}
f32[2] {3, 4}
// RESULT
f32[2] {3, 4}

// CASE select_c1
func.func @main(%a: tensor<3xi1>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.select: select_c1: requires the same shape for operands #0 and #1, got pred[3] and f32[2]

// CASE select_c2
func.func @main(%a: tensor<2xi1>, %b: tensor<2xf32>, %c: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.select: select_c2: requires the same element type for operands #1 and #2, got f32[2] and s32[2]

// CASE clamp with scalar limits
func.func @main(%a: tensor<i32>, %b: tensor<3xi32>, %c: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.clamp %a, %b, %c : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// INPUTS
s32[] 0
s32[3] {-1, 1, 9}
s32[] 5
// RESULT
s32[3] {0, 1, 5}

// CASE clamp_c1
func.func @main(%a: tensor<2xi32>, %b: tensor<3xi32>, %c: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.clamp %a, %b, %c : (tensor<2xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.clamp: clamp_c1: requires the same shape for operands #1 and #0, got s32[3] and s32[2]

// CASE convert floats to integers
func.func @main(%a: tensor<3xf32>) -> tensor<3xi8> {
  %0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}
// INPUTS
f32[3] {1.75, -2.5, 300}
// RESULT
s8[3] {1, -2, 127}

// CASE convert complex numbers to real ones
func.func @main(%a: tensor<1xcomplex<f32>>) -> tensor<1xf64> {
  %0 = stablehlo.convert %a : (tensor<1xcomplex<f32>>) -> tensor<1xf64>
  return %0 : tensor<1xf64>
}
// INPUTS
c64[1] {(3, 4)}
// RESULT
f64[1] {3}

// CASE convert_c1
func.func @main(%a: tensor<3xf32>) -> tensor<2xi8> {
  %0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
// REFUSED stablehlo.convert: convert_c1: result 0 is declared as s8[2], expected s8[3]

// CASE bitcast_convert to a narrower type
func.func @main(%a: tensor<1xf32>) -> tensor<1x4xui8> {
  %0 = stablehlo.bitcast_convert %a : (tensor<1xf32>) -> tensor<1x4xui8>
  return %0 : tensor<1x4xui8>
}
// INPUTS
f32[1] {1}
// RESULT
u8[1,4] { { 0, 0, 128, 63 } }

// CASE bitcast_convert_c1
func.func @main(%a: tensor<2xf32>) -> tensor<3xi32> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.bitcast_convert: bitcast_convert_c1: the operand and the result must have the same dimensions, and the narrower type one more for the parts of an element of the wider type, got f32[2] and s32[3]

// CASE bitcast_convert_c2
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xi64> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
// REFUSED stablehlo.bitcast_convert: bitcast_convert_c2: cannot convert between real and complex numbers, got c64[2] and s64[2]

// CASE reduce_precision
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce_precision %a, format = e5m2 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1.1, 1000}
// RESULT
f32[2] {1, 1024}

// CASE reduce_precision_c2
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 0 : i32, mantissa_bits = 2 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce_precision: reduce_precision_c2: exponent_bits must be at least 1, got 0

// CASE clamp_c2
func.func @main(%a: tensor<2xf32>, %m: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.clamp"(%a, %a, %m) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.clamp: clamp_c2: requires the same shape for operands #1 and #2, got f32[2] and f32[3]

// CASE clamp_c3
func.func @main(%a: tensor<2xf32>, %m: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.clamp"(%a, %a, %m) : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.clamp: clamp_c3: requires the same element type for operands #1 and #2, got f32[2] and s32[2]

// CASE complex_c1
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf64>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// REFUSED stablehlo.complex: complex_c1: requires the same element type for operands #0 and #1, got f32[2] and f64[2]

// CASE clamp of complex numbers orders real parts first
func.func @main(%a: tensor<complex<f32>>, %b: tensor<3xcomplex<f32>>, %c: tensor<complex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.clamp %a, %b, %c : (tensor<complex<f32>>, tensor<3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
// INPUTS
c64[] (1, 0)
c64[3] {(0, 9), (1, 5), (4, 0)}
c64[] (2, 0)
// RESULT
c64[3] {(1, 0), (1, 5), (2, 0)}
