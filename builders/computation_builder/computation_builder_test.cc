// The core of the builder: errors that stick, call sites, sharing, names, metadata, broadcasting. What single
// operations compute is tested elsewhere, by the document and by families of errors.
#include "builders/computation_builder/computation_builder.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Shape F32Array(std::initializer_list<int64_t> dimensions) { return Shape::Array(F32, dimensions); }

XlaComputation BuildOrDie(ComputationBuilder& builder) {
  const absl::StatusOr<XlaComputation> computation = builder.Build();
  EXPECT_TRUE(computation.ok()) << computation.status();
  return computation.ok() ? *computation : XlaComputation();
}

std::unique_ptr<HloModule> ModuleOf(ComputationBuilder& builder) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = builder.BuildModule();
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

absl::StatusOr<Literal> Evaluate(ComputationBuilder& builder, std::vector<Literal> arguments = {}) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = builder.BuildModule();
  if (!module.ok()) return module.status();
  absl::StatusOr<std::unique_ptr<Evaluator>> evaluator = Evaluator::Create(**module);
  if (!evaluator.ok()) return evaluator.status();
  return (*evaluator)->RunOne(std::move(arguments));
}

template <typename T>
std::vector<T> Values(const absl::StatusOr<Literal>& literal) {
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  return std::vector<T>(literal->data<T>(), literal->data<T>() + literal->element_count());
}

// The line of the test that calls, as "computation_builder_test.cc:LINE".
std::string Here(int line) { return absl::StrCat("computation_builder_test.cc:", line, ": "); }

// ---- Building

TEST(ComputationBuilder, BuildsWhatItWasTold) {
  ComputationBuilder b("axpy");
  const XlaOp a = b.Parameter(0, Shape::Scalar(F32), "a");
  const XlaOp x = b.Parameter(1, F32Array({3}), "x");
  const XlaOp y = b.Parameter(2, F32Array({3}), "y");
  b.Add(b.Mul(a, x), y);
  const auto result =
      Evaluate(b, {Literal::Scalar(2.0f), Literal::Vector<float>({1, 2, 3}), Literal::Vector<float>({10, 20, 30})});
  EXPECT_THAT(Values<float>(result), ElementsAre(12, 24, 36));
}

TEST(ComputationBuilder, TheRootIsTheLastOperationUnlessGiven) {
  ComputationBuilder b("last");
  b.ConstantR0<float>(1);
  b.ConstantR0<float>(2);
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(2));
  ComputationBuilder c("given");
  const XlaOp one = c.ConstantR0<float>(1);
  c.ConstantR0<float>(2);
  const auto computation = c.Build(one);
  ASSERT_TRUE(computation.ok());
  EXPECT_EQ(computation->GetProgramShape()->result, Shape::Scalar(F32));
  const auto module = computation->ToModule();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry()->root()->name(), "constant.0");
}

TEST(ComputationBuilder, OperatorsMixWithNumbers) {
  ComputationBuilder b("operators");
  const XlaOp x = b.ConstantR1<float>({1, 2, 4});
  b.Tuple({(1 - x) * 2.5f / x, -x % 3, b.ConstantR1<uint32_t>({8, 9}) >> 1, ~b.ConstantR0<int32_t>(5) << 2,
           b.ConvertElementType(Lt(x, x * x), S32)});
  const auto result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(Values<float>(result->element(0)), ElementsAre(0, -1.25, -1.875));
  EXPECT_THAT(Values<float>(result->element(1)), ElementsAre(-1, -2, -1));
  EXPECT_THAT(Values<uint32_t>(result->element(2)), ElementsAre(4, 4));
  EXPECT_THAT(Values<int32_t>(result->element(3)), ElementsAre(-24));
  EXPECT_THAT(Values<int32_t>(result->element(4)), ElementsAre(0, 1, 1));
}

TEST(ComputationBuilder, ModulesSurviveText) {
  ComputationBuilder b("text");
  const XlaOp x = b.Parameter(0, F32Array({2, 3}), "x");
  b.Reduce(x, Zero(&b, F32), CreateScalarAddComputation(F32), {1});
  const auto module = ModuleOf(b);
  const std::string text = ModuleToString(*module);
  const auto parsed = ParseHloModule(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(ModuleToString(**parsed), text);
}

// ---- Errors

TEST(BuilderErrors, NameTheCallTheShapesAndTheRule) {
  ComputationBuilder b("error");
  const XlaOp x = b.Parameter(0, F32Array({8, 16}), "x");
  const XlaOp y = b.Parameter(1, F32Array({32, 4}), "y");
  b.Dot(x, y);
  const int line = __LINE__ - 1;
  const std::string message(b.first_error().message());
  EXPECT_THAT(message, HasSubstr(Here(line) + "Dot(f32[8,16], f32[32,4]): "));
  EXPECT_THAT(message, HasSubstr("16"));
  EXPECT_EQ(b.first_error().code(), absl::StatusCode::kInvalidArgument);
}

TEST(BuilderErrors, OfOperatorsNameTheirLine) {
  ComputationBuilder b("operator");
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  const XlaOp y = b.Parameter(1, F32Array({3}), "y");
  const XlaOp sum = x + y;
  const int line = __LINE__ - 1;
  EXPECT_FALSE(sum.valid());
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr(Here(line) + "Add(f32[2], f32[3]): "));
}

