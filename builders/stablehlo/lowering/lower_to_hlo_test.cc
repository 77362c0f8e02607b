// Programs made in memory; those of text are in ../tests.
#include "builders/stablehlo/lowering/lower_to_hlo.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/text/parser.h"
#include "gmock/gmock.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {
namespace stablehlo {
namespace {

using testing::HasSubstr;

// A module with one function @main, whose body is one operation on its argument of type tensor<2xf32>.
class OneOperation {
 public:
  OneOperation() { type_ = module_.Intern(TensorType({2}, module_.Intern(FloatType(FloatKind::kF32)))); }

  Module& module() { return module_; }

  // Adds an attribute to the operation; finishes the module and lowers it.
  absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> Lower(absl::string_view name,
                                                                std::vector<NamedAttribute> attributes = {},
                                                                LocationId location = {}) {
    const ValueId argument = module_.NewValue(type_, "x");
    const ValueId result = module_.NewValue(type_, "y");
    Operation operation;
    operation.name = name;
    const std::vector<ValueId> operands = {argument}, results = {result};
    operation.operands = operands;
    operation.results = results;
    operation.attributes = attributes;
    operation.location = location;
    operation.line = 3;
    operation.column = 5;
    const OperationId body = module_.Add(operation);
    Operation terminator;
    terminator.name = "func.return";
    terminator.operands = results;
    const OperationId end = module_.Add(terminator);
    return LowerFunction(module_.AddRegion({module_.AddBlock(operands, {body, end})}));
  }

 private:
  absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LowerFunction(RegionId region) {
    const std::vector<TypeId> types = {type_};
    const TypeId signature = module_.Intern(FunctionType(types, types));
    Operation function;
    function.name = "func.func";
    const std::vector<NamedAttribute> attributes = {{"function_type", module_.Intern(TypeAttribute(signature))},
                                                    {"sym_name", module_.String("main")}};
    const std::vector<RegionId> regions = {region};
    function.attributes = attributes;
    function.regions = regions;
    Operation root;
    root.name = "builtin.module";
    const std::vector<RegionId> top = {module_.AddRegion({module_.AddBlock({}, {module_.Add(function)})})};
    const std::vector<NamedAttribute> name = {{"sym_name", module_.String("jit_f")}};
    root.attributes = name;
    root.regions = top;
    module_.set_root(module_.Add(root));
    LoweringOptions options;
    options.source_name = "m.mlir";
    return LowerToHlo(module_, options);
  }

