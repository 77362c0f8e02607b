#include "builders/webnn/operator_table.h"

#include <algorithm>
#include <memory>

#include "absl/strings/match.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"
#include "xla_core/evaluator/evaluator.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::HasSubstr;

TEST(OperatorTable, HasTheRowsOfEveryGroup) {
  size_t count = 0;
  for (auto* group :
       {BinaryOperators, UnaryOperators, ActivationOperators, DataMovementOperators, ReductionOperators,
        ConvolutionOperators, PoolingOperators, ResampleOperators, NormalizationOperators, MatrixOperators,
        RecurrentOperators, IndexingOperators, ArrangementOperators, AccumulationOperators, QuantizationOperators}) {
    for (const OperatorDefinition& row : group()) {
      EXPECT_NE(FindOperator(row.name), nullptr) << row.name;
      ++count;
    }
  }
  EXPECT_EQ(AllOperators().size(), count);
}

TEST(OperatorTable, EveryRowIsComplete) {
  for (const OperatorDefinition* row : AllOperators()) {
    SCOPED_TRACE(std::string(row->name));
    EXPECT_EQ(FindOperator(row->name), row) << "two rows of one name";
    EXPECT_FALSE(row->operands.empty());
    EXPECT_NE(row->infer != nullptr, row->infer_sequence != nullptr);
    EXPECT_EQ(row->infer_sequence != nullptr, row->returns_sequence);
    EXPECT_NE(row->lower != nullptr, row->lower_sequence != nullptr);
    std::any parameters = row->make_parameters();
    for (const Parameter& parameter : row->parameters) {
      const ParameterValue value = parameter.get(parameters);
      EXPECT_TRUE(parameter.is_optional || IsGiven(value)) << parameter.name;
      if (IsGiven(value)) parameter.set(value, parameters);
    }
  }
}

TEST(OperatorTable, NamesTheNearestOperator) {
  EXPECT_EQ((*GetOperator("conv2d"))->name, "conv2d");
  EXPECT_EQ(FindOperator("Conv2d"), nullptr);
  const absl::Status error = GetOperator("conv2").status();
  EXPECT_EQ(RuleOf(error), "unknown operator");
  EXPECT_THAT(std::string(error.message()), HasSubstr("conv2d"));
}

TEST(OperatorTable, FindsParametersAndOperandsByBothNames) {
  const OperatorDefinition& cast = *FindOperator("cast");
  ASSERT_NE(cast.FindParameter("type"), nullptr);
  EXPECT_EQ(cast.FindParameter("dataType"), cast.FindParameter("type"));
  EXPECT_EQ(cast.FindParameter("kind"), nullptr);
  const OperatorDefinition& where = *FindOperator("where");
  ASSERT_NE(where.FindOperand("input"), nullptr);
  EXPECT_EQ(where.FindOperand("trueValue"), where.FindOperand("input"));
  EXPECT_EQ(where.FindOperand(""), nullptr) << "most operands have no later name";
}

// ---- Every operator, on arrays of one element

// Arguments that have no default.
Named<MLValue> RequiredArguments(absl::string_view op) {
  if (op == "cast") return {{"type", "float32"}};
  if (op == "concat" || op == "softmax" || op == "cumulativeSum") return {{"axis", 0}};
  if (op == "expand" || op == "reshape") return {{"newShape", MLValueList{1, 1, 1}}};
  if (op == "pad") return {{"beginningPadding", MLValueList{1, 0}}, {"endingPadding", MLValueList{0, 2}}};
  if (op == "slice") return {{"starts", MLValueList{0, 0}}, {"sizes", MLValueList{1, 1}}};
  if (op == "split") return {{"splits", 1}};
  if (op == "tile") return {{"repetitions", MLValueList{2, 3}}};
  if (op == "gru" || op == "lstm") return {{"steps", 1}, {"hiddenSize", 1}};
  if (op == "gruCell" || op == "lstmCell") return {{"hiddenSize", 1}};
  return {};
}

// Ones in all dimensions; weights of recurrent networks have a row for each gate.
std::vector<uint32_t> ShapeOfOnes(absl::string_view op, const OperandRule& rule) {
  std::vector<uint32_t> shape(std::min(std::max(rule.min_rank, 2), rule.max_rank), 1);
  const bool is_weight = rule.name == "weight" || rule.name == "recurrentWeight";
  if (is_weight && absl::StartsWith(op, "gru")) shape[shape.size() - 2] = 3;
  if (is_weight && absl::StartsWith(op, "lstm")) shape[shape.size() - 2] = 4;
  return shape;
}

