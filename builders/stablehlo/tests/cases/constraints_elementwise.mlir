// Constraints of elementwise operations, each broken by one case.

// CASE abs_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.abs"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.abs: abs_c1: result 0 is declared as f32[5], expected f32[4]

// CASE abs_c2
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.abs"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// REFUSED stablehlo.abs: abs_c2: result 0 is declared as c64[4], expected f32[4]

// CASE cbrt_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.cbrt"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.cbrt: cbrt_c1: result 0 is declared as f64[4], expected f32[4]

// CASE ceil_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.ceil"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.ceil: ceil_c1: result 0 is declared as f64[4], expected f32[4]

// CASE cosine_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.cosine"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.cosine: cosine_c1: result 0 is declared as f64[4], expected f32[4]

// CASE exponential_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.exponential"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.exponential: exponential_c1: result 0 is declared as f64[4], expected f32[4]

// CASE exponential_minus_one_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.exponential_minus_one"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.exponential_minus_one: exponential_minus_one_c1: result 0 is declared as f64[4], expected f32[4]

// CASE floor_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.floor"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.floor: floor_c1: result 0 is declared as f64[4], expected f32[4]

// CASE log_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.log"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.log: log_c1: result 0 is declared as f64[4], expected f32[4]

// CASE log_plus_one_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.log_plus_one"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.log_plus_one: log_plus_one_c1: result 0 is declared as f64[4], expected f32[4]

// CASE logistic_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.logistic"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.logistic: logistic_c1: result 0 is declared as f64[4], expected f32[4]

// CASE negate_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.negate"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.negate: negate_c1: result 0 is declared as f64[4], expected f32[4]

// CASE round_nearest_afz_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.round_nearest_afz"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.round_nearest_afz: round_nearest_afz_c1: result 0 is declared as f64[4], expected f32[4]

// CASE round_nearest_even_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.round_nearest_even"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.round_nearest_even: round_nearest_even_c1: result 0 is declared as f64[4], expected f32[4]

// CASE rsqrt_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.rsqrt"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.rsqrt: rsqrt_c1: result 0 is declared as f64[4], expected f32[4]

// CASE sign_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.sign"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.sign: sign_c1: result 0 is declared as f64[4], expected f32[4]

// CASE sine_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.sine"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.sine: sine_c1: result 0 is declared as f64[4], expected f32[4]

// CASE sqrt_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.sqrt"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.sqrt: sqrt_c1: result 0 is declared as f64[4], expected f32[4]

// CASE tan_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.tan"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.tan: tan_c1: result 0 is declared as f64[4], expected f32[4]

// CASE tanh_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.tanh"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.tanh: tanh_c1: result 0 is declared as f64[4], expected f32[4]

