// Constraints of operations that move elements, each broken by one case.

// CASE reshape_c1
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.reshape"(%a) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.reshape: reshape_c1: the result must have the operand's element type, f32, got f64[4]

// CASE reverse_c1
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.reverse: reverse_c1: result 0 is declared as f32[5], expected f32[4]

// CASE transpose_c1
func.func @main(%a: tensor<2x3xf32>) -> tensor<3x2xf64> {
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}
// REFUSED stablehlo.transpose: transpose_c1: result 0 is declared as f64[3,2], expected f32[3,2]

// CASE broadcast_in_dim_c1
func.func @main(%a: tensor<4xf32>) -> tensor<2x4xf64> {
  %0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2x4xf64>
  return %0 : tensor<2x4xf64>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c1: result 0 is declared as f64[2,4], expected f32[2,4]

// CASE slice_c1
func.func @main(%a: tensor<4xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// REFUSED stablehlo.slice: slice_c1: result 0 is declared as f64[2], expected f32[2]

// CASE slice without strides
func.func @main(%a: tensor<4xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.slice: requires attribute 'strides'

// CASE dynamic_slice_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) -> tensor<2xf64> {
  %0 = "stablehlo.dynamic_slice"(%a, %b) <{slice_sizes = array<i64: 2>}> : (tensor<4xf32>, tensor<i32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// REFUSED stablehlo.dynamic_slice: dynamic_slice_c1: result 0 is declared as f64[2], expected f32[2]

// CASE dynamic_update_slice_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<i32>) -> tensor<5xf32> {
  %0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c1: result 0 is declared as f32[5], expected f32[4]

// CASE concatenate_c5
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf64> {
  %0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}
// REFUSED stablehlo.concatenate: concatenate_c5: result 0 is declared as f64[8], expected f32[8]

// CASE concatenate with a dimension of type i32
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.concatenate"(%a, %b) <{dimension = 0 : i32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// REFUSED stablehlo.concatenate: the attribute 'dimension' must be an integer of type i64

// CASE pad_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<5xf64> {
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<4xf32>, tensor<f32>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}
// REFUSED stablehlo.pad: pad_c1: result 0 is declared as f64[5], expected f32[5]

// CASE pad_c4: less than nothing
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<0xf32> {
  %0 = "stablehlo.pad"(%a, %b) <{edge_padding_low = array<i64: -3>, edge_padding_high = array<i64: -2>, interior_padding = array<i64: 0>}> : (tensor<4xf32>, tensor<f32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
// REFUSED stablehlo.pad: pad_c4: padding removes more than there is of dimension 0 of f32[4]: low -3, high -2

// CASE gather_c4: twice
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.gather: gather_c4: offset_dims must name each dimension once, got 1 twice

// CASE gather_c4: not sorted
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x1x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x1x4xf32>
  return %0 : tensor<2x1x4xf32>
}
// REFUSED stablehlo.gather: gather_c4: offset_dims must be in ascending order

// CASE gather_c6
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
// REFUSED stablehlo.gather: gather_c6: collapsed_slice_dims must name each dimension once, got 0 twice

// CASE gather_c7
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.gather: gather_c7: collapsed_slice_dims must be in ascending order

// CASE gather_c10
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c10: operand_batching_dims must be in ascending order

// CASE gather_c11
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c11: operand_batching_dims must be at least 0 and less than the rank 3, got 3

// CASE gather_c12
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 2, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c12: slice_sizes[0] must be at most 1, because operand_batching_dims has dimension 0, got 2

// CASE gather_c13
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c13: start_indices_batching_dims must name each dimension once, got 0 twice

// CASE gather_c14
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c14: start_indices_batching_dims must be at least 0 and less than the rank 3, got 3

// CASE gather_c15
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c15: start_indices_batching_dims must not have index_vector_dim 2

// CASE gather_c16
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0, 1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c16: operand_batching_dims and start_indices_batching_dims must have as many entries, got 1 and 2

// CASE gather_c17
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c17: operand_batching_dims[0] and start_indices_batching_dims[0] must be dimensions of equal size, got 3 and 2

// CASE gather_c18
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<3x2x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.gather: gather_c18: start_index_map and operand_batching_dims must name each dimension once, got 0 twice

// CASE gather_c23
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>) -> tensor<2x4xf64> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf64>
  return %0 : tensor<2x4xf64>
}
// REFUSED stablehlo.gather: gather_c23: result 0 is declared as f64[2,4], expected f32[2,4]

// CASE scatter_c1
func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x4xf32>, %c: tensor<2x1xi32>, %d: tensor<2x4xf32>, %e: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%w: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    stablehlo.return %y, %z : tensor<f32>, tensor<f32>
  }) : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<4x4xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<4x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c1: requires the same shape for operands #0 and #1, got f32[3,4] and f32[4,4]