TEST(BuilderErrors, TheFirstOneSticks) {
  ComputationBuilder b("sticks");
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  const XlaOp bad = b.Abs(b.Tuple({x}));
  const absl::Status first = b.first_error();
  EXPECT_FALSE(first.ok());
  EXPECT_FALSE(bad.valid());
  const XlaOp later = b.Add(bad, b.Reshape(x, {7}));
  EXPECT_FALSE(later.valid());
  EXPECT_FALSE((later * 2 + bad).valid());
  EXPECT_EQ(b.first_error(), first);
  EXPECT_EQ(b.Build().status(), first);
  EXPECT_EQ(b.BuildModule().status(), first);
  EXPECT_EQ(b.GetShape(bad).status(), first);
}

TEST(BuilderErrors, ValuesOfAnotherBuilderAreRefused) {
  ComputationBuilder a("a");
  ComputationBuilder b("b");
  const XlaOp x = a.Parameter(0, F32Array({2}), "x");
  const XlaOp y = b.Parameter(0, F32Array({2}), "y");
  b.Add(y, x);
  EXPECT_THAT(std::string(b.first_error().message()),
              HasSubstr("Add(f32[2], a value of another builder): operand 1 is a value of another builder"));
  EXPECT_TRUE(a.ok());
}

// Builders on the stack often have the same address, one after the other.
TEST(BuilderErrors, ValuesOfABuilderThatIsGoneAreRefused) {
  absl::optional<ComputationBuilder> builder;
  builder.emplace("first");
  const XlaOp x = builder->Parameter(0, F32Array({2}), "x");
  builder.reset();
  builder.emplace("second");
  builder->Abs(x);
  EXPECT_THAT(std::string(builder->first_error().message()), HasSubstr("another builder"));
}

TEST(BuilderErrors, InvalidValuesAreRefused) {
  ComputationBuilder b("invalid");
  b.Tuple({b.ConstantR0<float>(1), XlaOp()});
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("operand 1 is an invalid XlaOp"));
  EXPECT_FALSE((XlaOp() + XlaOp()).valid());
  EXPECT_FALSE((-XlaOp()).valid());
  EXPECT_FALSE((XlaOp() * 2).valid());
  EXPECT_FALSE(ZerosLike(XlaOp()).valid());
}

TEST(BuilderErrors, NothingIsAddedAfterBuild) {
  ComputationBuilder b("done");
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  const auto computation = b.Build();
  ASSERT_TRUE(computation.ok());
  EXPECT_EQ(*b.GetShape(x), F32Array({2}));
  EXPECT_FALSE(b.Abs(x).valid());
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("Abs(f32[2]): the computation done is finished"));
  EXPECT_FALSE(b.Build().ok());
  EXPECT_TRUE(computation->ToModule().ok());
}

TEST(BuilderErrors, BuildingTwiceIsOne) {
  ComputationBuilder b("twice");
  b.ConstantR0<float>(1);
  EXPECT_TRUE(b.Build().ok());
  EXPECT_THAT(std::string(b.Build().status().message()), HasSubstr("Build() was called"));
}

TEST(BuilderErrors, EmptyComputationsAndParameterNumbers) {
  ComputationBuilder empty("empty");
  EXPECT_THAT(std::string(empty.Build().status().message()),
              HasSubstr("Build(): the computation empty has no operations"));
  ComputationBuilder gap("gap");
  gap.Parameter(1, F32Array({}), "x");
  EXPECT_THAT(std::string(gap.Build().status().message()), HasSubstr("parameter 0 of the computation gap is missing"));
  ComputationBuilder twice("twice");
  twice.Parameter(0, F32Array({}), "x");
  twice.Parameter(0, F32Array({2}), "y");
  EXPECT_THAT(std::string(twice.first_error().message()), HasSubstr("parameter 0 exists already: x, f32[]"));
  ComputationBuilder negative("negative");
  negative.Parameter(-1, F32Array({}), "x");
  EXPECT_FALSE(negative.ok());
  ComputationBuilder unbounded("unbounded");
  unbounded.Parameter(0, Shape::Array(F32, {Shape::kUnboundedSize}, {true}), "x");
  EXPECT_FALSE(unbounded.ok());
}

TEST(BuilderErrors, EmptyAndFailedComputationsAreReportedByTheirUser) {
  ComputationBuilder b("empty_callee");
  b.Call(XlaComputation(), {});
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("Call(): the XlaComputation is empty"));
  ComputationBuilder c("no_order");
  const XlaOp x = c.Parameter(0, Shape::Array(C64, {4}), "x");
  c.Reduce(x, Zero(&c, C64), CreateScalarMaxComputation(C64), {0});
  EXPECT_THAT(std::string(c.first_error().message()),
              HasSubstr("Reduce(c64[4], c64[]): there is no computation max_c64: operand 0 must be"));
}

XlaOp SumOfHalves(XlaOp x, SourceLocation loc = SourceLocation::Current()) {
  OperationScope scope(x.builder(), "SumOfHalves", {x}, loc);
  ComputationBuilder* b = x.builder();
  const XlaOp low = b->SliceInDim(x, 0, 2, 1, 0);
  return low + b->SliceInDim(x, 2, 5, 1, 0);
}

