// CASE a splat
func.func @main() -> tensor<2x2xf32> {
  %0 = stablehlo.constant dense<1.5> : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
// RESULT
f32[2,2] { { 1.5, 1.5 }, { 1.5, 1.5 } }

// CASE nested lists
func.func @main() -> tensor<2x2xi8> {
  %0 = stablehlo.constant dense<[[1, -2], [3, 255]]> : tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}
// RESULT
s8[2,2] { { 1, -2 }, { 3, -1 } }

// CASE pred
func.func @main() -> tensor<2xi1> {
  %0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  return %0 : tensor<2xi1>
}
// RESULT
pred[2] {1, 0}

// CASE complex numbers
func.func @main() -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.constant dense<[(1.0,2.0), (-0.0,0x7F800000)]> : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
// RESULT
c64[2] {(1, 2), (-0.0, inf)}

// CASE bits of floats
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// RESULT
f32[2] {inf, -inf}

// CASE bytes
func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// RESULT
s32[2] {1, 2}

// CASE four bits
func.func @main() -> tensor<2xi4> {
  %0 = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
  return %0 : tensor<2xi4>
}
// RESULT
s4[2] {7, -8}

// CASE no elements
func.func @main() -> tensor<0xf32> {
  %0 = stablehlo.constant dense<> : tensor<0xf32>
  return %0 : tensor<0xf32>
}
// RESULT
f32[0] {}

// CASE many equal elements
func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<2> : tensor<100000xi32>
  %1 = stablehlo.slice %0 [99999:100000] : (tensor<100000xi32>) -> tensor<1xi32>
  %2 = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>
  return %2 : tensor<i32>
}
// RESULT
s32[] 2

// CASE iota
func.func @main() -> tensor<2x3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// RESULT
s32[2,3] { { 0, 1, 2 }, { 0, 1, 2 } }

// CASE iota_c1
func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.iota: iota_c1: iota_dimension must be at least 0 and less than the rank 1, got 1

// CASE tuple and get_tuple_element
func.func @main(%a: tensor<f32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
  return %1 : tensor<i32>
}
// INPUTS
f32[] 1
s32[] 2
// RESULT
s32[] 2

// CASE get_tuple_element_c1
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tuple %a : tuple<tensor<f32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return %1 : tensor<f32>
}
// REFUSED stablehlo.get_tuple_element: get_tuple_element_c1: index must be that of an element of a tuple, got 1 of (f32[])

// CASE optimization_barrier
func.func @main(%a: tensor<f32>, %b: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<i32>
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// INPUTS
f32[] 1
s32[] 2
// RESULT
( f32[] 1, s32[] 2 )

// CASE get_dimension_size
func.func @main(%a: tensor<2x3xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// INPUTS
f32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
s32[] 3

// CASE set_dimension_size
func.func @main(%a: tensor<4xi32>, %b: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %b, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
// INPUTS
s32[4] {1, 2, 4, 8}
s32[] 3
// RESULT
s32[] 7

// CASE replica_id and partition_id
func.func @main() -> (tensor<ui32>, tensor<ui32>) {
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  return %0, %1 : tensor<ui32>, tensor<ui32>
}
// RESULT
( u32[] 0, u32[] 0 )

// CASE no results
func.func @main(%a: tensor<f32>) -> () {
  %0 = stablehlo.negate %a : tensor<f32>
  return
}
// INPUTS
f32[] 1
// RESULT
(  )