// CASE scatter_c3
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<2x1xi32>, %d: tensor<2x4xf32>, %e: tensor<2x3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d, %e) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%w: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    stablehlo.return %y, %z : tensor<f32>, tensor<f32>
  }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>, tensor<2x3xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c3: requires the same shape for operands #3 and #4, got f32[2,4] and f32[2,3]

// CASE scatter_c5
func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %c: tensor<2x1xi32>, %d: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %c, %d) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%w: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    stablehlo.return %y, %z : tensor<f32>, tensor<f32>
  }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c5: expected arrays, indices, and as many updates as arrays, got 4 operands

// CASE scatter_c6
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf64>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c6: requires the same element type for operands #0 and #2, got f32[3,4] and f64[2,4]

// CASE scatter_c7: twice
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c7: update_window_dims must name each dimension once, got 1 twice

// CASE scatter_c7: not sorted
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x1x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x1x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c7: update_window_dims must be in ascending order

// CASE scatter_c9
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c9: inserted_window_dims must name each dimension once, got 0 twice

// CASE scatter_c10
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1, 0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c10: inserted_window_dims must be in ascending order

// CASE scatter_c11
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c11: inserted_window_dims must be at least 0 and less than the rank 2, got 2

// CASE scatter_c12
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c12: input_batching_dims must be in ascending order

// CASE scatter_c13
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [3], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c13: input_batching_dims must be at least 0 and less than the rank 3, got 3

// CASE scatter_c14
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c14: scatter_indices_batching_dims must name each dimension once, got 0 twice

// CASE scatter_c15
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c15: scatter_indices_batching_dims must be at least 0 and less than the rank 3, got 3

// CASE scatter_c16
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c16: scatter_indices_batching_dims must not have index_vector_dim 2

// CASE scatter_c17
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c17: input_batching_dims and scatter_indices_batching_dims must have as many entries, got 1 and 2

// CASE scatter_c18
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c18: input_batching_dims[0] and scatter_indices_batching_dims[0] must be dimensions of equal size, got 3 and 2

// CASE scatter_c20
func.func @main(%a: tensor<3x2x4xf32>, %b: tensor<3x2x1xi32>, %c: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x2x4xf32>, tensor<3x2x1xi32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c20: scatter_dims_to_operand_dims and input_batching_dims must name each dimension once, got 0 twice

// CASE scatter_c21
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c21: scatter_dims_to_operand_dims and input_batching_dims must be at least 0 and less than the rank 2, got 2

// CASE scatter_c22
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c22: index_vector_dim must be at least 0 and at most the rank of the indices, 2, got 3

// CASE scatter_c24
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c24: result 0 is declared as f32[4,4], expected f32[3,4]

// CASE scatter_c25
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf64> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}
// REFUSED stablehlo.scatter: scatter_c25: result 0 is declared as f64[3,4], expected f32[3,4]

// CASE scatter_c23: another kind of number
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
// REFUSED stablehlo.scatter: scatter_c23: operand #0 is f32[3,4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE scatter_c23: two results
func.func @main(%a: tensor<3x4xf32>, %b: tensor<2x1xi32>, %c: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// REFUSED stablehlo.scatter: scatter_c23: region 0 must return f32[], got (f32[], f32[])