TEST(BuilderErrors, FunctionsOutsideAreNamedByTheirScope) {
  ComputationBuilder b("scope");
  const XlaOp x = b.Parameter(0, F32Array({5}), "x");
  SumOfHalves(x);
  const int line = __LINE__ - 1;
  EXPECT_THAT(std::string(b.first_error().message()),
              HasSubstr(Here(line) + "SumOfHalves(f32[5]): Add(f32[2], f32[3]): "));
}

TEST(BuilderErrors, CanBeReportedFromOutside) {
  ComputationBuilder b("reported");
  EXPECT_TRUE((b.ReportError(absl::OkStatus()), b.ok()));
  EXPECT_FALSE(b.ReportError(absl::UnimplementedError("no such operation")).valid());
  const int line = __LINE__ - 1;
  EXPECT_EQ(b.first_error().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(b.first_error().message()), EndsWith(Here(line) + "no such operation"));
}

TEST(BuilderErrors, GoAlongWithAComputation) {
  ComputationBuilder f("callee");
  f.Abs(f.Parameter(0, Shape::Scalar(PRED), "x"));
  ComputationBuilder b("caller");
  b.Call(f.BuildOrError(), {b.ConstantR0<bool>(true)});
  const std::string message(b.first_error().message());
  EXPECT_THAT(message, HasSubstr("Call(pred[]): "));
  EXPECT_THAT(message, HasSubstr("Abs(pred[]): "));
}

TEST(BuilderErrors, LongListsOfOperandsAreCut) {
  ComputationBuilder b("long");
  const std::vector<XlaOp> many(1000, b.ConstantR1<float>({1}));
  b.Concatenate(many, 3);
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("f32[1], and 992 more): "));
  EXPECT_LT(b.first_error().message().size(), 1000);
}

// ---- Called computations

XlaComputation Square() {
  ComputationBuilder b("square");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  b.Mul(x, x);
  return BuildOrDie(b);
}

TEST(CalledComputations, AreInTheModuleOnce) {
  const XlaComputation square = Square();
  ComputationBuilder fourth("fourth");
  const XlaOp y = fourth.Parameter(0, Shape::Scalar(F32), "y");
  fourth.Call(square, {fourth.Call(square, {y})});
  const XlaComputation fourth_power = BuildOrDie(fourth);
  ComputationBuilder b("main");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  b.Add(b.Call(square, {x}), b.Call(fourth_power, {b.Call(fourth_power, {x})}));
  const absl::StatusOr<XlaComputation> main = b.Build();
  const auto module = main->ToModule();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->computations().size(), 3);
  EXPECT_EQ((*module)->entry()->name(), "main");
  const auto evaluator = Evaluator::Create(**module);
  EXPECT_THAT(Values<float>((*evaluator)->RunOne({Literal::Scalar(2.0f)})), ElementsAre(4 + 65536));
  // Computations are not used up.
  EXPECT_TRUE(main->ToModule().ok());
}

TEST(CalledComputations, HaveNamesOfTheirOwn) {
  const XlaComputation a = Square();
  const XlaComputation same_name = Square();
  ComputationBuilder b("square");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  b.Add(b.Call(a, {x}), b.Call(same_name, {x}));
  const auto module = ModuleOf(b);
  std::set<std::string> computations, instructions;
  for (const auto& computation : module->computations()) {
    EXPECT_TRUE(computations.insert(computation->name()).second) << computation->name();
    for (const auto& instruction : computation->instructions()) {
      EXPECT_TRUE(instructions.insert(instruction->name()).second) << instruction->name();
    }
  }
  EXPECT_EQ(computations.size(), 3);
  EXPECT_EQ(module->entry()->name(), "square");
  EXPECT_EQ(module->entry()->parameters()[0]->name(), "x");
}

TEST(CalledComputations, AsyncBodiesAreNotShared) {
  const XlaComputation square = Square();
  ComputationBuilder b("async");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  const XlaOp first = b.AsyncUpdate(b.AsyncStart(square, {x}));
  const XlaOp second = b.AsyncStart(square, {x}, "other");
  b.Add(b.AsyncDone(first), b.Add(b.AsyncDone(second), b.Call(square, {x})));
  const auto module = ModuleOf(b);
  EXPECT_EQ(module->computations().size(), 4);
  const auto evaluator = Evaluator::Create(*module);
  EXPECT_THAT(Values<float>((*evaluator)->RunOne({Literal::Scalar(3.0f)})), ElementsAre(27));
  const auto parsed = ParseHloModule(ModuleToString(*module));
  EXPECT_TRUE(parsed.ok()) << parsed.status() << ModuleToString(*module);
}

TEST(CalledComputations, MayBeNestedThousandsDeep) {
  XlaComputation inner = Square();
  for (int i = 0; i < 20000; ++i) {
    ComputationBuilder b("nested");
    b.Call(inner, {b.Parameter(0, Shape::Scalar(F32), "x")});
    inner = BuildOrDie(b);
  }
  const auto module = inner.ToModule();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->computations().size(), 20001);
}

