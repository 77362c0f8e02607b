#map = #stablehlo.channel_handle<handle = 1, type = 1>
module @m attributes {mhlo.num_partitions = 1 : i32, a = [1.5 : f32, "x\22", @s::@t, {b}]} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func public @main(%arg0: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}p1]>} loc("x"), %arg1: tensor<i32>) -> (tensor<f32> {jax.result_info = "r"}) {
    %cst = stablehlo.constant dense<[[1.0, 0x7FC00000, -0.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32> loc(#loc1)
    %c = stablehlo.constant dense<"0x0102"> : tensor<2xi8>
    %z = stablehlo.constant dense<(1.0,-2.0)> : tensor<complex<f32>>
    %w = stablehlo.constant dense_resource<k> : tensor<1xf32>
    %0 = stablehlo.dot_general %arg0, %cst, contracting_dims = [0, 1] x [0, 1], precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %2:2 = stablehlo.while(%x = %arg1, %y = %1) : tensor<i32>, tensor<f32>
    cond {
      %4 = stablehlo.compare LT, %x, %x, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      stablehlo.return %x, %y : tensor<i32>, tensor<f32>
    }
    %3 = "stablehlo.all_reduce"(%2#1) <{channel_handle = #map, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %5 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {mhlo.sharding = "{replicated}"} : (tensor<f32>) -> tensor<f32>
    return %3 : tensor<f32>
  }
}
#loc1 = loc(callsite(#loc2 at "f.py":1:2))
#loc2 = loc(fused<"m">["a", unknown])
{-#
  dialect_resources: { builtin: { k: "0x040000000000803F" } }
#-}
