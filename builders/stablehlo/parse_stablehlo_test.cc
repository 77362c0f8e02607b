#include "builders/stablehlo/parse_stablehlo.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/testing/artifact_writer.h"
#include "gmock/gmock.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kTwo[] = R"(
func.func @first(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @second(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = call @third(%x) : (tensor<f32>) -> tensor<f32>
  return %x, %0 : tensor<f32>, tensor<f32>
}
func.func private @third(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}
)";

std::string TextOf(absl::string_view program) {
  const auto modules = ParseStableHlo(program);
  if (!modules.ok()) return std::string(modules.status().message());
  return modules->size() == 1 ? ModuleToString(*(*modules)[0]) : "several modules";
}

TEST(ParseStableHlo, MakesAModuleOfEachPublicFunction) {
  const auto modules = ParseStableHlo(kTwo);
  ASSERT_TRUE(modules.ok()) << modules.status();
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ((*modules)[0]->name(), "first");
  EXPECT_EQ((*modules)[1]->name(), "second");
  EXPECT_EQ((*modules)[1]->computations().size(), 2u);
}

TEST(ParseStableHlo, TakesTheFunctionThatIsAskedFor) {
  StableHloOptions options;
  options.entry = "third";
  const auto modules = ParseStableHlo(kTwo, options);
  ASSERT_TRUE(modules.ok()) << modules.status();
  ASSERT_EQ(modules->size(), 1u);
  EXPECT_EQ((*modules)[0]->entry()->name(), "third");
  options.entry = "thrid";
  EXPECT_THAT(std::string(ParseStableHlo(kTwo, options).status().message()),
              HasSubstr("'thrid' does not reference a valid function; did you mean 'third'?"));
}

TEST(ParseStableHlo, TakesMainAlone) {
  EXPECT_THAT(TextOf(R"(module @m {
  func.func @other(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
})"),
              AllOf(HasSubstr("HloModule m"), HasSubstr("ENTRY %main")));
}

TEST(ParseStableHlo, ReadsWhatTheModuleAndItsArgumentsSay) {
  const std::string text = TextOf(R"(
module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 4 : i32, mhlo.frontend_attributes = {a = "b"}} {
  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 1 : i32},
                         %arg1: tensor<2x3xf32> {jax.buffer_donor = true, mhlo.layout_mode = "{0,1}"},
                         %arg2: tensor<2x3xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<2x3xf32> {jax.result_info = "a"}, tensor<2x3xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
})");
  EXPECT_THAT(text, HasSubstr("replica_count=4"));
  EXPECT_THAT(text, HasSubstr("num_partitions=2"));
  EXPECT_THAT(text, HasSubstr("frontend_attributes={a=\"b\"}"));
  EXPECT_THAT(text, HasSubstr("{1}: (0, {}, must-alias)"));
  EXPECT_THAT(text, HasSubstr("buffer_donor={ (1, {}) }"));
  EXPECT_THAT(text, HasSubstr("entry_computation_layout={(f32[2,3]{1,0}, f32[2,3]{0,1}, f32[2,3]{1,0})"));
  EXPECT_THAT(text, HasSubstr("parameter(2), sharding={replicated}"));
}

