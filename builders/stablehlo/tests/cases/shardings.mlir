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

// CASE refuses an unknown mesh
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesj, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  return %a : tensor<8x8xf32>
}
// REFUSED func.func: argument 0: unknown mesh: @mesj; did you mean 'mesh'?

// CASE refuses an unknown axis
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) {
  return %a : tensor<8x8xf32>
}
// REFUSED func.func: result 0: the mesh has no axis "c"

// CASE refuses an axis that occurs twice
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"a"}, {"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED sdy.sharding_constraint: a sharding uses axis "a" twice

// CASE refuses a sharding of another rank
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED stablehlo.negate: a sharding of 1 dimensions cannot be that of f32[8,8]

// CASE refuses a priority of nothing
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}p1, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED sdy.reshard: a dimension that is closed and has no axes has a priority in a sharding

// CASE refuses a part that is the whole axis
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.all_slice [{"a"}, {}] %a out_sharding=<@mesh, [{"a":(1)2}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED sdy.all_slice: axis "a" of size 2 has no part (1)2

// CASE refuses a manual computation of other local shapes
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED sdy.manual_computation: by in_shardings, a device has f32[4,8] of f32[8,8], but in the region it is f32[8,8]

// CASE refuses a manual computation without a sharding for each operand
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[] out_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"a", "b"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// REFUSED sdy.manual_computation: expected a sharding for each of 1 values, got 0

// CASE refuses a mesh of two axes of one name
sdy.mesh @mesh = <["a"=2, "a"=2]>
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
// REFUSED sdy.mesh: the mesh has two axes "a"

// CASE refuses a mesh of too many devices
sdy.mesh @mesh = <["a"=2], device_ids=[0, 1, 2]>
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
// REFUSED sdy.mesh: device_ids must have each of the 2 devices once

// CASE refuses a mesh of a device twice
sdy.mesh @mesh = <["a"=2], device_ids=[1, 1]>
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
// REFUSED sdy.mesh: device_ids must have each of the 2 devices once

// CASE refuses a mesh of a negative device
sdy.mesh @mesh = <[], device_ids=[-3]>
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
// REFUSED sdy.mesh: the device of a mesh must be at least 0, got -3
