// CASE rng_bit_generator
func.func @main(%a: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>) {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<3xui32>
}
// INPUTS
u64[2] {1, 2}
// RESULT
( u64[2] {1, 4}, u32[3] {43444564, 2150618427, 3979645651} )

// CASE rng
func.func @main() -> tensor<2xi1> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %d = stablehlo.constant dense<2.0> : tensor<f32>
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = stablehlo.rng %c, %d, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.compare GE, %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %2 : tensor<2xi1>
}
// RESULT
pred[2] {1, 1}

// CASE rng_c2
func.func @main(%a: tensor<i32>, %b: tensor<1xi64>) -> tensor<2xi32> {
  %0 = stablehlo.rng %a, %a, %b, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.rng: rng_c2: normally distributed numbers must be floats, got s32
