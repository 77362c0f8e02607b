// CASE special functions
// TOLERANCE 0.0002
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result[0]"}, tensor<3x4xf32> {jax.result_info = "result[1]"}, tensor<3x4xf32> {jax.result_info = "result[2]"}, tensor<3x4xf32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<3x4xf32>
    %2 = chlo.erf_inv %1 : tensor<3x4xf32> -> tensor<3x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %4 = stablehlo.add %arg0, %3 : tensor<3x4xf32>
    %5 = chlo.lgamma %4 : tensor<3x4xf32> -> tensor<3x4xf32>
    %6 = stablehlo.abs %arg0 : tensor<3x4xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %10 = stablehlo.multiply %7, %6 : tensor<3x4xf32>
    %11 = stablehlo.subtract %10, %8 : tensor<3x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %15 = stablehlo.multiply %11, %12 : tensor<3x4xf32>
    %16 = stablehlo.subtract %15, %13 : tensor<3x4xf32>
    %cst_7 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %18 = stablehlo.add %16, %17 : tensor<3x4xf32>
    %19 = stablehlo.multiply %11, %18 : tensor<3x4xf32>
    %20 = stablehlo.subtract %19, %12 : tensor<3x4xf32>
    %cst_8 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %22 = stablehlo.add %20, %21 : tensor<3x4xf32>
    %23 = stablehlo.multiply %11, %22 : tensor<3x4xf32>
    %24 = stablehlo.subtract %23, %18 : tensor<3x4xf32>
    %cst_9 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %26 = stablehlo.add %24, %25 : tensor<3x4xf32>
    %27 = stablehlo.multiply %11, %26 : tensor<3x4xf32>
    %28 = stablehlo.subtract %27, %22 : tensor<3x4xf32>
    %cst_10 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %30 = stablehlo.add %28, %29 : tensor<3x4xf32>
    %31 = stablehlo.multiply %11, %30 : tensor<3x4xf32>
    %32 = stablehlo.subtract %31, %26 : tensor<3x4xf32>
    %cst_11 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %34 = stablehlo.add %32, %33 : tensor<3x4xf32>
    %35 = stablehlo.multiply %11, %34 : tensor<3x4xf32>
    %36 = stablehlo.subtract %35, %30 : tensor<3x4xf32>
    %cst_12 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %38 = stablehlo.add %36, %37 : tensor<3x4xf32>
    %39 = stablehlo.multiply %11, %38 : tensor<3x4xf32>
    %40 = stablehlo.subtract %39, %34 : tensor<3x4xf32>
    %cst_13 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %42 = stablehlo.add %40, %41 : tensor<3x4xf32>
    %43 = stablehlo.multiply %11, %42 : tensor<3x4xf32>
    %44 = stablehlo.subtract %43, %38 : tensor<3x4xf32>
    %cst_14 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %46 = stablehlo.add %44, %45 : tensor<3x4xf32>
    %47 = stablehlo.multiply %11, %46 : tensor<3x4xf32>
    %48 = stablehlo.subtract %47, %42 : tensor<3x4xf32>
    %cst_15 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %50 = stablehlo.add %48, %49 : tensor<3x4xf32>
    %51 = stablehlo.multiply %11, %50 : tensor<3x4xf32>
    %52 = stablehlo.subtract %51, %46 : tensor<3x4xf32>
    %cst_16 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %54 = stablehlo.add %52, %53 : tensor<3x4xf32>
    %55 = stablehlo.multiply %11, %54 : tensor<3x4xf32>
    %56 = stablehlo.subtract %55, %50 : tensor<3x4xf32>
    %cst_17 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %58 = stablehlo.add %56, %57 : tensor<3x4xf32>
    %59 = stablehlo.multiply %11, %58 : tensor<3x4xf32>
    %60 = stablehlo.subtract %59, %54 : tensor<3x4xf32>
    %cst_18 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %62 = stablehlo.add %60, %61 : tensor<3x4xf32>
    %63 = stablehlo.multiply %11, %62 : tensor<3x4xf32>
    %64 = stablehlo.subtract %63, %58 : tensor<3x4xf32>
    %cst_19 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %66 = stablehlo.add %64, %65 : tensor<3x4xf32>
    %67 = stablehlo.multiply %11, %66 : tensor<3x4xf32>
    %68 = stablehlo.subtract %67, %62 : tensor<3x4xf32>
    %cst_20 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %70 = stablehlo.add %68, %69 : tensor<3x4xf32>
    %71 = stablehlo.multiply %11, %70 : tensor<3x4xf32>
    %72 = stablehlo.subtract %71, %66 : tensor<3x4xf32>
    %cst_21 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %74 = stablehlo.add %72, %73 : tensor<3x4xf32>
    %75 = stablehlo.multiply %11, %74 : tensor<3x4xf32>
    %76 = stablehlo.subtract %75, %70 : tensor<3x4xf32>
    %cst_22 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %78 = stablehlo.add %76, %77 : tensor<3x4xf32>
    %79 = stablehlo.multiply %11, %78 : tensor<3x4xf32>
    %80 = stablehlo.subtract %79, %74 : tensor<3x4xf32>
    %cst_23 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %82 = stablehlo.add %80, %81 : tensor<3x4xf32>
    %83 = stablehlo.multiply %11, %82 : tensor<3x4xf32>
    %84 = stablehlo.subtract %83, %78 : tensor<3x4xf32>
    %cst_24 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %86 = stablehlo.add %84, %85 : tensor<3x4xf32>
    %87 = stablehlo.subtract %86, %78 : tensor<3x4xf32>
    %cst_25 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<3x4xf32>
    %90 = stablehlo.divide %9, %6 : tensor<3x4xf32>
    %91 = stablehlo.subtract %90, %8 : tensor<3x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %95 = stablehlo.multiply %91, %92 : tensor<3x4xf32>
    %96 = stablehlo.subtract %95, %93 : tensor<3x4xf32>
    %cst_29 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %98 = stablehlo.add %96, %97 : tensor<3x4xf32>
    %99 = stablehlo.multiply %91, %98 : tensor<3x4xf32>
    %100 = stablehlo.subtract %99, %92 : tensor<3x4xf32>
    %cst_30 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %102 = stablehlo.add %100, %101 : tensor<3x4xf32>
    %103 = stablehlo.multiply %91, %102 : tensor<3x4xf32>
    %104 = stablehlo.subtract %103, %98 : tensor<3x4xf32>
    %cst_31 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %106 = stablehlo.add %104, %105 : tensor<3x4xf32>
    %107 = stablehlo.multiply %91, %106 : tensor<3x4xf32>
    %108 = stablehlo.subtract %107, %102 : tensor<3x4xf32>
    %cst_32 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %110 = stablehlo.add %108, %109 : tensor<3x4xf32>
    %111 = stablehlo.multiply %91, %110 : tensor<3x4xf32>
    %112 = stablehlo.subtract %111, %106 : tensor<3x4xf32>
    %cst_33 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %114 = stablehlo.add %112, %113 : tensor<3x4xf32>
    %115 = stablehlo.multiply %91, %114 : tensor<3x4xf32>
    %116 = stablehlo.subtract %115, %110 : tensor<3x4xf32>
    %cst_34 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %118 = stablehlo.add %116, %117 : tensor<3x4xf32>
    %119 = stablehlo.multiply %91, %118 : tensor<3x4xf32>
    %120 = stablehlo.subtract %119, %114 : tensor<3x4xf32>
    %cst_35 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %122 = stablehlo.add %120, %121 : tensor<3x4xf32>
    %123 = stablehlo.subtract %122, %114 : tensor<3x4xf32>
    %cst_36 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<3x4xf32>
    %126 = stablehlo.sqrt %6 : tensor<3x4xf32>
    %127 = stablehlo.divide %125, %126 : tensor<3x4xf32>
    %cst_37 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %129 = stablehlo.compare LE, %6, %128, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %130 = stablehlo.select %129, %89, %127 : tensor<3x4xi1>, tensor<3x4xf32>
    %cst_38 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %132 = stablehlo.add %arg0, %131 : tensor<3x4xf32>
    %cst_39 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %134 = stablehlo.add %arg0, %133 : tensor<3x4xf32>
    %135 = stablehlo.compare NE, %132, %132, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %136 = stablehlo.compare NE, %134, %134, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %137 = stablehlo.or %135, %136 : tensor<3x4xi1>
    %cst_40 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %139 = stablehlo.compare EQ, %134, %138, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %141 = stablehlo.compare EQ, %132, %140, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %143 = stablehlo.compare EQ, %134, %142, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %145 = stablehlo.compare LT, %134, %144, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %147 = stablehlo.compare LT, %132, %146, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %148 = stablehlo.and %141, %143 : tensor<3x4xi1>
    %149 = stablehlo.or %145, %147 : tensor<3x4xi1>
    %150 = stablehlo.or %149, %148 : tensor<3x4xi1>
    %151 = stablehlo.or %150, %137 : tensor<3x4xi1>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %153 = stablehlo.compare GE, %134, %152, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %154 = stablehlo.compare GT, %134, %132, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %155 = stablehlo.and %153, %154 : tensor<3x4xi1>
    %156 = stablehlo.log %134 : tensor<3x4xf32>
    %157 = stablehlo.multiply %132, %156 : tensor<3x4xf32>
    %158 = stablehlo.subtract %157, %134 : tensor<3x4xf32>
    %159 = chlo.lgamma %132 : tensor<3x4xf32> -> tensor<3x4xf32>
    %160 = stablehlo.subtract %158, %159 : tensor<3x4xf32>
    %cst_46 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %161 = stablehlo.log %cst_46 : tensor<f32>
    %162 = stablehlo.negate %161 : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %164 = stablehlo.compare LT, %160, %163, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %165 = stablehlo.exponential %160 : tensor<3x4xf32>
    %166 = stablehlo.or %143, %151 : tensor<3x4xi1>
    %167 = stablehlo.or %166, %164 : tensor<3x4xi1>
    %168 = stablehlo.or %167, %139 : tensor<3x4xi1>
    %169 = stablehlo.not %168 : tensor<3x4xi1>
    %170 = stablehlo.and %169, %155 : tensor<3x4xi1>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %172 = stablehlo.subtract %171, %132 : tensor<3x4xf32>
    %173 = stablehlo.add %134, %172 : tensor<3x4xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %175 = stablehlo.add %173, %174 : tensor<3x4xf32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %178 = stablehlo.add %134, %177 : tensor<3x4xf32>
    %179 = stablehlo.multiply %175, %134 : tensor<3x4xf32>
    %180 = stablehlo.divide %178, %179 : tensor<3x4xf32>
    %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %185 = stablehlo.negate %134 : tensor<3x4xf32>
    %186 = stablehlo.multiply %180, %185 : tensor<3x4xf32>
    %187 = stablehlo.subtract %184, %186 : tensor<3x4xf32>
    %188 = stablehlo.divide %187, %179 : tensor<3x4xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189:15 = stablehlo.while(%iterArg = %170, %iterArg_64 = %180, %iterArg_65 = %181, %iterArg_66 = %172, %iterArg_67 = %175, %iterArg_68 = %cst_55, %iterArg_69 = %178, %iterArg_70 = %179, %iterArg_71 = %176, %iterArg_72 = %134, %iterArg_73 = %182, %iterArg_74 = %183, %iterArg_75 = %184, %iterArg_76 = %185, %iterArg_77 = %188) : tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
    cond {
      %cst_78 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %209 = stablehlo.compare LT, %iterArg_68, %cst_78, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %210 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xi1>, tensor<i1>) -> tensor<i1>
      %211 = stablehlo.and %209, %210 : tensor<i1>
      stablehlo.return %211 : tensor<i1>
    } do {
      %cst_78 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %209 = stablehlo.add %iterArg_68, %cst_78 : tensor<f32>
      %cst_79 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %210 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %211 = stablehlo.add %iterArg_66, %210 : tensor<3x4xf32>
      %cst_80 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %212 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %213 = stablehlo.add %iterArg_67, %212 : tensor<3x4xf32>
      %214 = stablehlo.broadcast_in_dim %209, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %215 = stablehlo.multiply %211, %214 : tensor<3x4xf32>
      %216 = stablehlo.multiply %iterArg_69, %213 : tensor<3x4xf32>
      %217 = stablehlo.multiply %iterArg_71, %215 : tensor<3x4xf32>
      %218 = stablehlo.subtract %216, %217 : tensor<3x4xf32>
      %219 = stablehlo.multiply %iterArg_70, %213 : tensor<3x4xf32>
      %220 = stablehlo.multiply %iterArg_72, %215 : tensor<3x4xf32>
      %221 = stablehlo.subtract %219, %220 : tensor<3x4xf32>
      %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %222 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %223 = stablehlo.compare NE, %221, %222, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
      %224 = stablehlo.divide %218, %221 : tensor<3x4xf32>
      %225 = stablehlo.subtract %iterArg_64, %224 : tensor<3x4xf32>
      %226 = stablehlo.divide %225, %224 : tensor<3x4xf32>
      %227 = stablehlo.abs %226 : tensor<3x4xf32>
      %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %228 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %229 = stablehlo.select %223, %227, %228 : tensor<3x4xi1>, tensor<3x4xf32>
      %230 = stablehlo.select %223, %224, %iterArg_64 : tensor<3x4xi1>, tensor<3x4xf32>
      %231 = stablehlo.multiply %iterArg_75, %213 : tensor<3x4xf32>
      %232 = stablehlo.subtract %231, %iterArg_69 : tensor<3x4xf32>
      %233 = stablehlo.multiply %iterArg_73, %215 : tensor<3x4xf32>
      %234 = stablehlo.subtract %232, %233 : tensor<3x4xf32>
      %235 = stablehlo.broadcast_in_dim %209, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %236 = stablehlo.multiply %iterArg_71, %235 : tensor<3x4xf32>
      %237 = stablehlo.add %234, %236 : tensor<3x4xf32>
      %238 = stablehlo.multiply %iterArg_76, %213 : tensor<3x4xf32>
      %239 = stablehlo.subtract %238, %iterArg_70 : tensor<3x4xf32>
      %240 = stablehlo.multiply %iterArg_74, %215 : tensor<3x4xf32>
      %241 = stablehlo.subtract %239, %240 : tensor<3x4xf32>
      %242 = stablehlo.broadcast_in_dim %209, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %243 = stablehlo.multiply %iterArg_72, %242 : tensor<3x4xf32>
      %244 = stablehlo.add %241, %243 : tensor<3x4xf32>
      %245 = stablehlo.multiply %230, %244 : tensor<3x4xf32>
      %246 = stablehlo.subtract %237, %245 : tensor<3x4xf32>
      %247 = stablehlo.divide %246, %221 : tensor<3x4xf32>
      %248 = stablehlo.select %223, %247, %iterArg_77 : tensor<3x4xi1>, tensor<3x4xf32>
      %249 = stablehlo.subtract %248, %iterArg_77 : tensor<3x4xf32>
      %250 = stablehlo.abs %249 : tensor<3x4xf32>
      %cst_83 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %251 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %252 = stablehlo.select %223, %250, %251 : tensor<3x4xi1>, tensor<3x4xf32>
      %253 = stablehlo.abs %218 : tensor<3x4xf32>
      %cst_84 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_85 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %254 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<f32>
      %255 = stablehlo.divide %254, %cst_84 : tensor<f32>
      %256 = stablehlo.broadcast_in_dim %255, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %257 = stablehlo.compare GT, %253, %256, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
      %cst_86 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %258 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %259 = stablehlo.multiply %iterArg_69, %258 : tensor<3x4xf32>
      %260 = stablehlo.select %257, %259, %iterArg_69 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_87 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %261 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %262 = stablehlo.multiply %218, %261 : tensor<3x4xf32>
      %263 = stablehlo.select %257, %262, %218 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_88 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %264 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %265 = stablehlo.multiply %iterArg_70, %264 : tensor<3x4xf32>
      %266 = stablehlo.select %257, %265, %iterArg_70 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_89 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %267 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %268 = stablehlo.multiply %221, %267 : tensor<3x4xf32>
      %269 = stablehlo.select %257, %268, %221 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_90 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %270 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %271 = stablehlo.multiply %iterArg_75, %270 : tensor<3x4xf32>
      %272 = stablehlo.select %257, %271, %iterArg_75 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_91 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %273 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %274 = stablehlo.multiply %iterArg_76, %273 : tensor<3x4xf32>
      %275 = stablehlo.select %257, %274, %iterArg_76 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_92 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %276 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %277 = stablehlo.multiply %237, %276 : tensor<3x4xf32>
      %278 = stablehlo.select %257, %277, %237 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_93 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %279 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %280 = stablehlo.multiply %244, %279 : tensor<3x4xf32>
      %281 = stablehlo.select %257, %280, %244 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_94 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %282 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %283 = stablehlo.compare GT, %229, %282, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
      %284 = stablehlo.and %iterArg, %283 : tensor<3x4xi1>
      %285 = stablehlo.select %iterArg, %230, %iterArg_64 : tensor<3x4xi1>, tensor<3x4xf32>
      %286 = stablehlo.select %iterArg, %229, %iterArg_65 : tensor<3x4xi1>, tensor<3x4xf32>
      %287 = stablehlo.select %iterArg, %211, %iterArg_66 : tensor<3x4xi1>, tensor<3x4xf32>
      %288 = stablehlo.select %iterArg, %213, %iterArg_67 : tensor<3x4xi1>, tensor<3x4xf32>
      %289 = stablehlo.select %iterArg, %263, %iterArg_69 : tensor<3x4xi1>, tensor<3x4xf32>
      %290 = stablehlo.select %iterArg, %269, %iterArg_70 : tensor<3x4xi1>, tensor<3x4xf32>
      %291 = stablehlo.select %iterArg, %260, %iterArg_71 : tensor<3x4xi1>, tensor<3x4xf32>
      %292 = stablehlo.select %iterArg, %266, %iterArg_72 : tensor<3x4xi1>, tensor<3x4xf32>
      %293 = stablehlo.select %iterArg, %272, %iterArg_73 : tensor<3x4xi1>, tensor<3x4xf32>
      %294 = stablehlo.select %iterArg, %275, %iterArg_74 : tensor<3x4xi1>, tensor<3x4xf32>
      %295 = stablehlo.select %iterArg, %278, %iterArg_75 : tensor<3x4xi1>, tensor<3x4xf32>
      %296 = stablehlo.select %iterArg, %281, %iterArg_76 : tensor<3x4xi1>, tensor<3x4xf32>
      %297 = stablehlo.select %iterArg, %248, %iterArg_77 : tensor<3x4xi1>, tensor<3x4xf32>
      stablehlo.return %284, %285, %286, %287, %288, %209, %289, %290, %291, %292, %293, %294, %295, %296, %297 : tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
    }
    %190 = stablehlo.multiply %189#1, %165 : tensor<3x4xf32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %192 = stablehlo.subtract %191, %190 : tensor<3x4xf32>
    %193 = stablehlo.not %155 : tensor<3x4xi1>
    %194 = stablehlo.and %169, %193 : tensor<3x4xi1>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %199:7 = stablehlo.while(%iterArg = %194, %iterArg_64 = %132, %iterArg_65 = %195, %iterArg_66 = %196, %iterArg_67 = %134, %iterArg_68 = %197, %iterArg_69 = %198) : tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %209 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %209 : tensor<i1>
    } do {
      %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %209 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %210 = stablehlo.add %iterArg_64, %209 : tensor<3x4xf32>
      %211 = stablehlo.divide %iterArg_67, %210 : tensor<3x4xf32>
      %212 = stablehlo.multiply %iterArg_68, %211 : tensor<3x4xf32>
      %213 = stablehlo.multiply %iterArg_65, %iterArg_67 : tensor<3x4xf32>
      %214 = stablehlo.multiply %210, %210 : tensor<3x4xf32>
      %215 = stablehlo.divide %213, %214 : tensor<3x4xf32>
      %216 = stablehlo.subtract %212, %215 : tensor<3x4xf32>
      %217 = stablehlo.add %iterArg_69, %216 : tensor<3x4xf32>
      %218 = stablehlo.divide %iterArg_67, %210 : tensor<3x4xf32>
      %219 = stablehlo.multiply %iterArg_65, %218 : tensor<3x4xf32>
      %220 = stablehlo.add %iterArg_66, %219 : tensor<3x4xf32>
      %221 = stablehlo.divide %219, %220 : tensor<3x4xf32>
      %cst_71 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %222 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %223 = stablehlo.compare GT, %221, %222, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
      %224 = stablehlo.and %iterArg, %223 : tensor<3x4xi1>
      %225 = stablehlo.select %iterArg, %210, %iterArg_64 : tensor<3x4xi1>, tensor<3x4xf32>
      %226 = stablehlo.select %iterArg, %219, %iterArg_65 : tensor<3x4xi1>, tensor<3x4xf32>
      %227 = stablehlo.select %iterArg, %220, %iterArg_66 : tensor<3x4xi1>, tensor<3x4xf32>
      %228 = stablehlo.select %iterArg, %iterArg_67, %iterArg_67 : tensor<3x4xi1>, tensor<3x4xf32>
      %229 = stablehlo.select %iterArg, %216, %iterArg_68 : tensor<3x4xi1>, tensor<3x4xf32>
      %230 = stablehlo.select %iterArg, %217, %iterArg_69 : tensor<3x4xi1>, tensor<3x4xf32>
      stablehlo.return %224, %225, %226, %227, %228, %229, %230 : tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
    }
    %200 = stablehlo.multiply %199#3, %165 : tensor<3x4xf32>
    %201 = stablehlo.divide %200, %132 : tensor<3x4xf32>
    %202 = stablehlo.select %155, %192, %201 : tensor<3x4xi1>, tensor<3x4xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %204 = stablehlo.select %143, %203, %202 : tensor<3x4xi1>, tensor<3x4xf32>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %206 = stablehlo.select %139, %205, %204 : tensor<3x4xi1>, tensor<3x4xf32>
    %cst_63 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %208 = stablehlo.select %151, %207, %206 : tensor<3x4xi1>, tensor<3x4xf32>
    return %2, %5, %130, %208 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  }
}
// INPUTS
f32[3,4] {
  {0.0, 0.841471, 0.9092974, 0.14112},
  {-0.7568025, -0.9589243, -0.2794155, 0.6569866},
  {0.98935825, 0.41211846, -0.54402107, -0.9999902}
  }
// RESULT
(
  f32[3,4] {
    {0.0, 0.82612985, 0.94451517, 0.113037504},
    {-0.70482045, -1.0515928, -0.22668675, 0.5841849},
    {1.1314378, 0.34153497, -0.46544918, -1.1630567}
    },
  f32[3,4] {
    {0.0, 0.55192804, 0.61109185, 0.06590462},
    {-0.09669685, -0.02234888, -0.09134722, 0.40096498},
    {0.68334985, 0.2248087, -0.12147045, -5.722046e-06}
    },
  f32[3,4] {
    {1.0000001, 0.5108285, 0.4904724, 0.8727139},
    {0.538786, 0.47661597, 0.7710579, 0.5758791},
    {0.46852112, 0.690665, 0.6241549, 0.4657621}
    },
  f32[3,4] {
    {0.8008517, 0.76707524, 0.7648221, 0.79428995},
    {0.8454942, 0.86120296, 0.8152518, 0.773506},
    {0.762235, 0.782805, 0.8309835, 0.8646639}
    }
  )
