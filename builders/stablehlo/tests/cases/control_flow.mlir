// CASE while with values of outside
func.func @main(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %s = %c) : tensor<i32>, tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %s, %b : tensor<i32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}
// INPUTS
s32[] 5
s32[] 7
// RESULT
s32[] 35

// CASE while over one value
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %a) : tensor<i32>
  cond {
    %k = stablehlo.constant dense<100> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %k, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
// INPUTS
s32[] 3
// RESULT
s32[] 192

// CASE while_c1
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %i : tensor<i32>
  }, {
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.while: while_c1: cond must return pred[], got s32[]

// CASE while_c2
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.while: while_c2: body must return the values that it takes, s32[], got (s32[], s32[])

// CASE if takes region 0 where the condition holds
func.func @main(%a: tensor<i1>, %b: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%a) ({
    %1 = stablehlo.negate %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
// INPUTS
pred[] true
s32[] 4
// RESULT
s32[] -4

// CASE case takes the last branch for an index out of range
func.func @main(%a: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
  %0:2 = "stablehlo.case"(%a) ({
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.constant dense<1.5> : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }, {
    %1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.constant dense<2.5> : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<i32>, tensor<f32>)
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
}
// INPUTS
s32[] 9
// RESULT
( s32[] 2, f32[] 2.5 )

// CASE if_c2
func.func @main(%a: tensor<i1>, %b: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%a) ({
    %1 = stablehlo.constant dense<1.5> : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.if: if_c2: branch 0 and branch 1 have mismatched return types: f32[] and s32[]

// CASE case_c1
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.case: case_c1: expected at least one branch

// CASE case_c2
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.case: case_c2: branch 0 must not have arguments, got 1

// CASE call a function twice
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @square(%a) : (tensor<i32>) -> tensor<i32>
  %1 = func.call @square(%0) : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
// INPUTS
s32[] 3
// RESULT
s32[] 81

// CASE refuses a call of an unknown function
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @squar(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED func.call: 'squar' does not reference a valid function; did you mean 'square'?

// CASE refuses a call with another type
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @square(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// REFUSED func.call: argument 0: expected s32[], got f32[]

// CASE refuses a function that calls itself
func.func private @again(%x: tensor<i32>) -> tensor<i32> {
  %0 = call @again(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @again(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED func.call: @again calls itself, which HLO does not allow

// CASE refuses a call of a declaration
func.func private @far(tensor<i32>) -> tensor<i32>
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = call @far(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED func.call: @far is a declaration without a body; give the module the function that it stands for

// CASE refuses a result of another type than declared
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<f32> {
  %0 = call @square(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<f32>
}
// REFUSED error: this value has the type tensor<i32>, but the operation says tensor<f32>

// CASE composite of an unknown name is its decomposition
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.composite "my.square" %a {composite_attributes = {k = 2 : i64}, decomposition = @square, version = 3 : i32} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// INPUTS
s32[] 5
// RESULT
s32[] 25

// CASE composite of a known name is that operation
// TOLERANCE 1e-6
func.func private @erf.impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "chlo.erf" %a {decomposition = @erf.impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// INPUTS
f32[] 0.5
// RESULT
f32[] 0.520499885

// CASE composite of a known name in another version is its decomposition
func.func private @erf.impl(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "chlo.erf" %a {decomposition = @erf.impl, version = 9 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// INPUTS
f32[] 0.5
// RESULT
f32[] 0.5

// CASE composite_c1
func.func private @square(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.multiply %x, %x : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.composite "square" %a {decomposition = @square} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// REFUSED stablehlo.composite: composite_c1: the name must have a dot after its namespace, got 'square'
