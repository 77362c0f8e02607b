// CASE hessian
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %6 = stablehlo.slice %5 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %7 = stablehlo.convert %6 : tensor<4x4xf32>
    %8 = stablehlo.sine %arg0 : tensor<4xf32>
    %9 = stablehlo.cosine %arg0 : tensor<4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %12 = stablehlo.multiply %7, %11 : tensor<4x4xf32>
    %13 = stablehlo.cosine %arg0 : tensor<4xf32>
    %14 = stablehlo.sine %arg0 : tensor<4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %17 = stablehlo.multiply %7, %16 : tensor<4x4xf32>
    %18 = stablehlo.negate %17 : tensor<4x4xf32>
    %19 = stablehlo.multiply %8, %8 : tensor<4xf32>
    %20 = stablehlo.multiply %19, %8 : tensor<4xf32>
    %21 = stablehlo.multiply %8, %8 : tensor<4xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %26 = stablehlo.multiply %12, %25 : tensor<4x4xf32>
    %27 = stablehlo.multiply %8, %8 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %29 = stablehlo.multiply %28, %8 : tensor<4xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %32 = stablehlo.multiply %12, %31 : tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %34 = stablehlo.multiply %33, %27 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %36 = stablehlo.multiply %35, %32 : tensor<4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%20 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %39 = stablehlo.iota dim = 0 : tensor<1x1xi32>
    %40 = stablehlo.iota dim = 1 : tensor<1x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<1x1xi32>
    %42 = stablehlo.add %39, %41 : tensor<1x1xi32>
    %43 = stablehlo.compare EQ, %42, %40, SIGNED : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
    %44 = stablehlo.convert %43 : (tensor<1x1xi1>) -> tensor<1x1xf32>
    %45 = stablehlo.slice %44 [0:1, 0:1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %46 = stablehlo.reshape %45 : (tensor<1x1xf32>) -> tensor<1xf32>
    %47 = stablehlo.convert %46 : tensor<1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<1xf32>) -> tensor<1x4xf32>
    %49 = stablehlo.broadcast_in_dim %34, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %50 = stablehlo.broadcast_in_dim %36, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %51 = stablehlo.multiply %48, %49 : tensor<1x4xf32>
    %52 = stablehlo.broadcast_in_dim %48, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<4x1x4xf32>
    %54 = stablehlo.multiply %53, %50 : tensor<4x1x4xf32>
    %55 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %56 = stablehlo.broadcast_in_dim %18, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %57 = stablehlo.multiply %51, %55 : tensor<1x4xf32>
    %58 = stablehlo.broadcast_in_dim %55, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<4x1x4xf32>
    %60 = stablehlo.multiply %54, %59 : tensor<4x1x4xf32>
    %61 = stablehlo.broadcast_in_dim %51, dims = [1, 2] : (tensor<1x4xf32>) -> tensor<1x1x4xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x1x4xf32>) -> tensor<4x1x4xf32>
    %63 = stablehlo.multiply %62, %56 : tensor<4x1x4xf32>
    %64 = stablehlo.add %60, %63 : tensor<4x1x4xf32>
    %65 = stablehlo.slice %57 [0:1, 0:4] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %66 = stablehlo.slice %64 [0:4, 0:1, 0:4] : (tensor<4x1x4xf32>) -> tensor<4x1x4xf32>
    %67 = stablehlo.reshape %65 : (tensor<1x4xf32>) -> tensor<4xf32>
    %68 = stablehlo.reshape %66 : (tensor<4x1x4xf32>) -> tensor<4x4xf32>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %70 = stablehlo.slice %69 [0:4, 0:4] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %70 : tensor<4x4xf32>
  }
}
// INPUTS
f32[4] {0.0, 0.841471, 0.9092974, 0.14112}
// RESULT
f32[4,4] {
  {0.0, 0.0, 0.0, 0.0},
  {0.0, 0.74294096, 0.0, 0.0},
  {0.0, 0.0, 0.3126966, 0.0},
  {0.0, 0.0, 0.0, 0.8188698}
  }
