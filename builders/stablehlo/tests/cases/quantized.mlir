// CASE uniform_quantize rounds to even and limits
func.func @main(%a: tensor<3xf32>) -> tensor<3xi8> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<3xi8>
  return %1 : tensor<3xi8>
}
// INPUTS
f32[3] {0.25, 0.75, 1000}
// RESULT
s8[3] {10, 12, 127}

// CASE uniform_dequantize
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
// INPUTS
f32[3] {0.3, -0.8, 1000}
// RESULT
f32[3] {0.5, -1, 58.5}

// CASE add of quantized tensors
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %1 = stablehlo.uniform_quantize %b : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %2 = stablehlo.add %0, %1 : tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<3x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}
// INPUTS
f32[3] {1, 2, 50}
f32[3] {0.5, -1, 50}
// RESULT
f32[3] {1.5, 1, 58.5}

// CASE a scale for each index of a dimension
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 2.0:1}>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5:0, 2.0:1}>>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
// INPUTS
f32[2,2] { {1.3, 1.3}, {-3.2, -3.2} }
// RESULT
f32[2,2] { { 1.5, 2 }, { -3, -4 } }

// CASE dot_general of quantized tensors
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_quantize %b : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i16:f32, 0.125>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<!quant.uniform<i16:f32, 0.125>>) -> tensor<f32>
  return %3 : tensor<f32>
}
// INPUTS
f32[2] {1, 2}
f32[2] {3, 4}
// RESULT
f32[] 11

// CASE reshape moves what is stored
func.func @main(%a: tensor<3xf32>) -> tensor<3x1xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:10>>
  %1 = stablehlo.reshape %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<3x1x!quant.uniform<i8:f32, 0.5:10>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<3x1x!quant.uniform<i8:f32, 0.5:10>>) -> tensor<3x1xf32>
  return %2 : tensor<3x1xf32>
}
// INPUTS
f32[3] {1, 2, 3}
// RESULT
f32[3,1] { {1}, {2}, {3} }

// CASE refuses a scale that is not positive
func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<1xf32>) -> tensor<1x!quant.uniform<i8:f32, -1.0>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<1x!quant.uniform<i8:f32, -1.0>>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
// REFUSED stablehlo.uniform_quantize: quantized_type_c5: scales must be positive, got -1
