// CASE reduce in the short form
func.func @main(%a: tensor<2x3xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[2,3] { {1, 2, 3}, {4, 5, 6} }
// RESULT
s32[2] {6, 15}

// CASE reduce two arrays, with a constant of outside
func.func @main(%a: tensor<3xi32>, %b: tensor<3xi32>) -> (tensor<i32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %k = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %c), (%b init: %c) across dimensions = [0] : (tensor<3xi32>, tensor<3xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
   reducer(%p: tensor<i32>, %r: tensor<i32>) (%q: tensor<i32>, %s: tensor<i32>) {
    %1 = stablehlo.add %p, %r : tensor<i32>
    %2 = stablehlo.multiply %s, %k : tensor<i32>
    %3 = stablehlo.add %q, %2 : tensor<i32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// INPUTS
s32[3] {1, 2, 3}
s32[3] {4, 5, 6}
// RESULT
( s32[] 6, s32[] 150 )

// CASE reduce in a wider type
func.func @main(%a: tensor<2x3xf16>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf16>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// INPUTS
f16[2,3] { {1, 2, 3}, {4, 5, 6} }
f32[] 0.5
// RESULT
f32[2] {6.5, 15.5}

// CASE reduce_c1 to c3: arrays and initial values
func.func @main(%a: tensor<2x3xi32>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xi32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce: reduce_c6: operand #0 is s32[2,3], which the computation does not take: it works in f32, which must be of the same kind and, if it is no float, not narrower

// CASE reduce_c4
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce: reduce_c4: dimensions must be at least 0 and less than the rank 2, got 2

// CASE reduce_c5
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce: reduce_c5: dimensions must name each dimension once, got 1 twice

// CASE reduce_c6
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.reduce: reduce_c6: region 0 must take 2 scalars, got 1 arguments

// CASE reduce_c7
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// REFUSED stablehlo.reduce: reduce_c7: result 0 is declared as f32[3], expected f32[2]

// CASE refuses a region that uses a value of outside
func.func @main(%a: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.add: %b comes from outside of the region, whose computation in HLO has nothing but its arguments and constants; make it an operand of the operation that has the region

// CASE sort two arrays
func.func @main(%a: tensor<3xi32>, %b: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<f32>):
    %1 = stablehlo.compare GT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xf32>
}
// INPUTS
s32[3] {1, 3, 2}
f32[3] {0.5, 1.5, 2.5}
// RESULT
( s32[3] {3, 2, 1}, f32[3] {1.5, 2.5, 0.5} )

// CASE sort_c4
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.compare GT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.sort: sort_c4: dimension must be at least -1 and less than 1, got 1

// CASE sort_c5
func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.compare GT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.sort: sort_c5: region 0 must return pred[], got s32[]

// CASE map
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.multiply %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[2] {1, 2}
s32[2] {3, 4}
// RESULT
s32[2] {3, 8}

// CASE map_c3
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64>}> ({
  ^bb0(%p: tensor<i32>):
    stablehlo.return %p : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.map: map_c3: dimensions must be all dimensions of the operands in ascending order, got 0 for rank 1

// CASE reduce_window
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[2] {3, 7}

// CASE reduce_window with padding and dilations
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 3>, base_dilations = array<i64: 2>, window_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// INPUTS
s32[4] {1, 2, 3, 4}
// RESULT
s32[2] {0, 5}

// CASE reduce_window_c4
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c4: window_dimensions must have 1 entry, got 2

// CASE reduce_window_c5
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c5: window_dimensions must be at least 1, got 0

// CASE reduce_window_c7
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c7: window_strides must be at least 1, got 0

// CASE reduce_window_c12
func.func @main(%a: tensor<4xi32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c12: padding must have 1 entry, got 2

// CASE reduce_window_c15
func.func @main(%a: tensor<4xi32>) -> tensor<3xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
// REFUSED stablehlo.reduce_window: reduce_window_c15: result 0 is declared as s32[3], expected s32[2]

// CASE select_and_scatter
func.func @main(%a: tensor<4xi32>, %b: tensor<2xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.compare GE, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.add %p, %q : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// INPUTS
s32[4] {1, 2, 4, 3}
s32[2] {10, 20}
// RESULT
s32[4] {0, 10, 20, 0}

// CASE reduce_c1
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: tensor<f32>) -> tensor<f32> {
  %0:2 = "stablehlo.reduce"(%a, %b, %i, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) : (tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %0#0 : tensor<f32>
}
// REFUSED stablehlo.reduce: reduce_c1: requires the same shape for operands #0 and #1, got f32[2] and f32[3]

// CASE map_c4
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// REFUSED stablehlo.map: map_c4: region 0 must take (f32[]), got (f32[], f32[])

// CASE select_and_scatter that adds up in a wider type
func.func @main(%a: tensor<4xf16>, %b: tensor<2xf16>, %c: tensor<f16>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %b, %c) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
  ^bb0(%x: tensor<f16>, %y: tensor<f16>):
    %g = stablehlo.compare GE, %x, %y : (tensor<f16>, tensor<f16>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf16>, tensor<2xf16>, tensor<f16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// INPUTS
f16[4] {1, 5, 2, 3}
f16[2] {2048, 1}
f16[] 0
// RESULT
f32[4] {0, 2049, 0, 0}

// CASE reduce_window whose strides are an empty list
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %b) <{window_dimensions = array<i64: 2>, window_strides = array<i64>, padding = dense<> : tensor<0x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// INPUTS
f32[4] {1, 2, 3, 4}
f32[] 0
// RESULT
f32[3] {3, 5, 7}
