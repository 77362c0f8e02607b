// CASE reshape
func.func @main(%a: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// INPUTS
s32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
s32[3,2] { { 1, 2 }, { 3, 4 }, { 5, 6 } }

// CASE reshape_c1
func.func @main(%a: tensor<2x3xi32>) -> tensor<3x2xf32> {
  %0 = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// REFUSED stablehlo.reshape: reshape_c1: the result must have the operand's element type, s32, got f32[3,2]

// CASE reshape_c2
func.func @main(%a: tensor<2x3xi32>) -> tensor<5xi32> {
  %0 = stablehlo.reshape %a : (tensor<2x3xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
// REFUSED stablehlo.reshape: reshape_c2: the number of elements of the result, 5 in s32[5], must be that of the operand, 6 in s32[2,3]

// CASE transpose
func.func @main(%a: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// INPUTS
s32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
s32[3,2] { { 1, 4 }, { 2, 5 }, { 3, 6 } }

// CASE transpose_c2
func.func @main(%a: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
// REFUSED stablehlo.transpose: transpose_c2: permutation must name each dimension once, got 1 twice

// CASE transpose_c3
func.func @main(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// REFUSED stablehlo.transpose: transpose_c3: result 0 is declared as s32[2,3], expected s32[3,2]

// CASE reverse
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// INPUTS
s32[3] {1, 2, 3}
// RESULT
s32[3] {3, 2, 1}

// CASE reverse_c2
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.reverse: reverse_c2: dimensions must name each dimension once, got 0 twice

// CASE reverse_c3
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.reverse %a, dims = [1] : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.reverse: reverse_c3: dimensions must be at least 0 and less than the rank 1, got 1

// CASE broadcast adds dimensions in front
func.func @main(%a: tensor<2xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// INPUTS
s32[2] {1, 2}
// RESULT
s32[2,2] { { 1, 2 }, { 1, 2 } }

// CASE broadcast_in_dim
func.func @main(%a: tensor<2xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// INPUTS
s32[2] {1, 2}
// RESULT
s32[2,3] { { 1, 1, 1 }, { 2, 2, 2 } }

// CASE broadcast_in_dim stretches and permutes
func.func @main(%a: tensor<1x2xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<1x2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// INPUTS
s32[1,2] { {1, 2} }
// RESULT
s32[2,3] { { 1, 1, 1 }, { 2, 2, 2 } }

// CASE broadcast_in_dim_c2
func.func @main(%a: tensor<2xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c2: broadcast_dimensions must have 1 entry, got 2

// CASE broadcast_in_dim_c3
func.func @main(%a: tensor<2xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c3: broadcast_dimensions must be at least 0 and less than the rank 2, got 2

// CASE broadcast_in_dim_c5
func.func @main(%a: tensor<2xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c5: dimension 0 of the operand must have the size 1 or that of dimension 1 of the result, 3, got 2

// CASE broadcast_in_dim_c4
func.func @main(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// REFUSED stablehlo.broadcast_in_dim: broadcast_in_dim_c4: broadcast_dimensions must name each dimension once, got 0 twice
