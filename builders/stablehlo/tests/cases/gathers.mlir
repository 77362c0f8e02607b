// CASE gather rows
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// INPUTS
s32[3,2] { {1, 2}, {3, 4}, {5, 6} }
s32[2,1] { {2}, {0} }
// RESULT
s32[2,2] { { 5, 6 }, { 1, 2 } }

// CASE gather_c1
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c1: offset_dims, collapsed_slice_dims and operand_batching_dims together must have 2 entries, got 3

// CASE gather_c2
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c2: index_vector_dim must be at least 0 and at most the rank of the indices, 2, got 3

// CASE gather_c3
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c3: start_index_map must have 1 entry, got 2

// CASE gather_c5
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c5: offset_dims must be at least 0 and less than the rank 2, got 2

// CASE gather_c8
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c8: collapsed_slice_dims must be at least 0 and less than the rank 2, got 2

// CASE gather_c9
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c9: slice_sizes[0] must be at most 1, because collapsed_slice_dims has dimension 0, got 2

// CASE gather_c19
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c19: start_index_map and operand_batching_dims must be at least 0 and less than the rank 2, got 2

// CASE gather_c20
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c20: slice_sizes must have 2 entries, got 1

// CASE gather_c21
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.gather: gather_c21: slice_sizes[1] must be at least 0 and at most 2, got 3

// CASE gather_c22
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}>
      : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// REFUSED stablehlo.gather: gather_c22: result 0 is declared as s32[2,3], expected s32[2,2]

// CASE scatter adds rows
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// INPUTS
s32[3,2] { {1, 2}, {3, 4}, {5, 6} }
s32[2,1] { {2}, {2} }
s32[2,2] { {10, 20}, {100, 200} }
// RESULT
s32[3,2] { { 1, 2 }, { 3, 4 }, { 115, 226 } }

// CASE scatter_c2
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.scatter: scatter_c2: update_window_dims, inserted_window_dims and input_batching_dims together must have 2 entries, got 3

// CASE scatter_c4
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.scatter: scatter_c4: dimension 1 of the updates s32[2,3] must be at most that of the window in s32[3,2]

// CASE scatter_c8
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.scatter: scatter_c8: update_window_dims must be at least 0 and less than the rank 2, got 2

// CASE scatter_c19
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.scatter: scatter_c19: scatter_dims_to_operand_dims must have 1 entry, got 2

// CASE scatter_c23
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x2xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.scatter: scatter_c23: region 0 must take 2 scalars, got 1 arguments

// CASE scatter_c24
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2x1xi32>, %c: tensor<2x2xi32>) -> tensor<3x3xi32> {
  %0 = "stablehlo.scatter"(%a, %b, %c) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %1 = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x3xi32>
  return %0 : tensor<3x3xi32>
}
// REFUSED stablehlo.scatter: scatter_c24: result 0 is declared as s32[3,3], expected s32[3,2]

// CASE torch_index_select
func.func @main(%a: tensor<3x2xi32>, %b: tensor<2xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.torch_index_select"(%a, %b) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// INPUTS
s32[3,2] { {1, 2}, {3, 4}, {5, 6} }
s32[2] {2, 0}
// RESULT
s32[2,2] { { 5, 6 }, { 1, 2 } }

// CASE torch_index_select with a batch
func.func @main(%a: tensor<2x3xi32>, %b: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = "stablehlo.torch_index_select"(%a, %b) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// INPUTS
s32[2,3] { {1, 2, 3}, {4, 5, 6} }
s32[2,2] { {2, 0}, {1, 1} }
// RESULT
s32[2,2] { { 3, 1 }, { 5, 5 } }

// CASE torch_index_select in the middle
func.func @main(%a: tensor<2x3x2xi32>, %b: tensor<1xi32>) -> tensor<2x1x2xi32> {
  %0 = "stablehlo.torch_index_select"(%a, %b) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3x2xi32>, tensor<1xi32>) -> tensor<2x1x2xi32>
  return %0 : tensor<2x1x2xi32>
}
// INPUTS
s32[2,3,2] { { {1, 2}, {3, 4}, {5, 6} }, { {7, 8}, {9, 10}, {11, 12} } }
s32[1] {1}
// RESULT
s32[2,1,2] { { { 3, 4 } }, { { 9, 10 } } }
