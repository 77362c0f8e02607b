// Constraints on quantized types and on operations of them, each broken by one case.

// CASE limits of storage that are not in order
func.func @main(%a: tensor<4x!quant.uniform<i8<100:-100>:f32, 0.5:1>>) -> tensor<4xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8<100:-100>:f32, 0.5:1>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED error: expected limits in order from -128 to 127

// CASE quantized_type_c5
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, -0.5:1>>) -> tensor<4xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, -0.5:1>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.uniform_dequantize: quantized_type_c5: scales must be positive, got -0.5

// CASE quantized_type_c7
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:200>>) -> tensor<4xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:200>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.uniform_dequantize: quantized_type_c7: zero points must be at least -128 and at most 127, got 200

// CASE quantized_type_c12
func.func @main(%a: tensor<4x!quant.uniform<i8:f32:1, {0.5:1}>>) -> tensor<4xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32:1, {0.5:1}>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.uniform_dequantize: quantized_type_c12: the quantized dimension must be less than the rank 1, got 1

// CASE quantized_type_c13
func.func @main(%a: tensor<4x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<4xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.uniform_dequantize: quantized_type_c13: expected a scale for each of the 4 indices of dimension 0, got 2

// CASE uniform_quantize_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<4xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.uniform_quantize: uniform_quantize_c1: result 0 is declared as f32[5], expected f32[4]

// CASE uniform_quantize_c2
func.func @main(%a: tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.uniform_quantize"(%a) : (tensor<4xf64>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.uniform_quantize: uniform_quantize_c2: result 0 is declared as f32[4], expected f64[4]

// CASE uniform_dequantize_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<5xf32> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.uniform_dequantize: uniform_dequantize_c1: result 0 is declared as f32[5], expected f32[4]

// CASE uniform_dequantize_c2
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf64> {
  %0 = "stablehlo.uniform_dequantize"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.uniform_dequantize: uniform_dequantize_c2: result 0 is declared as f64[4], expected f32[4]

// CASE add_c2
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.add: add_c2: operands and result must be quantized all, or none; use uniform_quantize

// CASE add_c3
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.add: add_c3: quantized operands and result must be stored in the same type

// CASE add_c4
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4x!quant.uniform<i8:f16, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f16, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.add: add_c4: quantized operands and result must stand for numbers of one type

// CASE subtract_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.subtract"(%a, %b) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.subtract: subtract_c1: operands and result must be quantized all, or none; use uniform_quantize

// CASE compare_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
// REFUSED stablehlo.compare: compare_c1: both operands must be quantized, or neither

// CASE clamp_c3
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4xf32>, %c: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.clamp"(%a, %b, %c) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.clamp: clamp_c3: operands and result must be quantized all, or none; use uniform_quantize

// CASE select_c2
func.func @main(%a: tensor<4xi1>, %b: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %c: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.select"(%a, %b, %c) : (tensor<4xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.select: select_c2: operands and result must be quantized all, or none; use uniform_quantize

// CASE concatenate_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<4xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4xf32>) -> tensor<8x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<8x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.concatenate: concatenate_c1: operands and result must be quantized all, or none; use uniform_quantize

// CASE reshape_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:1>> {
  %0 = "stablehlo.reshape"(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.25:1>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32, 0.25:1>>
}
// REFUSED stablehlo.reshape: reshape_c1: the result must be quantized as the operand is; use uniform_quantize to change it

// CASE reshape_c3
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:2}>> {
  %0 = "stablehlo.reshape"(%a) : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:2}>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32:1, {0.5:1, 0.25:2}>>
}
// REFUSED stablehlo.reshape: reshape_c3: the quantized dimension 0 of s8[2,3] must remain one of the result, got dimension 1 of s8[3,2]

// CASE transpose_c4
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>> {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
}
// REFUSED stablehlo.transpose: transpose_c4: dimension 0 of the result, along which it is quantized, must come from dimension 0 of the operand, got 1

// CASE broadcast_in_dim_c6: another dimension
func.func @main(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>> {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
  return %0 : tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c6: the result must be quantized along dimension 1, which is the operand's dimension 0

// CASE broadcast_in_dim_c6: other scales
func.func @main(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>> {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 0>}> : (tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
  return %0 : tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c6: all scales and zero points of the result must be the operand's one

// CASE slice_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:1>> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.25:1>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.25:1>>
}
// REFUSED stablehlo.slice: slice_c1: the result must be quantized as the operand is; use uniform_quantize to change it

// CASE pad_c1
func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<5x!quant.uniform<i8:f32, 0.25:1>> {
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<5x!quant.uniform<i8:f32, 0.25:1>>
  return %0 : tensor<5x!quant.uniform<i8:f32, 0.25:1>>
}
// REFUSED stablehlo.pad: pad_c1: the result must be quantized as the operand is; use uniform_quantize to change it

// CASE dot_general_c14
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
}
// REFUSED stablehlo.dot_general: dot_general_c14: with quantized tensors, rhs must be quantized, and the result if and only if lhs is

// CASE dot_general_c15
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
}
// REFUSED stablehlo.dot_general: dot_general_c15: the zero points of rhs must be 0

// CASE dot_general_c16
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4x!quant.uniform<i8:f32:0, {0.5:0, 0.5:0, 0.5:0}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5:0, 0.5:0, 0.5:0}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
}
// REFUSED stablehlo.dot_general: dot_general_c16: rhs must not be quantized along its contracting dimension 0

// CASE dot_general_c17
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4x!quant.uniform<i4:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4x!quant.uniform<i4:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32, 0.5:0>>
}
// REFUSED stablehlo.dot_general: dot_general_c17: lhs and rhs must be stored in the same type, got s8 and s4