TEST(CalledComputations, CommonOnesAreMadeOnce) {
  ComputationBuilder b("common");
  const XlaOp x = b.Parameter(0, F32Array({2, 3}), "x");
  const XlaOp rows = b.Reduce(x, Zero(&b, F32), CreateScalarAddComputation(F32), {1});
  b.Reduce(rows, Zero(&b, F32), CreateScalarAddComputation(F32), {0});
  EXPECT_EQ(ModuleOf(b)->computations().size(), 2);
}

// ---- Names, metadata, the module's configuration

TEST(Annotations, ParametersKeepTheirNames) {
  ComputationBuilder b("a name");
  b.Parameter(0, Shape::Scalar(F32), "x");
  b.Parameter(1, Shape::Scalar(F32), "x");
  b.Parameter(2, Shape::Scalar(F32));
  b.Parameter(3, Shape::Scalar(F32), "3 d/l");
  b.Parameter(4, Shape::Scalar(F32), "add.6");
  b.Parameter(5, Shape::Scalar(F32), "s2");
  const XlaOp sum = b.Add(b.ConstantR0<float>(1), b.ConstantR0<float>(2));
  b.SetInstructionName(sum, "sum");
  const auto module = ModuleOf(b);
  EXPECT_EQ(module->name(), "a_name");
  std::vector<std::string> names;
  for (const auto& instruction : module->entry()->instructions()) names.push_back(instruction->name());
  EXPECT_THAT(names, ElementsAre("x", "x.1", "p2", "_3_d_l", "add.6", "s2_", "constant.6", "constant.7", "sum"));
}

TEST(Annotations, SayWhereInstructionsComeFrom) {
  ComputationBuilder b("where");
  const XlaOp x = b.Parameter(0, F32Array({4}), "x");
  SumOfHalves(b.Concatenate({x, x}, 0));
  const int line = __LINE__;  // NOLINT
  EXPECT_FALSE(b.ok());
  ComputationBuilder c("metadata");
  OpMetadata metadata;
  metadata.op_name = "layer1/relu";
  {
    const ScopedOpMetadata scoped(&c, metadata);
    c.ConstantR0<float>(1);
  }
  c.ConstantR0<float>(2);
  c.set_keep_source_locations(false);
  c.ConstantR0<float>(3);
  const auto module = ModuleOf(c);
  const auto instructions = module->entry()->instructions();
  EXPECT_EQ(instructions[0]->annotations().metadata.op_name, "layer1/relu");
  EXPECT_THAT(instructions[0]->annotations().metadata.source_file.str(), EndsWith("computation_builder_test.cc"));
  EXPECT_EQ(instructions[1]->annotations().metadata.op_name, "");
  EXPECT_EQ(instructions[1]->annotations().metadata.source_line, line + 9);
  EXPECT_FALSE(instructions[2]->has_annotations());
}

TEST(Annotations, ShardingAndFrontendAttributes) {
  ComputationBuilder b("sharding");
  {
    const ScopedSharding replicated(&b, Sharding());
    const ScopedFrontendAttributes attributes(&b, {{"key", "value"}});
    b.Parameter(0, Shape::Scalar(F32), "x");
  }
  const XlaOp y = b.Parameter(1, Shape::Scalar(F32), "y");
  b.SetInstructionFrontendAttribute(y, "other", "1");
  b.SetInstructionBackendConfig(y, "{}");
  const auto module = ModuleOf(b);
  const auto instructions = module->entry()->instructions();
  EXPECT_TRUE(instructions[0]->annotations().sharding.has_value());
  EXPECT_EQ(instructions[0]->annotations().frontend_attributes.at("key"), "value");
  EXPECT_FALSE(instructions[1]->annotations().sharding.has_value());
  EXPECT_EQ(instructions[1]->annotations().frontend_attributes.size(), 1);
  EXPECT_EQ(instructions[1]->annotations().backend_config, "{}");
}

TEST(ModuleConfig, HasAliasesDonorsAndDeviceCounts) {
  ComputationBuilder b("config");
  b.SetDeviceCounts(4);
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  b.Parameter(1, F32Array({2}), "y");
  b.SetUpAlias({}, 0, {}, /*must=*/true);
  b.AddBufferDonor(1, {});
  b.CrossReplicaSum(x);
  const auto module = ModuleOf(b);
  EXPECT_EQ(module->config().replica_count, 4);
  EXPECT_THAT(module->config().input_output_alias, SizeIs(1));
  EXPECT_THAT(module->config().buffer_donors, SizeIs(1));

  ComputationBuilder wrong("wrong");
  wrong.ConstantR0<float>(1);
  wrong.SetUpAlias({}, 3, {});
  EXPECT_THAT(std::string(wrong.BuildModule().status().message()), HasSubstr("names parameter 3"));
}

TEST(ModuleConfig, IsWhatCollectivesAreCheckedAgainst) {
  ComputationBuilder b("groups");
  b.SetDeviceCounts(4);
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  b.CrossReplicaSum(x, CollectiveOptions::Groups({{0, 1}}));
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("CrossReplicaSum(f32[2]): "));
}

TEST(ModuleConfig, WhatTheVerifierFindsSaysWhereItIs) {
  ComputationBuilder b("late");
  b.CrossReplicaSum(b.Parameter(0, F32Array({2}), "x"), CollectiveOptions::Groups({{0, 1}}));
  const int line = __LINE__ - 1;
  b.SetDeviceCounts(4);
  EXPECT_THAT(std::string(b.BuildModule().status().message()),
              HasSubstr(Here(line) + "computation late: all-reduce.1 = f32[2] all-reduce(f32[2] x): replica_groups"));
}

