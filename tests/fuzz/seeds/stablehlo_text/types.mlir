!t = tensor<?x2x!quant.uniform<i8<-127:127>:f32:1, {0.5:3, 0.25}>, #stablehlo.bounds<6, ?>>
func.func private @f(!t, tuple<tensor<*xf8E4M3FN>, !stablehlo.token>, !stablehlo.future<tensor<0x4xi1>>, (i4, ui2) -> index, memref<2xbf16>)
func.func private @g() -> ()
