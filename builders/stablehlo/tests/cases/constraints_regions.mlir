// Constraints of operations with regions, each broken by one case.

// CASE reduce_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %b, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// REFUSED stablehlo.reduce: reduce_c3: expected arrays and as many initial values, got 3 operands

// CASE reduce_c6: another kind of number
func.func @main(%a: tensor<4xf32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.reduce: reduce_c6: operand #0 is f32[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_c6: a narrower type
func.func @main(%a: tensor<4xi64>, %b: tensor<i64>) -> tensor<i32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi64>, tensor<i64>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.reduce: reduce_c6: operand #0 is s64[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_c6: another result
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// REFUSED stablehlo.reduce: reduce_c6: region 0 must return f32[], got pred[]

// CASE reduce_c2: a wider initial value
func.func @main(%a: tensor<4xi32>, %b: tensor<i64>) -> tensor<i32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i64>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.reduce: reduce_c2: operand #1 is s64[], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_c8
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}
// REFUSED stablehlo.reduce: reduce_c8: result 0 is declared as f64[], expected f32[]

// CASE reduce_window_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>, %c: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c1: expected arrays and as many initial values, got 3 operands

// CASE reduce_window_c2
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %b, %c, %d) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%w: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>):
    stablehlo.return %w, %x : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<4xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c2: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE reduce_window_c3
func.func @main(%a: tensor<4xi32>, %b: tensor<i64>) -> tensor<3xi32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i64>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c3: operand #1 is s64[], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_window_c4
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c4: window_dimensions must have 1 entry, got 2

// CASE reduce_window_c5
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 0>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c5: window_dimensions must be at least 1, got 0

// CASE reduce_window_c6
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c6: window_strides must have 1 entry, got 2

// CASE reduce_window_c7
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c7: window_strides must be at least 1, got 0

// CASE reduce_window_c8
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c8: base_dilations must have 1 entry, got 2

// CASE reduce_window_c9
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 0>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c9: base_dilations must be at least 1, got 0

// CASE reduce_window_c10
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c10: window_dilations must have 1 entry, got 2

// CASE reduce_window_c11
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 0>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c11: window_dilations must be at least 1, got 0

// CASE reduce_window_c12
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c12: padding must have 1 entry, got 2

// CASE reduce_window_c13
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c13: operand #0 is f32[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_window_c14
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.reduce_window"(%a, %a, %b, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x0: tensor<f32>, %x1: tensor<f32>, %y0: tensor<f32>, %y1: tensor<f32>):
    %s0 = stablehlo.add %x0, %y0 : tensor<f32>
    %s1 = stablehlo.add %x1, %y1 : tensor<f32>
    stablehlo.return %s0, %s1 : tensor<f32>, tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<4xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c14: the results must have the same sizes, got f32[3] and f32[4]

// CASE reduce_window_c15
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c15: result 0 is declared as f32[4], expected f32[3]

// CASE reduce_window_c16
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf64> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
// REFUSED stablehlo.reduce_window: reduce_window_c16: result 0 is declared as f64[3], expected f32[3]

// CASE select_and_scatter_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf64>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf64>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c1: requires the same element type for operands #0 and #1, got f32[4] and f64[2]

// CASE select_and_scatter_c2
func.func @main(%a: tensor<4xf32>, %b: tensor<3xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c2: the source must have an element for each place of the window in f32[4], got f32[3]

// CASE select_and_scatter_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f64>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c3: operand #2 must be f32[], got f64[]

// CASE select_and_scatter_c4
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c4: window_dimensions must have 1 entry, got 2

// CASE select_and_scatter_c5
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 0>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c5: window_dimensions must be at least 1, got 0

// CASE select_and_scatter_c6
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c6: window_strides must have 1 entry, got 2

// CASE select_and_scatter_c7
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c7: window_strides must be at least 1, got 0

// CASE select_and_scatter_c8
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c8: padding must have 1 entry, got 2

// CASE select_and_scatter_c9: the arguments
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c9: region 0 must take (f32[], f32[]), got (f64[], f64[])

// CASE select_and_scatter_c9: the result
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c9: region 0 must return pred[], got f32[]

// CASE select_and_scatter_c10
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c10: operand #0 is f32[4], which the computation does not take: it works in s32, which must be of the same kind and, if it is no float, not narrower

// CASE select_and_scatter_c11
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<5xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c11: result 0 is declared as f32[5], expected f32[4]

// CASE select_and_scatter_c12
func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>, %c: tensor<f32>) -> tensor<4xf64> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %g = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.select_and_scatter: select_and_scatter_c12: result 0 is declared as f64[4], expected f32[4]