TEST(ModuleConfig, OptionsThatACollectiveDoesNotHaveAreErrors) {
  ComputationBuilder b("options");
  CollectiveOptions options;
  options.constrain_layout = true;
  b.CollectiveBroadcast(b.Parameter(0, F32Array({2}), "x"), options);
  EXPECT_THAT(std::string(b.first_error().message()),
              HasSubstr("CollectiveBroadcast(f32[2]): constrain_layout is for"));
}

TEST(ModuleConfig, DeviceCountsAreChecked) {
  ComputationBuilder b("counts");
  b.SetDeviceCounts(-1);
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("SetDeviceCounts(): replica_count and num_partitions"));
  ComputationBuilder c("config");
  c.mutable_module_config().replica_count = -1;
  c.CrossReplicaSum(c.Parameter(0, F32Array({2}), "x"));
  EXPECT_THAT(std::string(c.first_error().message()), HasSubstr("Parameter(): replica_count and num_partitions"));
}

TEST(AddOp, TakesAnyOpcode) {
  ComputationBuilder b("any");
  const XlaOp x = b.ConstantR1<float>({1, 2});
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = {0};
  b.AddOp(HloOpcode::kReverse, {x}, std::move(attributes));
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(2, 1));
  ComputationBuilder c("wrong");
  c.AddOp(HloOpcode::kReverse, {c.ConstantR1<float>({1})}, std::make_unique<IotaAttributes>());
  EXPECT_THAT(std::string(c.first_error().message()), HasSubstr("reverse(f32[1]): reverse has the attributes "));
  ComputationBuilder d("count");
  d.AddOp(HloOpcode::kAdd, {d.ConstantR1<float>({1})});
  EXPECT_THAT(std::string(d.first_error().message()), HasSubstr("add(f32[1]): expected 2 operands, got 1"));
}

TEST(AddOp, NumbersParametersLikeParameter) {
  ComputationBuilder b("parameters");
  EXPECT_TRUE(b.AddOp(HloOpcode::kParameter, {}, nullptr, {}, Shape::Scalar(F32)).valid());
  b.AddOp(HloOpcode::kParameter, {}, nullptr, {}, Shape::Scalar(F32));
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("parameter 0 exists already: parameter.0, f32[]"));
}

TEST(AddOp, KeepsLayouts) {
  ComputationBuilder b("layout");
  const XlaOp x = b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}});
  Shape transposed = F32Array({3, 2});
  Layout layout;
  layout.minor_to_major = {0, 1};
  transposed.set_layout(layout);
  b.AddOp(HloOpcode::kBitcast, {x}, nullptr, {}, transposed);
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(1, 4, 2, 5, 3, 6));
}

// ---- Broadcasting (broadcasting.h)

struct BroadcastCase {
  std::vector<int64_t> lhs, rhs, dimensions, result;  // result {-1}: an error
};

void PrintTo(const BroadcastCase& c, std::ostream* out) {
  *out << ::testing::PrintToString(c.lhs) << ::testing::PrintToString(c.rhs);
}

class Broadcasting : public ::testing::TestWithParam<BroadcastCase> {};

// Each element is its own index in row-major order, times `factor`.
XlaOp Indices(ComputationBuilder& b, const std::vector<int64_t>& dimensions, int32_t factor) {
  int64_t count = 1;
  for (const int64_t d : dimensions) count *= d;
  return b.Reshape(b.Mul(b.Iota(S32, count), b.ConstantR0<int32_t>(factor)), dimensions);
}

// The element of `operand` that goes with the element `index` of the result.
int32_t Expected(const std::vector<int64_t>& operand, const std::vector<int64_t>& mapping,
                 const std::vector<int64_t>& index, int32_t factor) {
  int64_t linear = 0;
  for (size_t d = 0; d < operand.size(); ++d) {
    linear = linear * operand[d] + (operand[d] == 1 ? 0 : index[mapping[d]]);
  }
  return static_cast<int32_t>(linear) * factor;
}