  Module module_;
  TypeId type_;
};

TEST(LowerToHlo, KeepsNamesAndPlaces) {
  OneOperation program;
  const LocationId file = program.module().Intern(FileLocation("model.py", 12, 7));
  const auto modules = program.Lower("stablehlo.negate", {}, program.module().Intern(NameLocation("jit(f)/neg", file)));
  ASSERT_TRUE(modules.ok()) << modules.status();
  ASSERT_EQ(modules->size(), 1u);
  const HloModule& module = *(*modules)[0];
  EXPECT_EQ(module.name(), "jit_f");
  EXPECT_EQ(module.entry()->name(), "main");
  const HloInstruction& root = *module.entry()->root();
  EXPECT_EQ(root.ToShortString(), "y = f32[2] negate(x)");
  EXPECT_EQ(root.annotations().metadata.op_name, "jit(f)/neg");
  EXPECT_EQ(root.annotations().metadata.source_file, "model.py");
  EXPECT_EQ(root.annotations().metadata.source_line, 12);
}

TEST(LowerToHlo, SaysWhereWhatHasNoLocationStands) {
  OneOperation program;
  const auto modules = program.Lower("stablehlo.negate");
  ASSERT_TRUE(modules.ok()) << modules.status();
  const OpMetadata& metadata = (*modules)[0]->entry()->root()->annotations().metadata;
  EXPECT_EQ(metadata.source_file, "m.mlir");
  EXPECT_EQ(metadata.source_line, 3);
}

TEST(LowerToHlo, NamesThePlaceAndTheConstraint) {
  OneOperation program;
  Module& module = program.module();
  const LocationId place = module.Intern(FileLocation("model.py", 12, 7));
  const auto modules = program.Lower("stablehlo.reverse", {{"dimensions", module.Int64Array({1})}}, place);
  EXPECT_EQ(modules.status().message(),
            "m.mlir:3:5: stablehlo.reverse: reverse_c3: dimensions must be at least 0 and less than the rank 1, got 1 "
            "(from model.py:12)");
}

// A program of text, whose lowering says which elements it has copied.
struct Lowered {
  std::unique_ptr<Module> module;
  std::vector<std::unique_ptr<HloModule>> hlo;
  std::vector<absl::string_view> copied;
};

Lowered LowerText(const std::string& text) {
  Lowered lowered;
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return lowered;
  lowered.module = *std::move(module);
  LoweringOptions options;
  options.on_copied = [&](absl::string_view data) { lowered.copied.push_back(data); };
  absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> hlo = LowerToHlo(*lowered.module, options);
  EXPECT_TRUE(hlo.ok()) << hlo.status();
  if (hlo.ok()) lowered.hlo = *std::move(hlo);
  return lowered;
}

// Of a resource that two constants read in different shapes, the second one still needs the elements.
TEST(LowerToHlo, TellsWhichResourcesItHasCopied) {
  const std::string data(2 << 20, '0');
  const std::string once =
      "func.func @main() -> tensor<262144xf32> {\n"
      "  %0 = stablehlo.constant dense_resource<k> : tensor<262144xf32>\n";
  const std::string again = "  %1 = stablehlo.constant dense_resource<k> : tensor<512x512xf32>\n";
  const std::string end =
      "  return %0 : tensor<262144xf32>\n}\n{-# dialect_resources: { builtin: { k: \"0x04000000" + data + "\" } } #-}";
  EXPECT_EQ(LowerText(once + end).copied.size(), 1u);
  EXPECT_EQ(LowerText(once + again + end).copied.size(), 0u);
}

TEST(LowerToHlo, KeepsWhatAttributesSayOfArgumentsAndResults) {
  const Lowered lowered = LowerText(R"(func.func @main(
    %arg0: tensor<2xf32> {mhlo.parameter_replication = [true]},
    %arg1: tensor<2xf32> {mhlo.is_same_data_across_replicas},
    %arg2: tensor<2xf32> {mhlo.parameter_replication = [false], mhlo.sharding = "\08\03\1A\01\02\22\02\00\01"})
    -> (tensor<2xf32> {jax.result_info = "result['loss'][0]"}, tensor<2xf32> {jax.result_info = "result['grad']"}) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
  %gradient = stablehlo.multiply %0, %arg2 : tensor<2xf32>
  return %0, %gradient : tensor<2xf32>, tensor<2xf32>
}
)");
  ASSERT_EQ(lowered.hlo.size(), 1u);
  const HloComputation& entry = *lowered.hlo[0]->entry();
  const auto replication = [&](int i) {
    return entry.parameters()[i]->attributes<ParameterAttributes>().parameter_replication;
  };
  EXPECT_EQ(replication(0), std::vector<bool>{true});
  EXPECT_EQ(replication(1), std::vector<bool>{true});
  EXPECT_EQ(replication(2), std::vector<bool>{false});
  ASSERT_TRUE(entry.parameters()[2]->annotations().sharding.has_value());
  EXPECT_EQ(entry.parameters()[2]->annotations().sharding->tile_dimensions, std::vector<int64_t>{2});
  EXPECT_EQ(entry.root()->operand(0)->name(), "result_loss_0");
  EXPECT_EQ(entry.root()->operand(1)->name(), "gradient");
}

constexpr char kTwoPartitions[] = "module attributes {mhlo.num_partitions = 2 : i32} {\nsdy.mesh @m = <[\"x\"=2]>\n";

std::string ShardingTextOf(const HloInstruction& instruction) {
  const auto& sharding = instruction.annotations().sharding;
  if (!sharding.has_value()) return "";
  return absl::StrJoin(sharding->tile_dimensions, ",");
}