// CASE sort_c2
func.func @main(%a: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.sort: sort_c2: result 0 is declared as f64[4], expected f32[4]

// CASE sort_c3
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<5xf32>
}
// REFUSED stablehlo.sort: sort_c3: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE sort_c1
func.func @main() {
  "stablehlo.sort"() <{dimension = 0 : i64}> ({
    %s = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : () -> ()
  return
}
// REFUSED stablehlo.sort: sort_c1: expected at least one operand

// CASE map_c1
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.map: map_c1: requires the same shape for operands #0 and #1, got f32[4] and f32[5]

// CASE map_c4: the type of the result
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf64> {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
// REFUSED stablehlo.map: map_c4: result 0 is declared as f64[4], expected f32[4]

// CASE map_c4: a result with dimensions
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.reshape %x : (tensor<f32>) -> tensor<1xf32>
    stablehlo.return %s : tensor<1xf32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.map: map_c4: the computation must return one tensor without dimensions, got f32[1]

// CASE map_c2
func.func @main() -> tensor<4xf32> {
  %0 = "stablehlo.map"() <{dimensions = array<i64: 0>}> ({
    %s = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.map: map_c2: expected at least one operand

// CASE if_c1
func.func @main(%a: tensor<i1>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %b : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.if: if_c1: branch 0 must not have arguments, got 1

// CASE if_c3
func.func @main(%a: tensor<i1>, %b: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.if"(%a) ({
    stablehlo.return %b : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.if: if_c3: result 0 is declared as f32[5], expected f32[4]

// CASE case_c3
func.func @main(%a: tensor<i32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%a) ({
    stablehlo.return %b : tensor<4xf32>
  }, {
    %s = stablehlo.negate %b : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.case: case_c3: branch 0 and branch 1 have mismatched return types: f32[4] and (f32[4], f32[4])

// CASE case_c4
func.func @main(%a: tensor<i32>, %b: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.case"(%a) ({
    stablehlo.return %b : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.case: case_c4: result 0 is declared as f32[5], expected f32[4]

// CASE if_i1
func.func @main(%a: tensor<1xi1>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%a) ({
    stablehlo.return %b : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<1xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.if: if_i1: operand #0 must be pred[], got pred[1]

// CASE case_i1
func.func @main(%a: tensor<i64>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%a) ({
    stablehlo.return %b : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// REFUSED stablehlo.case: case_i1: operand #0 must be s32[], got s64[]

// CASE while_c3
func.func @main(%a: tensor<i1>) -> tensor<i32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<i1>):
    stablehlo.return %x : tensor<i1>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.while: while_c3: result 0 is declared as s32[], expected pred[]

// CASE composite_c2
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.composite"(%a) <{name = "a.b", decomposition = @g}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// REFUSED stablehlo.composite: composite_c2: 'g' does not reference a valid function

// CASE composite_c3
func.func @main(%a: tensor<5xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.composite"(%a) <{name = "a.b", decomposition = @f}> : (tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// REFUSED stablehlo.composite: composite_c3: the operands must be those of the decomposition @f

// CASE composite_c4
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.composite"(%a) <{name = "a.b", decomposition = @f}> : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// REFUSED stablehlo.composite: composite_c4: the results must be those of the decomposition @f

// CASE composite_c4 of a known one
func.func @main(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.composite"(%a) <{name = "chlo.erf", decomposition = @chlo.erf.impl, version = 1 : i32}> : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @chlo.erf.impl(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// REFUSED stablehlo.composite: composite_c4: the results must be those of the decomposition @chlo.erf.impl

// CASE refuses what follows a return
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  "func.return"(%a) : (tensor<4xf32>) -> ()
  %0 = stablehlo.negate %a : tensor<4xf32>
}
// REFUSED func.return: it must be the last operation of its block

// CASE refuses a function that nothing calls
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<5xf32> {
  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// REFUSED stablehlo.reshape: reshape_c2: the number of elements of the result, 5 in f32[5], must be that of the operand, 4 in f32[4]

// CASE accepts a function that nothing calls and HLO cannot say
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func private @f(%a: tensor<*xf32>) -> tensor<*xf32> {
  return %a : tensor<*xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @h(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @h(tensor<4xf32>) -> tensor<4xf32>
// INPUTS
f32[4] {1, 2, 3, 4}
// RESULT
f32[4] {1, 2, 3, 4}