// CASE count_leading_zeros_c1
func.func @main(%a: tensor<4xi32>) -> tensor<5xi32> {
  %0 = "stablehlo.count_leading_zeros"(%a) : (tensor<4xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.count_leading_zeros: count_leading_zeros_c1: result 0 is declared as s32[5], expected s32[4]

// CASE not_c1
func.func @main(%a: tensor<4xi32>) -> tensor<5xi32> {
  %0 = "stablehlo.not"(%a) : (tensor<4xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.not: not_c1: result 0 is declared as s32[5], expected s32[4]

// CASE popcnt_c1
func.func @main(%a: tensor<4xi32>) -> tensor<5xi32> {
  %0 = "stablehlo.popcnt"(%a) : (tensor<4xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.popcnt: popcnt_c1: result 0 is declared as s32[5], expected s32[4]

// CASE is_finite_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5xi1> {
  %0 = "stablehlo.is_finite"(%a) : (tensor<4xf32>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
// REFUSED stablehlo.is_finite: is_finite_c1: result 0 is declared as pred[5], expected pred[4]

// CASE atan2_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.atan2"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.atan2: atan2_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE divide_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.divide"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.divide: divide_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE maximum_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.maximum"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.maximum: maximum_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE minimum_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.minimum"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.minimum: minimum_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE multiply_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.multiply"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.multiply: multiply_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE power_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.power"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.power: power_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE remainder_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.remainder"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.remainder: remainder_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE subtract_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.subtract: subtract_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE and_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.and"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.and: and_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE or_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.or"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.or: or_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE shift_left_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.shift_left"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.shift_left: shift_left_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE shift_right_arithmetic_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.shift_right_arithmetic: shift_right_arithmetic_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE shift_right_logical_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.shift_right_logical"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.shift_right_logical: shift_right_logical_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE xor_c1
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi64>) -> tensor<4xi32> {
  %0 = "stablehlo.xor"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.xor: xor_c1: requires the same element type for operands #0 and #1, got s32[4] and s64[4]

// CASE real_c1
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<5xf32> {
  %0 = "stablehlo.real"(%a) : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.real: real_c1: result 0 is declared as f32[5], expected f32[4]

// CASE real_c2
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xf64> {
  %0 = "stablehlo.real"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.real: real_c2: result 0 is declared as f64[4], expected f32[4]

// CASE imag_c1
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<5xf32> {
  %0 = "stablehlo.imag"(%a) : (tensor<4xcomplex<f32>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.imag: imag_c1: result 0 is declared as f32[5], expected f32[4]

// CASE imag_c2
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xf64> {
  %0 = "stablehlo.imag"(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.imag: imag_c2: result 0 is declared as f64[4], expected f32[4]

// CASE complex_c2
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<5xcomplex<f32>> {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}
// REFUSED stablehlo.complex: complex_c2: result 0 is declared as c64[5], expected c64[4]

// CASE complex_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xcomplex<f64>> {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return %0 : tensor<4xcomplex<f64>>
}
// REFUSED stablehlo.complex: complex_c3: result 0 is declared as c128[4], expected c64[4]

// CASE clamp_c4
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.clamp: clamp_c4: result 0 is declared as f32[5], expected f32[4]

// CASE compare_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = "LIKE"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// REFUSED stablehlo.compare: compare_c3: compare_type must be FLOAT, TOTALORDER, SIGNED or UNSIGNED, got LIKE

// CASE convert_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5xi32> {
  %0 = "stablehlo.convert"(%a) : (tensor<4xf32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.convert: convert_c1: result 0 is declared as s32[5], expected s32[4]

// CASE select_c2
func.func @main(%a: tensor<4xi1>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.select: select_c2: result 0 is declared as f32[5], expected f32[4]

// CASE reduce_precision_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 3 : i32}> : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.reduce_precision: reduce_precision_c1: result 0 is declared as f64[4], expected f32[4]

// CASE reduce_precision_c3
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.reduce_precision: reduce_precision_c3: mantissa_bits must be at least 0, got -1

// CASE an attribute of another width
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i64, mantissa_bits = 3 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.reduce_precision: the attribute 'exponent_bits' must be an integer of type i32

// CASE bitcast_convert_c1: the same width
func.func @main(%a: tensor<2x4xf32>) -> tensor<8xi32> {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<2x4xf32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
// REFUSED stablehlo.bitcast_convert: bitcast_convert_c1: the operand and the result must have the same dimensions, and the narrower type one more for the parts of an element of the wider type, got f32[2,4] and s32[8]

// CASE bitcast_convert_c1: a narrower type
func.func @main(%a: tensor<4xf32>) -> tensor<4x3xi8> {
  %0 = "stablehlo.bitcast_convert"(%a) : (tensor<4xf32>) -> tensor<4x3xi8>
  return %0 : tensor<4x3xi8>
}
// REFUSED stablehlo.bitcast_convert: bitcast_convert_c1: the operand and the result must have the same dimensions, and the narrower type one more for the parts of an element of the wider type, got f32[4] and s8[4,3]

// CASE optimization_barrier_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.optimization_barrier: optimization_barrier_c1: result 0 is declared as f32[5], expected f32[4]

// CASE constant_c1
func.func @main() -> tensor<3xi32> {
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.constant: constant_c1: result 0 is declared as s32[3], expected s32[2]

// CASE tuple_c1
func.func @main(%a: tensor<4xf32>) -> tuple<tensor<5xf32>> {
  %0 = "stablehlo.tuple"(%a) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return %0 : tuple<tensor<5xf32>>
}
// REFUSED stablehlo.tuple: tuple_c1: result 0 is declared as (f32[5]), expected (f32[4])

// CASE get_tuple_element_c2
func.func @main(%a: tuple<tensor<4xf32>>) -> tensor<5xf32> {
  %0 = "stablehlo.get_tuple_element"(%a) <{index = 0 : i32}> : (tuple<tensor<4xf32>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.get_tuple_element: get_tuple_element_c2: result 0 is declared as f32[5], expected f32[4]

// CASE get_dimension_size_c1
func.func @main(%a: tensor<4xf32>) -> tensor<i32> {
  %0 = "stablehlo.get_dimension_size"(%a) <{dimension = 1 : i64}> : (tensor<4xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.get_dimension_size: get_dimension_size_c1: dimension must be one of f32[4], got 1

// CASE rng_c1
func.func @main(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<1xi64>) -> tensor<4xf64> {
  %0 = "stablehlo.rng"(%a, %b, %c) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.rng: rng_c1: operand #0 must be f64[], got f32[]

// CASE rng_c3
func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {
  %s = stablehlo.constant dense<5> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.rng: rng_c3: the result is declared as f32[4], but `shape` says f32[5]

// CASE rng_bit_generator_c1
func.func @main(%a: tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return %0#0, %0#1 : tensor<3xui64>, tensor<4xui32>
}
// REFUSED stablehlo.rng_bit_generator: rng_bit_generator_c1: result 0 is declared as u64[3], expected u64[2]

// CASE rng_bit_generator_c2: THREE_FRY
func.func @main(%a: tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return %0#0, %0#1 : tensor<3xui64>, tensor<4xui32>
}
// REFUSED stablehlo.rng_bit_generator: rng_bit_generator_c2: initial_state must be u64[2] for THREE_FRY, got u64[3]

// CASE rng_bit_generator_c2: PHILOX
func.func @main(%a: tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>) {
  %0:2 = "stablehlo.rng_bit_generator"(%a) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return %0#0, %0#1 : tensor<4xui64>, tensor<4xui32>
}
// REFUSED stablehlo.rng_bit_generator: rng_bit_generator_c2: initial_state must be u64[2] or u64[3] for PHILOX and DEFAULT, got u64[4]
