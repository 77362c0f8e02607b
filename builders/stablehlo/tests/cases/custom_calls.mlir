// CASE LayoutConstraint with layouts
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @LayoutConstraint(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// INPUTS
f32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
f32[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }

// CASE a typed interface
// TOLERANCE 1e-6
func.func @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
}
// INPUTS
f32[2,2] { {4, 2}, {2, 5} }
// RESULT
( f32[2,2] { { 2, 2 }, { 1, 2 } }, s32[] 0 )

// CASE a comparator of its own
func.func private @more(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%a: tensor<5xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @TopK(%a) {called_computations = [@more]} : (tensor<5xf32>) -> tuple<tensor<2xf32>, tensor<2xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<2xi32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// INPUTS
f32[5] {1, 3, 5, 4, 2}
// RESULT
f32[2] {5, 4}

// CASE refuses layouts of one side only
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.custom_call: layouts must be given for both operands and results, or for neither

// CASE refuses a layout that is not a permutation
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// REFUSED stablehlo.custom_call: 'operand_layouts'[0] must be a permutation of the dimensions of f32[2,3]

// CASE an unknown target
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @no_such_target(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// REFUSED custom-call.1: the interpreter has no custom-call target 'no_such_target'

// CASE Sharding
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}

// CASE refuses a sharding that is not one
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicate}"} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.custom_call: the attribute 'mhlo.sharding' is not a sharding of HLO: 1:2: error: unknown word in a sharding 'replicate'; did you mean 'replicated'?
