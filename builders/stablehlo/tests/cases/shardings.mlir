// CASE a manual computation on one device
sdy.mesh @mesh = <["a"=1]>
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%x: tensor<2xf32>) {
    %1 = stablehlo.negate %x : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {-1, -2}

// CASE a sharding constraint on one device
sdy.mesh @mesh = <["a"=1]>
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"a"}]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f32[2] {1, 2}
// RESULT
f32[2] {1, 2}