TEST_P(Broadcasting, GivesEveryElementItsPartner) {
  const BroadcastCase& c = GetParam();
  for (const bool exchanged : {false, true}) {
    ComputationBuilder b("broadcast");
    const XlaOp lhs = Indices(b, c.lhs, 1);
    const XlaOp rhs = Indices(b, c.rhs, 1000);
    const XlaOp sum = exchanged ? b.Add(rhs, lhs, c.dimensions) : b.Add(lhs, rhs, c.dimensions);
    if (c.result == std::vector<int64_t>{-1}) {
      EXPECT_FALSE(b.ok());
      EXPECT_THAT(std::string(b.first_error().message()), HasSubstr(": Add(s32["));
      continue;
    }
    ASSERT_TRUE(b.ok()) << b.first_error();
    EXPECT_EQ(*b.GetShape(sum), Shape::Array(S32, c.result));
    const std::vector<int32_t> values = Values<int32_t>(Evaluate(b));
    std::vector<int64_t> identity(c.result.size());
    for (size_t d = 0; d < identity.size(); ++d) identity[d] = static_cast<int64_t>(d);
    const bool lhs_is_low = c.lhs.size() < c.rhs.size();
    const bool rhs_is_low = c.rhs.size() < c.lhs.size();
    std::vector<int64_t> index(c.result.size(), 0);
    for (const int32_t value : values) {
      EXPECT_EQ(value, Expected(c.lhs, lhs_is_low ? c.dimensions : identity, index, 1) +
                           Expected(c.rhs, rhs_is_low ? c.dimensions : identity, index, 1000));
      for (int d = static_cast<int>(index.size()) - 1; d >= 0 && ++index[d] == c.result[d]; --d) index[d] = 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Section2, Broadcasting,
                         ::testing::Values(BroadcastCase{{}, {2, 3}, {}, {2, 3}},                //
                                           BroadcastCase{{3}, {4, 3}, {1}, {4, 3}},              //
                                           BroadcastCase{{2, 3}, {2, 3, 4}, {0, 1}, {2, 3, 4}},  //
                                           BroadcastCase{{2, 1}, {2, 3, 4}, {0, 2}, {2, 3, 4}},  //
                                           BroadcastCase{{2, 3}, {2, 1, 4}, {0, 1}, {2, 3, 4}},  //
                                           BroadcastCase{{4, 1}, {1, 3}, {}, {4, 3}},            //
                                           BroadcastCase{{4, 3}, {4, 3}, {0, 1}, {4, 3}},        //
                                           BroadcastCase{{1}, {3}, {0}, {3}},                    //
                                           BroadcastCase{{1, 1}, {1, 1}, {}, {1, 1}},            //
                                           BroadcastCase{{1}, {0}, {}, {0}},                     //
                                           BroadcastCase{{}, {}, {}, {}},                        //
                                           BroadcastCase{{1}, {2, 3}, {1}, {2, 3}},              //
                                           BroadcastCase{{3}, {4, 3}, {0}, {-1}},                //
                                           BroadcastCase{{2, 1}, {2, 3, 4}, {1, 2}, {-1}},       //
                                           BroadcastCase{{3}, {4, 3}, {}, {-1}},                 //
                                           BroadcastCase{{3}, {4, 3}, {2}, {-1}},                //
                                           BroadcastCase{{3}, {4, 3}, {-1}, {-1}},               //
                                           BroadcastCase{{3}, {4, 3}, {0, 1}, {-1}},             //
                                           BroadcastCase{{3, 4}, {4, 3, 2}, {1, 0}, {-1}},       //
                                           BroadcastCase{{2, 3}, {2, 3}, {1, 0}, {-1}},          //
                                           BroadcastCase{{2, 3}, {2, 3}, {0}, {-1}},             //
                                           BroadcastCase{{}, {2, 3}, {0}, {-1}},                 //
                                           BroadcastCase{{2}, {3}, {}, {-1}},                    //
                                           BroadcastCase{{0}, {3}, {}, {-1}}));

TEST(Broadcasting, OperandsThatFitAreLeftAlone) {
  ComputationBuilder b("fits");
  const XlaOp x = b.Parameter(0, F32Array({2}), "x");
  b.Add(x, x);
  EXPECT_EQ(ModuleOf(b)->instruction_count(), 2);
}

TEST(Broadcasting, DynamicDimensionsMakeTheResultDynamic) {
  ComputationBuilder b("dynamic");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {1, 3}), "x");
  const XlaOp y = b.Parameter(1, Shape::Array(F32, {4, 3}, {true, false}), "y");
  EXPECT_EQ(*b.GetShape(b.Add(x, y)), Shape::Array(F32, {4, 3}, {true, false}));
  EXPECT_EQ(*b.GetShape(b.Add(b.ConstantR0<float>(1), y)), Shape::Array(F32, {4, 3}, {true, false}));
  EXPECT_TRUE(b.ok()) << b.first_error();
  EXPECT_NE(ModuleOf(b), nullptr);
}

// ---- Infeeds

XlaComputation InfeedCondition() {
  ComputationBuilder b("condition");
  b.Lt(b.Parameter(0, Shape::Scalar(F32), "x"), b.ConstantR0<float>(10));
  return BuildOrDie(b);
}

XlaComputation InfeedBody() {
  ComputationBuilder b("body");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  b.Add(x, b.Infeed(Shape::Scalar(F32)));
  return BuildOrDie(b);
}

TEST(Infeed, TakesItemsInTheOrderOfTheCalls) {
  ComputationBuilder b("infeed");
  const XlaOp first = b.Infeed(Shape::Scalar(F32));
  const XlaOp loop = b.While(InfeedCondition(), InfeedBody(), first);
  const XlaOp pair = b.Infeed(Shape::Tuple({Shape::Scalar(F32), Shape::Scalar(S32)}));
  b.Infeed(Shape::Tuple({}));
  b.Tuple({loop, pair});
  const auto module = ModuleOf(b);
  ASSERT_NE(module, nullptr);
  const auto evaluator = Evaluator::Create(*module);
  FeedQueues queues;
  queues.infeed = {{Literal::Scalar(3.0f), Literal::Scalar(5.0f), Literal::Scalar(6.0f),
                    Literal::Tuple({Literal::Scalar(7.0f), Literal::Scalar<int32_t>(8)})}};
  const auto results = (*evaluator)->Run({{}}, &queues);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(Values<float>((*results)[0].element(0)), ElementsAre(14));
  EXPECT_THAT(Values<int32_t>((*results)[0].element(1).element(1)), ElementsAre(8));
}

