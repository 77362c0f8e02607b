// Constraints of products, convolutions and linear algebra, each broken by one case.

// CASE dot_general_c11
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>]}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c11: precision_config must have an entry for each of the 2 operands, got 1

// CASE dot_general_c21
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c21: with an algorithm, precision_config must be DEFAULT

// CASE dot_general_c22
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c22: lhs_component_count must be at least 1

// CASE dot_general_c23
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c23: rhs_component_count must be at least 1

// CASE dot_general_c24
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c24: num_primitive_operations must be at least 1

// CASE convolution_c1
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c1: lhs and rhs must have the same rank, at least 2, got f32[1,5,5,2] and f32[3,2,4]

// CASE convolution_c2
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c2: window_strides must have 2 entries, got 1

// CASE convolution_c4
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<1x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c4: padding must have 2 entries, got 1

// CASE convolution_c5
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c5: lhs_dilation must have 2 entries, got 1

// CASE convolution_c7
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c7: rhs_dilation must have 2 entries, got 1

// CASE convolution_c8
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 0, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c8: rhs_dilation must be at least 1, got 0

// CASE convolution_c9
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c9: window_reversal must have 2 entries, got 1

// CASE convolution_c10
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c10: expected the input batch dimension (1) to be a multiple of batch_group_count (2)

// CASE convolution_c12
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c12: input_spatial_dimensions must have 2 entries, got 1

// CASE convolution_c13
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c13: the dimensions of the input must name each dimension once, got 1 twice

// CASE convolution_c15
func.func @main(%a: tensor<3x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 3 : i64}> : (tensor<3x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c15: expected the output feature dimension of the kernel (4) to be a multiple of batch_group_count (3)

// CASE convolution_c16
func.func @main(%a: tensor<1x5x5x6xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x6xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c16: expected the output feature dimension of the kernel (4) to be a multiple of feature_group_count (3)

// CASE convolution_c17
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c17: kernel_spatial_dimensions must have 2 entries, got 1

// CASE convolution_c18
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c18: the dimensions of the kernel must name each dimension once, got 0 twice

// CASE convolution_c19
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c19: output_spatial_dimensions must have 2 entries, got 1

// CASE convolution_c20
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c20: the dimensions of the output must be at least 0 and less than the rank 4, got 4

// CASE convolution_c21
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c21: feature_group_count must be at least 1, got 0

// CASE convolution_c23
func.func @main(%a: tensor<2x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64}> : (tensor<2x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c23: feature_group_count or batch_group_count must be 1

// CASE convolution_c24
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>]}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c24: precision_config must have an entry for each of the 2 operands, got 1

// CASE convolution_c26
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x12xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x12xf32>
  return %0 : tensor<1x3x12xf32>
}
// REFUSED stablehlo.convolution: convolution_c26: the result must have the rank of lhs, 4, got f32[1,3,12]

// CASE convolution_c27
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf64>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: convolution_c27: requires the same element type for operands #0 and #1, got f32[1,5,5,2] and f64[3,3,2,4]

// CASE convolution without feature_group_count
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.convolution: requires attribute 'feature_group_count'

// CASE dynamic_conv_c1
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c1: lhs and rhs must have the same rank, at least 2, got f32[1,5,5,2] and f32[3,2,4]

// CASE dynamic_conv_c2
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c2: window_strides must have 2 entries, got 1

// CASE dynamic_conv_c3
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 0, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c3: window_strides must be at least 1, got 0

// CASE dynamic_conv_c4
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<1x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c4: padding must have 2 entries, got 1

// CASE dynamic_conv_c5
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c5: lhs_dilation must have 2 entries, got 1

// CASE dynamic_conv_c6
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 0>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c6: lhs_dilation must be at least 1, got 0

// CASE dynamic_conv_c7
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c7: rhs_dilation must have 2 entries, got 1

// CASE dynamic_conv_c8
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 0, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c8: rhs_dilation must be at least 1, got 0

// CASE dynamic_conv_c9
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c9: window_reversal must have 2 entries, got 1

// CASE dynamic_conv_c10
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c10: expected the input batch dimension (1) to be a multiple of batch_group_count (2)