// What an operation becomes on the way to its result has other shapes, which the sharding would not fit.
TEST(LowerToHlo, GivesShardingsToResultsAlone) {
  const Lowered lowered = LowerText(absl::StrCat(kTwoPartitions, R"(
func.func @main(%a: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<1x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<1x4xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}
})"));
  ASSERT_EQ(lowered.hlo.size(), 1u);
  const HloInstruction& root = *lowered.hlo[0]->entry()->root();
  for (const HloInstruction* broadcast : root.operands()) {
    ASSERT_EQ(broadcast->operand(0)->opcode(), HloOpcode::kReshape);
    EXPECT_EQ(ShardingTextOf(*broadcast->operand(0)), "");
    EXPECT_TRUE(broadcast->operand(0)->annotations().frontend_attributes.empty());
  }
  EXPECT_EQ(lowered.hlo[0]->config().allow_spmd_sharding_propagation_to_output, (std::vector<bool>{true, true}));
  EXPECT_EQ(ShardingTextOf(*root.operand(0)), "2,1");
  EXPECT_EQ(root.operand(1)->annotations().frontend_attributes.count("xla.sdy.sharding"), 1u);
}

TEST(LowerToHlo, MarksTheOperandOfWhatChangesNothing) {
  const Lowered lowered = LowerText(absl::StrCat(kTwoPartitions, R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.reshape %a {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
})"));
  ASSERT_EQ(lowered.hlo.size(), 1u);
  const HloComputation& entry = *lowered.hlo[0]->entry();
  EXPECT_EQ(ShardingTextOf(*entry.root()), "2");
  EXPECT_EQ(ShardingTextOf(*entry.parameters()[0]), "");
}

// The tuple that a region or a function returns is none of its operations.
TEST(LowerToHlo, ReturnsTuplesWithoutTheAnnotationsOfTheLastOperation) {
  const Lowered lowered = LowerText(absl::StrCat(kTwoPartitions, R"(
func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4xf32> attributes {mhlo.sharding = "{{replicated}, {devices=[2]<=[2]}}"}
  cond {
    %lt = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x {mhlo.sharding = "{devices=[2]<=[2]}"} : tensor<4xf32> loc("m.py":3:1)
    stablehlo.return %i, %y : tensor<i32>, tensor<4xf32> loc("m.py":4:1)
  }
  return %0#1, %0#0 : tensor<4xf32>, tensor<i32>
}
})"));
  ASSERT_EQ(lowered.hlo.size(), 1u);
  const HloInstruction& loop = *lowered.hlo[0]->entry()->root()->operand(0)->operand(0);
  ASSERT_EQ(loop.opcode(), HloOpcode::kWhile);
  ASSERT_TRUE(loop.annotations().sharding.has_value());
  EXPECT_EQ(loop.annotations().sharding->tuple.size(), 2u);
  EXPECT_FALSE(loop.operand(0)->annotations().sharding.has_value());
  const HloInstruction& root = *loop.called_computation(1)->root();
  EXPECT_FALSE(root.annotations().sharding.has_value());
  EXPECT_EQ(root.annotations().metadata.source_line, 4);
  EXPECT_EQ(ShardingTextOf(*root.operand(1)), "2");
}

// On one partition the region of a manual computation stands in its place, and its operations keep theirs.
TEST(LowerToHlo, KeepsPlacesInManualComputations) {
  const Lowered lowered = LowerText(R"(module {
sdy.mesh @m = <["x"=1]>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = stablehlo.negate %b : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
})");
  ASSERT_EQ(lowered.hlo.size(), 1u);
  EXPECT_EQ(lowered.hlo[0]->entry()->root()->annotations().metadata.source_line, 5);
}

TEST(LowerToHlo, RefusesWhatItDoesNotKnow) {
  OneOperation program;
  const auto modules = program.Lower("stablehlo.negat");
  EXPECT_THAT(std::string(modules.status().message()),
              HasSubstr("m.mlir:3:5: stablehlo.negat: there is no such operation; did you mean 'stablehlo.negate'?"));
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