// Calls the operator with its first operand of `type`, and the others too as far as they admit it.
absl::StatusOr<std::vector<MLOperand>> CallOperator(MLGraphBuilder& builder, const OperatorDefinition& row,
                                                    MLOperandDataType type) {
  Named<MLValue> args;
  for (const OperandRule& rule : row.operands) {
    const DataTypeSet admitted = rule.TypesIn(MLEdition::kLater);
    const MLOperandDescriptor descriptor(admitted.Contains(type) ? type : admitted.types()[0],
                                         ShapeOfOnes(row.name, rule));
    const MLOperand operand = builder.input(absl::StrCat("x", args.size()), descriptor).value();
    args.emplace_back(std::string(rule.name), row.is_variadic ? MLValue(MLValueList{operand, operand}) : operand);
  }
  for (auto& argument : RequiredArguments(row.name)) args.push_back(std::move(argument));
  return builder.call(row.name, args, {});
}

// What the evaluator computes from zeros, as shapes.
absl::StatusOr<std::vector<Shape>> ComputedShapes(MLGraphBuilder& builder, const std::vector<MLOperand>& results) {
  MLNamedOperands outputs;
  for (const MLOperand& result : results) outputs.emplace_back(absl::StrCat("y", outputs.size()), result);
  const auto definition = builder.Define(outputs);
  if (!definition.ok()) return definition.status();
  const auto module = LowerToHlo(*definition);
  if (!module.ok()) return module.status();
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(*Literal::Zeros(parameter->shape()));
  }
  const auto evaluator = Evaluator::Create(**module);
  if (!evaluator.ok()) return evaluator.status();
  const absl::StatusOr<Literal> computed = (*evaluator)->RunOne(std::move(arguments));
  if (!computed.ok()) return computed.status();
  std::vector<Shape> shapes;
  for (int i = 0; i < computed->tuple_size(); ++i) shapes.push_back(computed->element(i).shape());
  return shapes;
}

TEST(OperatorTable, EveryOperatorComputesWhatItsRowPromises) {
  int calls = 0;
  for (const OperatorDefinition* row : AllOperators()) {
    for (const MLOperandDataType type : row->operands[0].TypesIn(MLEdition::kLater).types()) {
      SCOPED_TRACE(absl::StrCat(row->name, " of ", ToString(type)));
      MLGraphBuilder builder(MLContext::WithoutDevice(MLEdition::kLater));
      const auto results = CallOperator(builder, *row, type);
      ASSERT_TRUE(results.ok()) << results.status();
      const auto shapes = ComputedShapes(builder, *results);
      ASSERT_TRUE(shapes.ok()) << shapes.status();
      ASSERT_EQ(shapes->size(), results->size());
      for (size_t i = 0; i < results->size(); ++i) {
        const MLOperandDescriptor& promised = (*results)[i].descriptor();
        EXPECT_TRUE((*shapes)[i].Compatible(HloShapeOf(promised)))
            << promised.ToString() << " " << (*shapes)[i].ToString();
        EXPECT_TRUE(!row->result_types.has_value() || row->result_types->Contains(promised.dataType));
      }
      ++calls;
    }
  }
  EXPECT_GT(calls, static_cast<int>(AllOperators().size()));
}

// Types that the first operand does not admit are refused by its rule.
TEST(OperatorTable, EveryOperatorRefusesOtherTypes) {
  for (const OperatorDefinition* row : AllOperators()) {
    const OperandRule& rule = row->operands[0];
    for (const MLOperandDataType type : kAllTypes.types()) {
      if (rule.TypesIn(MLEdition::kLater).Contains(type)) continue;
      SCOPED_TRACE(absl::StrCat(row->name, " of ", ToString(type)));
      MLGraphBuilder builder(MLContext::WithoutDevice(MLEdition::kLater));
      OperatorDefinition any_type = *row;
      any_type.operands[0].later_types = kAllTypes;
      EXPECT_EQ(BrokenRule(CallOperator(builder, any_type, type)), rule.type_rule);
    }
  }
}

}  // namespace
}  // namespace webnn
}  // namespace xla