// CASE dynamic_conv_c11
func.func @main(%a: tensor<1x5x5x3xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x3xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c11: expected the input feature dimension (3) to be a multiple of feature_group_count (2)

// CASE dynamic_conv_c12
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c12: input_spatial_dimensions must have 2 entries, got 1

// CASE dynamic_conv_c13
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c13: the dimensions of the input must name each dimension once, got 1 twice

// CASE dynamic_conv_c14
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x3x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c14: expected the input feature dimension (2) to be the one of the kernel (3) times feature_group_count (1)

// CASE dynamic_conv_c15
func.func @main(%a: tensor<3x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 3 : i64}> : (tensor<3x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c15: expected the output feature dimension of the kernel (4) to be a multiple of batch_group_count (3)

// CASE dynamic_conv_c16
func.func @main(%a: tensor<1x5x5x6xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 3 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x6xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c16: expected the output feature dimension of the kernel (4) to be a multiple of feature_group_count (3)

// CASE dynamic_conv_c17
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c17: kernel_spatial_dimensions must have 2 entries, got 1

// CASE dynamic_conv_c18
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c18: the dimensions of the kernel must name each dimension once, got 0 twice

// CASE dynamic_conv_c19
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c19: output_spatial_dimensions must have 2 entries, got 1

// CASE dynamic_conv_c20
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c20: the dimensions of the output must be at least 0 and less than the rank 4, got 4

// CASE dynamic_conv_c21
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c21: feature_group_count must be at least 1, got 0

// CASE dynamic_conv_c22
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c22: batch_group_count must be at least 1, got 0

// CASE dynamic_conv_c23
func.func @main(%a: tensor<2x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64}> : (tensor<2x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c23: feature_group_count or batch_group_count must be 1

// CASE dynamic_conv_c24
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>]}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c24: precision_config must have an entry for each of the 2 operands, got 1

// CASE dynamic_conv_c25
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x3x4x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi64>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c25: result 0 is declared as f32[1,3,4,4], expected f32[1,3,3,4]

// CASE dynamic_conv_c27
func.func @main(%a: tensor<1x5x5x2xf32>, %b: tensor<3x3x2x4xf64>) -> tensor<1x3x3x4xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{window_strides = array<i64: 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x5x5x2xf32>, tensor<3x3x2x4xf64>, tensor<2x2xi64>) -> tensor<1x3x3x4xf32>
  return %0 : tensor<1x3x3x4xf32>
}
// REFUSED stablehlo.dynamic_conv: dynamic_conv_c27: requires the same element type for operands #0 and #1, got f32[1,5,5,2] and f64[3,3,2,4]

// CASE cholesky_c1
func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf64> {
  %0 = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}
// REFUSED stablehlo.cholesky: cholesky_c1: result 0 is declared as f64[3,3], expected f32[3,3]

// CASE triangular_solve_c4
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}
// REFUSED stablehlo.triangular_solve: triangular_solve_c4: result 0 is declared as f32[3,3], expected f32[3,2]

// CASE triangular_solve without left_side
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// REFUSED stablehlo.triangular_solve: requires attribute 'left_side'

// CASE fft_c1
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4, 4>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
// REFUSED stablehlo.fft: fft_c1: fft_length has 2 entries, more than the rank of c64[4]

// CASE fft_c2: the result
func.func @main(%a: tensor<4xf32>) -> tensor<3xcomplex<f64>> {
  %0 = "stablehlo.fft"(%a) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}> : (tensor<4xf32>) -> tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}
// REFUSED stablehlo.fft: fft_c2: result 0 is declared as c128[3], expected c64[3]

// CASE batch_norm_inference_c2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf64>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c2: requires the same element type for operands #0 and #4, got f32[2,3] and f64[3]

// CASE batch_norm_inference_c3
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c3: operand #1 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_inference_c5
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c5: operand #3 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_inference_c6
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c6: operand #4 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_inference_c7
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// REFUSED stablehlo.batch_norm_inference: batch_norm_inference_c7: result 0 is declared as f32[3,2], expected f32[2,3]

// CASE batch_norm_inference of an epsilon of another type
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f64, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: the attribute 'epsilon' must be a float of type f32

// CASE batch_norm_inference without epsilon
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %b, %c, %d, %e) <{feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.batch_norm_inference: requires attribute 'epsilon'

// CASE batch_norm_training_c1
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_training: batch_norm_training_c1: feature_index must be at least 0 and less than the rank of f32[2,3], got 2

// CASE batch_norm_training_c2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf64>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf64>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_training: batch_norm_training_c2: requires the same element type for operands #0 and #2, got f32[2,3] and f64[3]

// CASE batch_norm_training_c3
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_training: batch_norm_training_c3: operand #1 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_training_c4
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_training: batch_norm_training_c4: operand #2 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_training_c7
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_training: batch_norm_training_c7: result 0 is declared as f32[3,2], expected f32[2,3]

// CASE batch_norm_grad_c1
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c1: feature_index must be at least 0 and less than the rank of f32[2,3], got 2

// CASE batch_norm_grad_c2
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2x3xf64>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf64>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c2: requires the same element type for operands #0 and #4, got f32[2,3] and f64[2,3]

// CASE batch_norm_grad_c3
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c3: requires the same shape for operands #0 and #4, got f32[2,3] and f32[3,2]

// CASE batch_norm_grad_c4: the mean
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>, %d: tensor<3xf32>, %e: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c4: operand #2 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_grad_c4: the variance
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<2xf32>, %e: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c4: operand #3 must have an entry for each of 3 features, got f32[2]

// CASE batch_norm_grad_c5
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %b, %c, %d, %e) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// REFUSED stablehlo.batch_norm_grad: batch_norm_grad_c5: operand #1 must have an entry for each of 3 features, got f32[2]
