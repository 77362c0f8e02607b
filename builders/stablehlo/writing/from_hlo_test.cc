#include "builders/stablehlo/writing/from_hlo.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/text/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace stablehlo {
namespace {

// Expects this text, and that it is read as what was written.
void ExpectWrites(absl::string_view hlo_text, absl::string_view expected) {
  const auto hlo = ParseHloModule(hlo_text);
  ASSERT_TRUE(hlo.ok()) << hlo.status();
  const absl::StatusOr<std::string> text = StableHloText(**hlo);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, std::string(expected));
  const auto read = ParseModule(*text);
  ASSERT_TRUE(read.ok()) << read.status();
  const auto written = FromHlo(**hlo);
  ASSERT_TRUE(written.ok()) << written.status();
  CompareOptions options;
  options.with_locations = true;
  EXPECT_EQ(FirstDifference(**written, **read, options), "");
}

std::string ErrorOf(absl::string_view hlo_text) {
  const auto hlo = ParseHloModule(hlo_text);
  EXPECT_TRUE(hlo.ok()) << hlo.status();
  return std::string(StableHloText(**hlo).status().message());
}

TEST(FromHlo, WritesFunctionsAndAnnotations) {
  ExpectWrites(
      R"hlo(HloModule m, input_output_alias={ {1}: (1, {}, must-alias) }, frontend_attributes={k="v"}, replica_count=2

add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
twice { x = f32[4] parameter(0)
  ROOT s = (f32[4], f32[4]) tuple(x, x) }
ENTRY e {
  p = (f32[4], s32[]) parameter(0)
  q = f32[4] parameter(1), sharding={replicated}
  a = f32[4] get-tuple-element(p), index=0
  c = (f32[4], f32[4]) call(a), to_apply=twice
  l = f32[4] get-tuple-element(c), index=1
  z = f32[] constant(0)
  r = f32[] reduce(l, z), dimensions={0}, to_apply=add, metadata={op_name="jit(f)/sum" source_file="f.py" source_line=3}
  g = f32[8] all-gather(q), replica_groups={{0,1}}, dimensions={0}
  e = f32[4] erf(a)
  b = f32[4] bitcast-convert(s32[4]{0} constant({1,2,3,4}))
  ROOT t = (f32[], f32[4], (f32[8], f32[4])) tuple(r, e, (f32[8], f32[4]) tuple(g, b))
}
)hlo",
      R"mlir(module @m attributes {mhlo.frontend_attributes = {k = "v"}, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%p: tuple<tensor<4xf32>, tensor<i32>>, %q: tensor<4xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 1 : i32}) -> (tensor<f32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>) {
    %0 = stablehlo.get_tuple_element %p[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
    %1 = stablehlo.get_tuple_element %p[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    %c:2 = func.call @twice(%0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %r = stablehlo.reduce(%c#1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc(#loc1)
    %g = "stablehlo.all_gather"(%q) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
    %e = chlo.erf %0 : tensor<4xf32> -> tensor<4xf32>
    %constant.anon = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %b = stablehlo.bitcast_convert %constant.anon : (tensor<4xi32>) -> tensor<4xf32>
    return %r, %e, %g, %b : tensor<f32>, tensor<4xf32>, tensor<8xf32>, tensor<4xf32>
  }
  func.func private @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
}
#loc0 = loc("f.py":3:0)
#loc1 = loc("jit(f)/sum"(#loc0))
)mlir");
}

TEST(FromHlo, WritesTheLayoutOfTheEntry) {
  ExpectWrites(
      R"hlo(HloModule m, entry_computation_layout={(f32[2,3]{0,1}, f32[2]{0:S(5)})->(f32[3,2]{0,1}, f32[2]{0})}

ENTRY e {
  a = f32[2,3] parameter(0)
  b = f32[2] parameter(1)
  t = f32[3,2] transpose(a), dimensions={1,0}
  ROOT r = (f32[3,2], f32[2]) tuple(t, b)
}
)hlo",
      R"mlir(module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}, %b: tensor<2xf32> {mhlo.memory_kind = "pinned_host"}) -> (tensor<3x2xf32> {mhlo.layout_mode = "{0,1}"}, tensor<2xf32>) {
    %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %t, %b : tensor<3x2xf32>, tensor<2xf32>
  }
}
)mlir");
}

TEST(FromHlo, WritesLoopsAndBranches) {
  ExpectWrites(R"hlo(HloModule loop
cond { s = (s32[], (f32[2], token[])) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], (f32[2], token[])) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  u = (f32[2], token[]) get-tuple-element(s), index=1
  ROOT t = (s32[], (f32[2], token[])) tuple(j, u) }
yes { x = f32[2] parameter(0)
  ROOT n = f32[2] negate(x) }
no { x = f32[2] parameter(0)
  ROOT n = f32[2] copy(x) }
