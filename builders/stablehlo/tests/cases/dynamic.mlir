// CASE dynamic_reshape by a constant
func.func @main(%a: tensor<4xi32>) -> tensor<2x2xi32> {
  %c = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<4xi32>, tensor<2xi64>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[2,2] { { 1, 2 }, { 3, 4 } }

// CASE shapes that sizes of arrays settle
func.func @main(%a: tensor<2xi32>, %b: tensor<3xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2xi32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %b, dim = 0 : (tensor<3xi32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %3, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_broadcast_in_dim %a, %4, dims = [1] : (tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %6 = stablehlo.add %5, %5 : tensor<?x?xi32>
  %7 = stablehlo.convert %6 : (tensor<?x?xi32>) -> tensor<3x2xi32>
  return %7 : tensor<3x2xi32>
}
// INPUTS
s32[2] {1, 2}
s32[3] {0, 0, 0}
// RESULT
s32[3,2] { { 2, 4 }, { 2, 4 }, { 2, 4 } }

// CASE shapes that calls settle
func.func private @count(%n: tensor<i32>) -> tensor<?xi32> {
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %1 : tensor<?xi32>
}
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2xi32>) -> tensor<i32>
  %1 = call @count(%0) : (tensor<i32>) -> tensor<?xi32>
  %2 = stablehlo.convert %1 : (tensor<?xi32>) -> tensor<2xi32>
  return %2 : tensor<2xi32>
}
// INPUTS
s32[2] {7, 7}
// RESULT
s32[2] {0, 1}

// CASE dynamic_iota
func.func @main() -> tensor<3xi32> {
  %c = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<1xi64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// RESULT
s32[3] {0, 1, 2}

// CASE dynamic_pad
func.func @main(%a: tensor<2xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %o = stablehlo.constant dense<[1]> : tensor<1xi64>
  %z = stablehlo.constant dense<[0]> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %a, %c, %o, %o, %z : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// INPUTS
s32[2] {1, 2}
// RESULT
s32[4] {0, 1, 2, 0}

// CASE real_dynamic_slice
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %o = stablehlo.constant dense<[1]> : tensor<1xi64>
  %l = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %a, %o, %l, %o : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[2] {2, 3}

// CASE refuses a shape that only a run tells
func.func @main(%a: tensor<4xi32>, %b: tensor<2xi64>) -> tensor<?x?xi32> {
  %0 = stablehlo.dynamic_reshape %a, %b : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}
// REFUSED stablehlo.dynamic_reshape: the result is declared as s32[?,?], and nothing says what its sizes are; export the program for arguments of known sizes

// CASE refuses arguments of unknown size
func.func @main(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = stablehlo.negate %a : tensor<?xi32>
  return %0 : tensor<?xi32>
}
// REFUSED func.func: argument 0: it is declared as s32[?], and nothing says what its sizes are; export the program for arguments of known sizes

// CASE dynamic_reshape_c3
func.func @main(%a: tensor<4xi32>) -> tensor<3xi32> {
  %c = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<4xi32>, tensor<1xi64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.dynamic_reshape: dynamic_reshape_c2: the result s32[3] must have as many elements as s32[4]

// CASE shape_assertion that holds
func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xi32>) -> tensor<i32>
  %c = stablehlo.constant dense<4> : tensor<i32>
  %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "wrong size {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %a : tensor<4xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[4] {1, 2, 3, 4}

// CASE shape_assertion that fails
func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xi32>) -> tensor<i32>
  %c = stablehlo.constant dense<5> : tensor<i32>
  %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "wrong size {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %a : tensor<4xi32>
}
// REFUSED stablehlo.custom_call: wrong size 4

// CASE dynamic_top_k
func.func @main(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%a, %k) {api_version = 2 : i32} : (tensor<4xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
// INPUTS
f32[4] {1, 4, 3, 2}
// RESULT
( f32[2] {4, 3}, s32[2] {1, 2} )

// CASE dynamic_approx_top_k
func.func @main(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%a, %i, %lowest, %none, %k) {backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64}, api_version = 4 : i32, called_computations = [@greater]} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
func.func private @greater(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
// INPUTS
f32[4] {1, 4, 3, 2}
// RESULT
( f32[2] {4, 3}, s32[2] {1, 2} )

// CASE dynamic_approx_top_k with shapes of results
func.func @main(%a: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %s = stablehlo.constant dense<2> : tensor<1xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%a, %i, %lowest, %none, %k, %s, %s) {backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64}, api_version = 4 : i32, called_computations = [@greater], indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<?xf32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xi32>
}
func.func private @greater(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
// INPUTS
f32[4] {1, 4, 3, 2}
// RESULT
( f32[2] {4, 3}, s32[2] {1, 2} )

// CASE dynamic_approx_top_k of k that only a run tells
func.func @main(%a: tensor<4xf32>, %k: tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%a, %i, %lowest, %none, %k) {backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 0 : i64, reduction_input_size_override = -1 : i64}, api_version = 4 : i32, called_computations = [@greater]} : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
}
func.func private @greater(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
// REFUSED stablehlo.custom_call: operand #4, k, is not known before a run; HLO needs constants, or what is computed from constants and sizes of arrays: export the program for arguments of known sizes

// CASE indices_of_shape_operands are the last
func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
  %s = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = stablehlo.custom_call @Pin(%a, %s) {indices_of_shape_operands = dense<0> : tensor<1xi64>} : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// REFUSED stablehlo.custom_call: 'indices_of_shape_operands' must list the last operands, one for each of 1 results

// CASE dynamic_rng_bit_generator
func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
  %s = stablehlo.constant dense<[3]> : tensor<1xi64>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%a, %s) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<3xui32>
}
// INPUTS
u64[2] {1, 2}
// RESULT
( u64[2] {1, 4}, u32[3] {43444564, 2150618427, 3979645651} )

// CASE dynamic_reduce_window
func.func private @sum(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %x, %y : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<[2]> : tensor<1xi64>
  %one = stablehlo.constant dense<[1]> : tensor<1xi64>
  %pad = stablehlo.constant dense<0> : tensor<1x2xi64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%a, %c, %two, %two, %one, %one, %pad) {called_computations = [@sum]} : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1x2xi64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[2] {3, 7}
