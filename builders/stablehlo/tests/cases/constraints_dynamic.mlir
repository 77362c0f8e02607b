// Constraints of operations whose shapes are operands, each broken by one case.

// CASE dynamic_broadcast_in_dim_c1
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf64> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf64>
  return %0 : tensor<2x4xf64>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c1: the result must have the element type f32, got f64[2,4]

// CASE dynamic_broadcast_in_dim_c2
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c2: broadcast_dimensions must have 1 entry, got 2

// CASE dynamic_broadcast_in_dim_c3
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c3: broadcast_dimensions must be at least 0 and less than the rank 2, got 2

// CASE dynamic_broadcast_in_dim_c4
func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s0 = stablehlo.constant dense<[4, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c4: broadcast_dimensions must name each dimension once, got 1 twice

// CASE dynamic_broadcast_in_dim_c5
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c5: dimension 0 of the operand must have the size 1 or that of dimension 0 of the result, 2, got 4

// CASE dynamic_broadcast_in_dim_c7
func.func @main(%a: tensor<4xf32>) -> tensor<3x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c7: the result is declared as f32[3,4], but the operand says f32[2,4]

// CASE dynamic_broadcast_in_dim_c8
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c8: known_expanding_dimensions and known_nonexpanding_dimensions together must name each dimension once, got 0 twice

// CASE dynamic_broadcast_in_dim_c9
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c9: known_expanding_dimensions must be at least 0 and less than the rank 1, got 1

// CASE dynamic_broadcast_in_dim_c10
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s0) <{broadcast_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_broadcast_in_dim: dynamic_broadcast_in_dim_c10: known_nonexpanding_dimensions must be at least 0 and less than the rank 1, got 1

// CASE dynamic_reshape_c1
func.func @main(%a: tensor<4xf32>) -> tensor<2x2xf64> {
  %s0 = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_reshape"(%a, %s0) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
// REFUSED stablehlo.dynamic_reshape: dynamic_reshape_c1: the result must have the element type f32, got f64[2,2]

// CASE dynamic_reshape_c2
func.func @main(%a: tensor<4xf32>) -> tensor<2x3xf32> {
  %s0 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_reshape"(%a, %s0) : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.dynamic_reshape: dynamic_reshape_c2: the result f32[2,3] must have as many elements as f32[4]

// CASE dynamic_reshape_c4
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s0 = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_reshape"(%a, %s0) : (tensor<4xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.dynamic_reshape: dynamic_reshape_c4: the result is declared as f32[4], but the operand says f32[2,2]

// CASE dynamic_iota_c1
func.func @main() -> tensor<4xf32> {
  %s0 = stablehlo.constant dense<[4]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_iota"(%s0) <{iota_dimension = 1 : i64}> : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.dynamic_iota: dynamic_iota_c1: iota_dimension must be one of f32[4], got 1

// CASE dynamic_iota_c2
func.func @main() -> tensor<4xf32> {
  %s0 = stablehlo.constant dense<[5]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_iota"(%s0) <{iota_dimension = 0 : i64}> : (tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.dynamic_iota: dynamic_iota_c2: the result is declared as f32[4], but the operand says f32[5]

// CASE dynamic_pad_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<f64>) -> tensor<5xf32> {
  %s0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %s1 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_pad"(%a, %b, %s0, %s1, %s2) : (tensor<4xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.dynamic_pad: dynamic_pad_c1: operand #1 must be f32[], got f64[]

// CASE dynamic_pad_c2
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<5xf32> {
  %s0 = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %s1 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_pad"(%a, %b, %s0, %s1, %s2) : (tensor<4xf32>, tensor<f32>, tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.dynamic_pad: dynamic_pad_c2: edge_padding_low must have 1 entry, got 2

// CASE dynamic_pad_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<5xf32> {
  %s0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %s1 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[-1]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_pad"(%a, %b, %s0, %s1, %s2) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.dynamic_pad: dynamic_pad_c3: interior_padding[0] must be at least 0, got -1

// CASE dynamic_pad_c4
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<6xf32> {
  %s0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %s1 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_pad"(%a, %b, %s0, %s1, %s2) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
// REFUSED stablehlo.dynamic_pad: dynamic_pad_c4: result 0 is declared as f32[6], expected f32[5]

// CASE real_dynamic_slice of a stride of 0
func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
  %s0 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %s1 = stablehlo.constant dense<[2]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[0]> : tensor<1xi64>
  %0 = "stablehlo.real_dynamic_slice"(%a, %s0, %s1, %s2) : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.real_dynamic_slice: real_dynamic_slice_c4: strides[0] must be at least 1, got 0

// CASE dynamic_gather_c1
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c1: offset_dims, collapsed_slice_dims and operand_batching_dims together must have 2 entries, got 1

// CASE dynamic_gather_c2
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c2: index_vector_dim must be at least 0 and at most the rank of the indices, 2, got 3

// CASE dynamic_gather_c3
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c3: start_index_map must have 1 entry, got 2

// CASE dynamic_gather_c4
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c4: offset_dims must name each dimension once, got 1 twice

// CASE dynamic_gather_c5
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c5: offset_dims must be at least 0 and less than the rank 2, got 2

// CASE dynamic_gather_c6: twice
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c6: collapsed_slice_dims must name each dimension once, got 0 twice

// CASE dynamic_gather_c6: not sorted
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c6: collapsed_slice_dims must be in ascending order

// CASE dynamic_gather_c7
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c7: collapsed_slice_dims must be at least 0 and less than the rank 2, got 2

// CASE dynamic_gather_c8
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c8: slice_sizes[0] must be at most 1, because collapsed_slice_dims has dimension 0, got 2

// CASE dynamic_gather_c9
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x2xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x2xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c9: start_index_map and operand_batching_dims must name each dimension once, got 0 twice

// CASE dynamic_gather_c10
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c10: start_index_map and operand_batching_dims must be at least 0 and less than the rank 2, got 2

// CASE dynamic_gather_c11
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1]> : tensor<1xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<1xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c11: slice_sizes must have 2 entries, got 1

// CASE dynamic_gather_c12
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %s0 = stablehlo.constant dense<[1, 5]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c12: slice_sizes[1] must be at least 0 and at most 4, got 5

// CASE dynamic_gather_c13
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x5xf32> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c13: result 0 is declared as f32[2,5], expected f32[2,4]

// CASE dynamic_gather_c14
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf64> {
  %s0 = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x4xf64>
  return %0 : tensor<2x4xf64>
}
// REFUSED stablehlo.dynamic_gather: dynamic_gather_c14: result 0 is declared as f64[2,4], expected f32[2,4]