TEST(ParseStableHlo, KeepsShardingsOfPartitionedPrograms) {
  const std::string text = TextOf(R"(
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>})
      -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>]
        manual_axes={"a", "b"} (%arg2: tensor<2x4xf32>) {
      %4 = stablehlo.negate %arg2 : tensor<2x4xf32>
      sdy.return %4 : tensor<2x4xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
})");
  EXPECT_THAT(text, HasSubstr(R"(frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}})"));
  EXPECT_THAT(text, HasSubstr(R"(sharding={devices=[2,2]<=[4]}, frontend_attributes={xla.sdy.sharding=)"
                              R"("#sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>"})"));
  EXPECT_THAT(text, HasSubstr(R"(custom_call_target="xla.sdy.GlobalToLocalShape")"));
  EXPECT_THAT(text, HasSubstr(R"(xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {\"b\"}]>]>")"));
  EXPECT_THAT(text, HasSubstr(R"(xla.sdy.manual_axes="#sdy<manual_axes{\"a\", \"b\"}>")"));
  EXPECT_THAT(text, HasSubstr(R"(custom_call_target="xla.sdy.LocalToGlobalShape")"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}"));
  EXPECT_THAT(text, HasSubstr(R"(custom_call_target="xla.sdy.FuncResultSharding")"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"));
}

// Values of which each device along an axis has a summand.
TEST(ParseStableHlo, KeepsUnreducedAxes) {
  const std::string text = TextOf(R"(
module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func public @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<8x8xf32>
    %1 = sdy.sharded_to_unreduced [{"a"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"a", "b"}> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{}, {}], unreduced={"a"}> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
})");
  EXPECT_THAT(text, HasSubstr("sharding={devices=[2,1,4]<=[8] last_tile_dims={unreduced}}"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[1,1,8]<=[8] last_tile_dims={unreduced}}"));
  EXPECT_THAT(text, HasSubstr("sharding={devices=[1,1,2,4]<=[8] last_tile_dims={unreduced, replicated}}"));
  EXPECT_THAT(text, HasSubstr(R"("#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {}], unreduced={\"b\"}>]>")"));
}

TEST(ParseStableHlo, RefusesWhatIsNotAProgram) {
  EXPECT_THAT(TextOf("module @m {}"), HasSubstr("the module has no function @main and no public function"));
  EXPECT_THAT(TextOf("module attributes {mhlo.num_replicas = 0 : i32} {}"),
              HasSubstr("'mhlo.num_replicas' must be at least 1"));
  EXPECT_EQ(TextOf("ML\xEFR"), "offset 4 in the file: expected 1 more byte, found 0; the file may have been cut off");
  for (const char* const blank : {"", "\n", "// a comment\n"}) {
    EXPECT_FALSE(ParseStableHlo(blank).ok()) << blank;
  }
}

TEST(ParseStableHlo, SaysWhatOfTheContentsIsCopied) {
  const std::string file = stablehlo::WeightsArtifact({1 << 18, 10});
  StableHloOptions options;
  std::vector<absl::string_view> parts;
  options.on_copied = [&parts](absl::string_view part) { parts.push_back(part); };
  const auto modules = ParseStableHlo(file, options);
  ASSERT_TRUE(modules.ok()) << modules.status();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].size(), size_t{1} << 20);
  EXPECT_TRUE(parts[0].data() > file.data() && parts[0].data() + parts[0].size() < file.data() + file.size());
  const HloInstruction* const root = (*modules)[0]->entry()->root();
  EXPECT_EQ(root->operand(0)->attributes<ConstantAttributes>().literal->data<float>()[1001], 1);
  EXPECT_EQ(root->operand(1)->attributes<ConstantAttributes>().literal->data<float>()[9], 9);
}

// What is decoded is given back as soon as it is copied, unless something else needs it.
TEST(ParseStableHlo, CopiesDecodedElements) {
  const std::string digits(size_t{2} << 20, '3');
  const std::string resources = absl::StrCat("{-# dialect_resources: { builtin: { once: \"0x04000000", digits,
                                             "\", twice: \"0x04000000", digits, "\" } } #-}");
  const auto modules = ParseStableHlo(absl::StrCat(
      R"(func.func @main() -> (tensor<262144xi32>, tensor<262144xi32>, tensor<524288xi16>, tensor<262144xi32>) {
  %0 = stablehlo.constant dense_resource<once> : tensor<262144xi32>
  %1 = stablehlo.constant dense_resource<twice> : tensor<262144xi32>
  %2 = stablehlo.constant dense_resource<twice> : tensor<524288xi16>
  %3 = stablehlo.constant dense<"0x)",
      digits, R"("> : tensor<262144xi32>
  return %0, %1, %2, %3 : tensor<262144xi32>, tensor<262144xi32>, tensor<524288xi16>, tensor<262144xi32>
}
)",
      resources));
  ASSERT_TRUE(modules.ok()) << modules.status();
  const HloInstruction* const root = (*modules)[0]->entry()->root();
  const auto literal = [root](int i) -> const Literal& {
    return *root->operand(i)->attributes<ConstantAttributes>().literal;
  };
  for (const int i : {0, 1, 3}) EXPECT_EQ(literal(i).data<int32_t>()[262143], 0x33333333) << i;
  EXPECT_EQ(literal(2).data<int16_t>()[524287], 0x3333);
}

// Calls and regions nest as deep as the readers let them; deeper ones are refused.
TEST(ParseStableHlo, LimitsTheDepthOfCalls) {
  const auto chain = [](int depth) {
    std::string text = "func.func private @f0(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n";
    for (int i = 1; i <= depth; ++i) {
      text += "func.func " + std::string(i == depth ? "" : "private ") + "@f" + std::to_string(i) +
              "(%x: tensor<f32>) -> tensor<f32> {\n  %0 = call @f" + std::to_string(i - 1) +
              "(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n";
    }
    return text;
  };
  EXPECT_THAT(TextOf(chain(400)), HasSubstr("ENTRY %f400"));
  EXPECT_THAT(TextOf(chain(600)), HasSubstr("calls and regions nest more than 500 deep"));
}

TEST(LooksLikeStableHlo, LooksAtHowATextBegins) {
  for (const char* const program :
       {"module {", "// a comment\nmodule @m {", "module attributes {a = 1} {", "func.func @f",
        "#loc = loc(unknown)\nmodule {", "\"builtin.module\"() ({", "ML\xEFR"}) {
    EXPECT_TRUE(LooksLikeStableHlo(program)) << program;
  }
  for (const char* const other : {"", "HloModule m", "ENTRY e {", "module", "# a comment", "{\"inputs\": 1}"}) {
    EXPECT_FALSE(LooksLikeStableHlo(other)) << other;
  }
}

}  // namespace
}  // namespace xla
