// CASE dot_general
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// INPUTS
f32[2,2] { {1, 2}, {3, 4} }
f32[2,2] { {5, 6}, {7, 8} }
// RESULT
f32[2,2] { { 19, 22 }, { 43, 50 } }

// CASE dot_general with a batch
func.func @main(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[2,2] { {1, 2}, {3, 4} }
s32[2,2] { {5, 6}, {7, 8} }
// RESULT
s32[2] {17, 53}

// CASE dot_general into a wider type
func.func @main(%a: tensor<2xi8>, %b: tensor<2xi8>) -> tensor<i32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xi8>, tensor<2xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
// INPUTS
s8[2] {100, 100}
s8[2] {100, 100}
// RESULT
s32[] 20000

// CASE dot_general with an algorithm
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// INPUTS
f32[2] {1, 2}
f32[2] {3, 4}
// RESULT
f32[] 11

// CASE refuses an unknown algorithm
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// REFUSED stablehlo.dot_general: the dot algorithm is not known: operands f32 and f32, accumulation f64, 1 operations

// CASE dot_general_c2
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c2: lhs and rhs must have as many contracting dimensions, got 2 and 1

// CASE dot_general_c3
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1, 1] x [0, 1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c3: lhs_contracting_dimensions must name each dimension once, got 1 twice

// CASE dot_general_c4
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0, 1] x [0, 0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c4: rhs_contracting_dimensions must name each dimension once, got 0 twice

// CASE dot_general_c6
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c6: lhs_contracting_dimensions must be at least 0 and less than the rank 2, got 2

// CASE dot_general_c8
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [2] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c8: rhs_contracting_dimensions must be at least 0 and less than the rank 2, got 2

// CASE dot_general_c9
func.func @main(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c9: batching dimension sizes must match: lhs f32[2,2] dimension 0 is 2, rhs f32[3,2] dimension 0 is 3

// CASE dot_general_c10
func.func @main(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c10: contracting dimension sizes must match: lhs f32[2,2] dimension 1 is 2, rhs f32[3,2] dimension 0 is 3

// CASE dot_general_c12
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c12: result 0 is declared as f32[2,2], expected f32[2,3]

// CASE dot of a matrix and a vector
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2,2] { {1, 2}, {3, 4} }
f32[2] {5, 6}
// RESULT
f32[2] {17, 39}

// CASE einsum
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// INPUTS
f32[2,2] { {1, 2}, {3, 4} }
f32[2,2] { {5, 6}, {7, 8} }
// RESULT
f32[2,2] { { 19, 22 }, { 43, 50 } }

// CASE unary_einsum
func.func @main(%a: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ij->i"}> : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
f32[2] {6, 15}

// CASE convolution
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// INPUTS
f32[1,4,1] { { {1}, {2}, {3}, {4} } }
f32[2,1,1] { { {10} }, { {1} } }
// RESULT
f32[1,3,1] { { {12}, {23}, {34} } }

// CASE convolution with strides, padding and dilation
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x2x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}
// INPUTS
f32[1,4,1] { { {1}, {2}, {3}, {4} } }
f32[2,1,1] { { {10} }, { {1} } }
// RESULT
f32[1,2,1] { { {2}, {24} } }

// CASE convolution with a reversed window
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// INPUTS
f32[1,4,1] { { {1}, {2}, {3}, {4} } }
f32[2,1,1] { { {10} }, { {1} } }
// RESULT
f32[1,3,1] { { {21}, {32}, {43} } }

// CASE convolution_c3
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c3: window_strides must be at least 1, got 0

// CASE convolution_c6
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c6: lhs_dilation must be at least 1, got 0

// CASE convolution_c11
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c11: expected the input feature dimension (1) to be a multiple of feature_group_count (2)

// CASE convolution_c14
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x2x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x2x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c14: expected the input feature dimension (1) to be the one of the kernel (2) times feature_group_count (1)

// CASE convolution_c22
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c22: batch_group_count must be at least 1, got 0

// CASE convolution_c25
func.func @main(%a: tensor<1x4x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x4x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}
// REFUSED stablehlo.convolution: convolution_c25: result 0 is declared as f32[1,4,1], expected f32[1,3,1]

// CASE dot_general_c1
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c1: lhs and rhs must have as many batching dimensions, got 1 and 0

// CASE dot_general_c5
func.func @main(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [2], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c5: lhs_batching_dimensions must be at least 0 and less than the rank 2, got 2

// CASE dot_general_c7
func.func @main(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [-1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.dot_general: dot_general_c7: rhs_batching_dimensions must be at least 0 and less than the rank 2, got -1