TEST(Infeed, TheRootIsTheData) {
  ComputationBuilder b("root");
  b.Infeed(F32Array({2}));
  EXPECT_EQ(b.Build()->GetProgramShape()->result, F32Array({2}));
}

TEST(Infeed, LoopsWithoutAnOrderAreErrors) {
  ComputationBuilder b("unordered");
  const XlaOp x = b.Parameter(0, Shape::Scalar(F32), "x");
  const XlaOp first = b.While(InfeedCondition(), InfeedBody(), x);
  const XlaOp second = b.While(InfeedCondition(), InfeedBody(), x);
  const int line = __LINE__ - 1;
  b.Add(first, second);
  const std::string message(b.Build().status().message());
  EXPECT_THAT(message, HasSubstr("there is no order between while.1 and while.2"));
  EXPECT_THAT(message, HasSubstr(absl::StrCat("computation_builder_test.cc:", line)));
}

TEST(Infeed, LoopsThatDependOnEachOtherHaveAnOrder) {
  ComputationBuilder b("ordered");
  const XlaOp first = b.While(InfeedCondition(), InfeedBody(), b.Parameter(0, Shape::Scalar(F32), "x"));
  b.While(InfeedCondition(), InfeedBody(), b.Neg(first));
  EXPECT_NE(ModuleOf(b), nullptr);
}

TEST(Infeed, NestedTuplesAreErrors) {
  ComputationBuilder b("nested");
  b.Infeed(Shape::Tuple({Shape::Tuple({Shape::Scalar(F32)})}));
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("Infeed(): expected an array or a tuple of arrays"));
}

// ---- Map with static operands, AllToAll between dimensions: what is lowered to several operations

TEST(Lowering, MapWithScalarsAndArraysAsStaticOperands) {
  ComputationBuilder f("lookup");
  const XlaOp i = f.Parameter(0, Shape::Scalar(S32), "i");
  const XlaOp table = f.Parameter(1, F32Array({3}), "table");
  const XlaOp scale = f.Parameter(2, Shape::Scalar(F32), "scale");
  f.Mul(f.Reshape(f.DynamicSlice(table, {i}, {1}), {}), scale);
  const XlaComputation lookup = BuildOrDie(f);
  ComputationBuilder b("map");
  const XlaOp indices = b.ConstantR2<int32_t>({{2, 0}, {1, 2}});
  b.Map({indices}, lookup, {b.ConstantR1<float>({10, 20, 30}), b.ConstantR0<float>(2)});
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(60, 20, 40, 60));

  ComputationBuilder g("scaled");
  g.Mul(g.Parameter(0, Shape::Scalar(F32), "x"), g.Parameter(1, Shape::Scalar(F32), "scale"));
  const XlaComputation scaled = BuildOrDie(g);
  ComputationBuilder c("map_scalar");
  c.Map({c.ConstantR1<float>({1, 2})}, scaled, {c.ConstantR0<float>(3)});
  EXPECT_THAT(Values<float>(Evaluate(c)), ElementsAre(3, 6));
}