ENTRY e {
  i = s32[] parameter(0)
  v = f32[2] parameter(1)
  k = token[] after-all()
  u = (f32[2], token[]) tuple(v, k)
  s = (s32[], (f32[2], token[])) tuple(i, u)
  w = (s32[], (f32[2], token[])) while(s), condition=cond, body=body
  f = (f32[2], token[]) get-tuple-element(w), index=1
  x = f32[2] get-tuple-element(f), index=0
  p = pred[] constant(true)
  ROOT r = f32[2] conditional(p, x, v), true_computation=yes, false_computation=no
}
)hlo",
               R"mlir(module @loop attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%i: tensor<i32>, %v: tensor<2xf32>) -> tensor<2xf32> {
    %k = stablehlo.create_token : !stablehlo.token
    %w:3 = stablehlo.while(%0 = %i, %1 = %v, %2 = %k) : tensor<i32>, tensor<2xf32>, !stablehlo.token
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %0, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %0, %one : tensor<i32>
      stablehlo.return %j, %1, %2 : tensor<i32>, tensor<2xf32>, !stablehlo.token
    }
    %p = stablehlo.constant dense<true> : tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %n = stablehlo.negate %w#1 : tensor<2xf32>
      stablehlo.return %n : tensor<2xf32>
    }, {
      stablehlo.return %v : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}
)mlir");
}

TEST(FromHlo, WritesCallsAndCollectives) {
  ExpectWrites(R"hlo(HloModule calls
ENTRY e {
  a = f32[3,3]{0,1} parameter(0)
  c = (f32[3,3]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_spotrf_ffi", operand_layout_constraints={f32[3,3]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config="{uplo = 76 : ui8}"
  b = f32[<=4] set-dimension-size(f32[4] broadcast(f32[] constant(1)), s32[] constant(2)), dimensions={0}
  d = f32[3,3] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}, algorithm=dot_bf16_bf16_f32_x3
  st = f32[3,3]{1,0} all-reduce-start(a), to_apply={ x = f32[] parameter(0)
 y = f32[] parameter(1)
 ROOT m = f32[] maximum(x, y) }
  en = f32[3,3]{1,0} all-reduce-done(st)
  ROOT t = (f32[3,3], f32[3,3]) tuple(d, en)
}
)hlo",
               R"mlir(module @calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<3x3xf32> {mhlo.layout_mode = "{0,1}"}) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
    %c:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, has_side_effect = false, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
    %constant.anon = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %broadcast.anon = stablehlo.broadcast_in_dim %constant.anon, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %constant.anon.1 = stablehlo.constant dense<2> : tensor<i32>
    %b = stablehlo.set_dimension_size %broadcast.anon, %constant.anon.1, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
    %d = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %st = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %d, %st : tensor<3x3xf32>, tensor<3x3xf32>
  }
}
)mlir");
}

// A constant outlives the program that it comes from.
TEST(FromHlo, KeepsLargeConstants) {
  std::string values = "7";
  for (int i = 1; i < 200; ++i) absl::StrAppend(&values, ",", i);
  auto hlo = ParseHloModule(absl::StrCat("HloModule m\nENTRY e { ROOT c = s64[200] constant({", values, "}) }"));
  ASSERT_TRUE(hlo.ok()) << hlo.status();
  const auto module = FromHlo(**hlo);
  ASSERT_TRUE(module.ok()) << module.status();
  hlo->reset();
  const Attribute& value = (*module)->attribute((*module)->operation({0}).attribute("value"));
  ASSERT_EQ(value.data.size(), 1600);
  EXPECT_EQ(value.data.substr(0, 8), absl::string_view("\7\0\0\0\0\0\0\0", 8));
}

TEST(FromHlo, SaysWhatStableHloDoesNotHave) {
  EXPECT_EQ(ErrorOf("HloModule m\nENTRY e { p = f32[2] parameter(0)\n ROOT b = f32[1,2] bitcast(p) }"),
            "b = f32[1,2] bitcast(p): StableHLO does not have this operation; write the program as HLO (--to text)");
  EXPECT_EQ(ErrorOf("HloModule m\nENTRY e { ROOT c = f32[2] constant({...}) }"),
            "c = f32[2] constant(): the elements of this constant were left out; write the program as HLO (--to text)");
  EXPECT_EQ(ErrorOf("HloModule m\nENTRY e { ROOT c = u1[2] constant({0,1}) }"),
            "StableHLO has no type u1[2]; write the program as HLO (--to text)");
  EXPECT_EQ(ErrorOf("HloModule m\nENTRY e { p = f32[2] parameter(0)\n s = (f32[2], f32[2], u32[]) copy-start(p)\n"
                    " ROOT g = f32[2] get-tuple-element(s), index=1 }"),
            "s = (f32[2], f32[2], u32[]) copy-start(p): something else than its end uses it; write the program as HLO "
            "(--to text)");
}

// Each computation calls the one before it twice in branches, which are written out: 2^40 operations.
TEST(FromHlo, RefusesProgramsThatGrowTooMuch) {
  std::string text = "HloModule m\nb0 { x = f32[] parameter(0)\n ROOT n = f32[] negate(x) }\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, "b", i,
                    " { x = f32[] parameter(0)\n p = pred[] constant(true)\n ROOT c = f32[] conditional(p, x, x), ",
                    "true_computation=b", i - 1, ", false_computation=b", i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = f32[] parameter(0)\n ROOT c = f32[] call(x), to_apply=b40 }");
  EXPECT_EQ(ErrorOf(text),
            "as StableHLO, module m would be more than a hundred times as large, because its regions have to be "
            "written out");
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
