// CASE slice
func.func @main(%a: tensor<5xi32>) -> tensor<2xi32> {
  %0 = stablehlo.slice %a [1:5:2] : (tensor<5xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[5] {0, 1, 2, 3, 4}
// RESULT
s32[2] {1, 3}

// CASE slice_c2
func.func @main(%a: tensor<5xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 1, 2>, limit_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.slice: slice_c2: start_indices must have 1 entry, got 2

// CASE slice_c3
func.func @main(%a: tensor<5xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 2>, limit_indices = array<i64: 6>, strides = array<i64: 1>}> : (tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.slice: slice_c3: in dimension 0 must be 0 <= start <= limit <= 5, got start 2 and limit 6

// CASE slice_c4
func.func @main(%a: tensor<5xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 1>, limit_indices = array<i64: 3>, strides = array<i64: 0>}> : (tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.slice: slice_c4: strides[0] must be at least 1, got 0

// CASE slice_c5
func.func @main(%a: tensor<5xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 1>, limit_indices = array<i64: 3>, strides = array<i64: 1>}> : (tensor<5xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.slice: slice_c5: result 0 is declared as s32[3], expected s32[2]

// CASE dynamic_slice
func.func @main(%a: tensor<5xi32>, %b: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %a, %b, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[5] {0, 1, 2, 3, 4}
s32[] 9
// RESULT
s32[2] {3, 4}

// CASE dynamic_slice_c2
func.func @main(%a: tensor<5xi32>, %b: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %a, %b, sizes = [2, 2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.dynamic_slice: dynamic_slice_c2: slice_sizes must have 1 entry, got 2

// CASE dynamic_slice_c3
func.func @main(%a: tensor<5x5xi32>, %b: tensor<i32>, %c: tensor<i64>) -> tensor<2x2xi32> {
  %0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [2, 2] : (tensor<5x5xi32>, tensor<i32>, tensor<i64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.dynamic_slice: dynamic_slice_c3: operand #2 must be s32[], got s64[]

// CASE dynamic_slice_c4
func.func @main(%a: tensor<5xi32>, %b: tensor<i32>) -> tensor<6xi32> {
  %0 = stablehlo.dynamic_slice %a, %b, sizes = [6] : (tensor<5xi32>, tensor<i32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
// REFUSED stablehlo.dynamic_slice: dynamic_slice_c4: slice_sizes[0] must be at least 0 and at most 5, got 6

// CASE dynamic_slice_c5
func.func @main(%a: tensor<5xi32>, %b: tensor<i32>) -> tensor<3xi32> {
  %0 = stablehlo.dynamic_slice %a, %b, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.dynamic_slice: dynamic_slice_c5: result 0 is declared as s32[3], expected s32[2]

// CASE dynamic_update_slice
func.func @main(%a: tensor<5xi32>, %b: tensor<2xi32>, %c: tensor<i32>) -> tensor<5xi32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %c : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// INPUTS
s32[5] {0, 1, 2, 3, 4}
s32[2] {7, 8}
s32[] 2
// RESULT
s32[5] {0, 1, 7, 8, 4}

// CASE dynamic_update_slice_c2
func.func @main(%a: tensor<5xi32>, %b: tensor<2xf32>, %c: tensor<i32>) -> tensor<5xi32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %c : (tensor<5xi32>, tensor<2xf32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c2: requires the same element type for operands #0 and #1, got s32[5] and f32[2]

// CASE dynamic_update_slice_c3
func.func @main(%a: tensor<5xi32>, %b: tensor<1x2xi32>, %c: tensor<i32>) -> tensor<5xi32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %c : (tensor<5xi32>, tensor<1x2xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c3: the update must have the operand's rank 1, got s32[1,2]

// CASE dynamic_update_slice_c6
func.func @main(%a: tensor<5xi32>, %b: tensor<6xi32>, %c: tensor<i32>) -> tensor<5xi32> {
  %0 = stablehlo.dynamic_update_slice %a, %b, %c : (tensor<5xi32>, tensor<6xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c6: the update s32[6] must fit in the operand s32[5], but dimension 0 is larger

// CASE concatenate
func.func @main(%a: tensor<1xi32>, %b: tensor<2xi32>) -> tensor<3xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// INPUTS
s32[1] {1}
s32[2] {2, 3}
// RESULT
s32[3] {1, 2, 3}

// CASE concatenate_c1
func.func @main(%a: tensor<1xi32>, %b: tensor<2xf32>) -> tensor<3xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<2xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.concatenate: concatenate_c1: requires the same element type for operands #0 and #1, got s32[1] and f32[2]

// CASE concatenate_c2
func.func @main(%a: tensor<1x2xi32>, %b: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x2xi32>, tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.concatenate: concatenate_c2: operands must have equal sizes but along dimension 0, got s32[1,2] and s32[2,3]

// CASE concatenate_c4
func.func @main(%a: tensor<1xi32>, %b: tensor<2xi32>) -> tensor<3xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.concatenate: concatenate_c4: dimension must be at least 0 and less than the rank 1, got 1

// CASE concatenate_c6
func.func @main(%a: tensor<1xi32>, %b: tensor<2xi32>) -> tensor<4xi32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.concatenate: concatenate_c6: result 0 is declared as s32[4], expected s32[3]

// CASE pad with negative and interior padding
func.func @main(%a: tensor<3xi32>, %b: tensor<i32>) -> tensor<5xi32> {
  %0 = stablehlo.pad %a, %b, low = [1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// INPUTS
s32[3] {1, 2, 3}
s32[] 9
// RESULT
s32[5] {9, 1, 9, 2, 9}

// CASE pad_c1
func.func @main(%a: tensor<3xi32>, %b: tensor<f32>) -> tensor<4xi32> {
  %0 = stablehlo.pad %a, %b, low = [1], high = [0], interior = [0] : (tensor<3xi32>, tensor<f32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.pad: pad_c1: operand #1 must be s32[], got f32[]

// CASE pad_c2
func.func @main(%a: tensor<3xi32>, %b: tensor<i32>) -> tensor<4xi32> {
  %0 = stablehlo.pad %a, %b, low = [1, 1], high = [0, 0], interior = [0, 0] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.pad: pad_c2: edge_padding_low must have 1 entry, got 2

// CASE pad_c3
func.func @main(%a: tensor<3xi32>, %b: tensor<i32>) -> tensor<4xi32> {
  %0 = stablehlo.pad %a, %b, low = [1], high = [0], interior = [-1] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// REFUSED stablehlo.pad: pad_c3: interior_padding[0] must be at least 0, got -1

// CASE pad_c4
func.func @main(%a: tensor<3xi32>, %b: tensor<i32>) -> tensor<9xi32> {
  %0 = stablehlo.pad %a, %b, low = [1], high = [0], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
}
// REFUSED stablehlo.pad: pad_c4: result 0 is declared as s32[9], expected s32[4]

// CASE dynamic_update_slice_c4
func.func @main(%a: tensor<2x2xf32>, %i: tensor<i32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %a, %i : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c4: start_indices must have 2 entries, got 1

// CASE dynamic_update_slice_c5
func.func @main(%a: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %a, %i, %j : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// REFUSED stablehlo.dynamic_update_slice: dynamic_update_slice_c5: operand #3 must be s32[], got s64[]

// CASE concatenate_c3
func.func @main() -> tensor<2xf32> {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.concatenate: concatenate_c3: expected at least one operand