TEST(Lowering, AllToAllBetweenDimensions) {
  ComputationBuilder b("all_to_all");
  b.SetDeviceCounts(2);
  const XlaOp x = b.Parameter(0, Shape::Array(S32, {4, 1}), "x");
  EXPECT_EQ(*b.GetShape(b.AllToAll(x, 0, 1, 2)), Shape::Array(S32, {2, 2}));
  const auto module = ModuleOf(b);
  ASSERT_NE(module, nullptr);
  EvaluatorOptions options;
  options.replica_count = 2;
  const auto evaluator = Evaluator::Create(*module, options);
  const auto results = (*evaluator)
                           ->Run({{Literal::FromValues<int32_t>({4, 1}, {0, 1, 2, 3})},
                                  {Literal::FromValues<int32_t>({4, 1}, {10, 11, 12, 13})}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(Values<int32_t>((*results)[0]), ElementsAre(0, 10, 1, 11));
  EXPECT_THAT(Values<int32_t>((*results)[1]), ElementsAre(2, 12, 3, 13));
}

TEST(Lowering, SelectOfTuples) {
  ComputationBuilder b("select");
  const XlaOp p = b.Parameter(0, Shape::Scalar(PRED), "p");
  const XlaOp one = b.ConstantR0<float>(1);
  const XlaOp two = b.ConstantR1<int32_t>({2});
  const XlaOp t = b.Tuple({one, b.Tuple({two})});
  const XlaOp f = b.Tuple({b.Neg(one), b.Tuple({b.Neg(two)})});
  b.Select(p, t, f);
  const auto result = Evaluate(b, {Literal::Scalar(false)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(Values<float>(result->element(0)), ElementsAre(-1));
  EXPECT_THAT(Values<int32_t>(result->element(1).element(0)), ElementsAre(-2));
}

// ---- Literals and constants

// LAPACK's calls are checked by what their configuration says.
TEST(CustomCall, IsCheckedWithItsConfiguration) {
  ComputationBuilder b("cholesky");
  const XlaOp a = b.ConstantR2<float>({{4, 0}, {2, 5}});
  CustomCallOptions options;
  options.api_version = CustomCallApiVersion::kTypedFfi;
  options.backend_config = "{uplo = 76 : ui8}";
  const XlaOp call =
      b.CustomCall("lapack_spotrf_ffi", {a}, Shape::Tuple({Shape::Array(F32, {2, 2}), Shape::Scalar(S32)}), options);
  b.GetTupleElement(call, 0);
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(2, 0, 1, 2));
}

TEST(Constants, OfNestedLists) {
  ComputationBuilder b("nested");
  b.Tuple({b.ConstantR1<bool>({true, false}), b.ConstantR2<int32_t>({{1, 2}, {3, 4}}),
           b.ConstantR3<float>({{{1}, {2}}}), b.ConstantR4<double>({{{{1, 2}}}}), b.ConstantR2<float>({{}, {}}),
           b.ConstantR1<float>(3, 7)});
  const auto result = Evaluate(b);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->shape().ToString(Shape::LayoutPrinting::kWithout, false),
            "(pred[2], s32[2,2], f32[1,2,1], f64[1,1,1,2], f32[2,0], f32[3])");
  EXPECT_THAT(Values<int32_t>(result->element(1)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values<float>(result->element(5)), ElementsAre(7, 7, 7));

  ComputationBuilder uneven("uneven");
  uneven.ConstantR2<float>({{1, 2}, {3}});
  EXPECT_THAT(std::string(uneven.first_error().message()),
              HasSubstr("the lists of dimension 1 must be equally long: the first has 2 entries, another 1"));
  ComputationBuilder count("count");
  count.ConstantArray<float>({2, 2}, {1, 2, 3});
  EXPECT_FALSE(count.ok());
  ComputationBuilder negative("negative");
  negative.ConstantR1<float>(-1, 0);
  EXPECT_FALSE(negative.ok());
}

TEST(Constants, OfEveryType) {
  for (int t = 0; t < kNumPrimitiveTypes; ++t) {
    const auto type = static_cast<PrimitiveType>(t);
    ComputationBuilder b("types");
    const XlaOp zero = Zero(&b, type);
    EXPECT_EQ(b.ok(), IsArrayType(type)) << PrimitiveTypeName(type);
    if (!b.ok()) continue;
    if (type != S1) One(&b, type);  // whose values are 0 and -1
    ZerosLike(b.Broadcast(zero, {2, 3}));
    if (!IsComplex(type)) {
      b.Tuple({MinValue(&b, type), MaxValue(&b, type), MinFiniteValue(&b, type), MaxFiniteValue(&b, type)});
    }
    if (IsFloat(type)) Epsilon(&b, type);
    EXPECT_TRUE(b.ok()) << PrimitiveTypeName(type) << b.first_error();
    EXPECT_NE(ModuleOf(b), nullptr);
  }
}

TEST(Constants, LimitsOfTypes) {
  EXPECT_EQ(*LiteralUtil::MinValue(F32)->data<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(*LiteralUtil::MinFiniteValue(F32)->data<float>(), std::numeric_limits<float>::lowest());
  EXPECT_EQ(*LiteralUtil::MinValue(S64)->data<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*LiteralUtil::MaxValue(U64)->data<uint64_t>(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(*LiteralUtil::MinValue(S4)->data<int8_t>(), -8);
  EXPECT_EQ(*LiteralUtil::MaxValue(PRED)->data<bool>(), true);
  EXPECT_EQ(static_cast<float>(*LiteralUtil::MaxValue(F8E4M3FN)->data<f8e4m3fn>()), 448);
  EXPECT_EQ(*LiteralUtil::Epsilon(F64)->data<double>(), std::numeric_limits<double>::epsilon());
  EXPECT_FALSE(LiteralUtil::MinValue(C64).ok());
}

TEST(Constants, NumbersThatTheTypeDoesNotHaveAreErrors) {
  EXPECT_FALSE(LiteralUtil::Number(S8, int64_t{128}).ok());
  EXPECT_FALSE(LiteralUtil::Number(U8, int64_t{-1}).ok());
  EXPECT_FALSE(LiteralUtil::Number(S32, 0.5).ok());
  EXPECT_FALSE(LiteralUtil::Number(PRED, int64_t{2}).ok());
  EXPECT_FALSE(LiteralUtil::Number(F32, complex128(1, 2)).ok());
  EXPECT_TRUE(LiteralUtil::Number(S64, -9223372036854775808.0).ok());
  ComputationBuilder b("number");
  const XlaOp x = b.Parameter(0, Shape::Scalar(S32), "x");
  x * 2.5;
  EXPECT_THAT(std::string(b.first_error().message()), HasSubstr("the number 2.5 is no value of s32"));
}

TEST(Constants, OfDynamicShapes) {
  ComputationBuilder b("dynamic");
  const XlaOp x = b.SetDimensionSize(b.ConstantR1<float>({1, 2, 3}), b.ConstantR0<int32_t>(2), 0);
  const XlaOp ones = OnesLike(x);
  EXPECT_EQ(*b.GetShape(ones), *b.GetShape(x));
  b.Reduce(ones, Zero(&b, F32), CreateScalarAddComputation(F32), {0});
  EXPECT_THAT(Values<float>(Evaluate(b)), ElementsAre(2));
}

}  // namespace
}  // namespace xla