// CASE dot_general_c18
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f16, 0.5:0>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f16, 0.5:0>>
  return %0 : tensor<2x4x!quant.uniform<i8:f16, 0.5:0>>
}
// REFUSED stablehlo.dot_general: dot_general_c18: lhs, rhs and the result must stand for numbers of one type, got f32, f32 and f16

// CASE dot_general_c19
func.func @main(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.5:0, 0.5:0}>> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x!quant.uniform<i8:f32, 0.5:0>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4x!quant.uniform<i8:f32:0, {0.5:0, 0.5:0}>>
  return %0 : tensor<2x4x!quant.uniform<i8:f32:0, {0.5:0, 0.5:0}>>
}
// REFUSED stablehlo.dot_general: dot_general_c19: the result must have one scale, because rhs has one

// CASE dot_general_c20
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4xf64> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<2x4xf64>
  return %0 : tensor<2x4xf64>
}
// REFUSED stablehlo.dot_general: dot_general_c20: lhs, rhs and the result must stand for numbers of one type, got f32, f32 and f64

// CASE convolution_c28
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2xf32>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2xf32>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.convolution: convolution_c28: with quantized tensors, rhs must be quantized, and the result if and only if lhs is

// CASE convolution_c29
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2x!quant.uniform<i8:f32:0, {0.5:0, 0.25:0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.convolution: convolution_c29: the kernel must be quantized along kernel_output_feature_dimension 2, got 0

// CASE convolution_c30
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32:1, {0.5:0, 0.5:0, 0.5:0}>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0}>>) -> tensor<1x3x2x!quant.uniform<i8:f32:1, {0.5:0, 0.5:0, 0.5:0}>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f32:1, {0.5:0, 0.5:0, 0.5:0}>>
}
// REFUSED stablehlo.convolution: convolution_c30: the result must be quantized along output_feature_dimension 2, got 1

// CASE convolution_c31
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2x!quant.uniform<i4:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f32, 0.5:1>>
}
// REFUSED stablehlo.convolution: convolution_c31: lhs and rhs must be stored in the same type, got s8 and s4

// CASE convolution_c32
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f16, 0.5:1>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f16, 0.5:1>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f16, 0.5:1>>
}
// REFUSED stablehlo.convolution: convolution_c32: lhs, rhs and the result must stand for numbers of one type, got f32, f32 and f16

// CASE convolution_c33
func.func @main(%a: tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0}>> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0}>>
  return %0 : tensor<1x3x2x!quant.uniform<i8:f32:2, {0.5:0, 0.25:0}>>
}
// REFUSED stablehlo.convolution: convolution_c33: the result must have one scale, because rhs has one

// CASE convolution_c34
func.func @main(%a: tensor<1x4x2xf32>, %b: tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2xf64> {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<2x2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x3x2xf64>
  return %0 : tensor<1x3x2xf64>
}
// REFUSED stablehlo.convolution: convolution_c34: lhs, rhs and the result must stand for numbers of one type, got f32, f32 and f64
