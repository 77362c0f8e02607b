#include "tests/random_webnn/random_calls.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/webnn/operator_table.h"
#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

using webnn::MLOperand;
using webnn::MLOperandDescriptor;
using webnn::MLValue;
using webnn::MLValueList;

// How many roundings comparable values may go through.
constexpr int kMostRoundings = 2;

// What an operator does to values, where these are floats.
enum class Effect {
  kMoves,     // gives back elements, or the greater of them, as they are
  kSmooth,    // rounds; a small difference of positive operands stays small
  kDiscrete,  // a small difference can make a large one
  kSingular,  // rounds, and can magnify differences
};

template <typename List>
bool IsOneOf(absl::string_view name, const List& list) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Effect EffectOf(absl::string_view op) {
  static constexpr absl::string_view kMoves[] = {
      "identity", "reshape",         "transpose", "slice",     "split",
      "concat",   "expand",          "gather",    "gatherND",  "gatherElements",
      "tile",     "scatterElements", "scatterND", "reverse",   "pad",
      "where",    "triangular",      "max",       "min",       "relu",
      "abs",      "maxPool2d",       "clamp",     "reduceMax", "reduceMin"};
  static constexpr absl::string_view kSmooth[] = {"add",
                                                  "mul",
                                                  "div",
                                                  "sqrt",
                                                  "reciprocal",
                                                  "reduceSum",
                                                  "reduceMean",
                                                  "reduceL1",
                                                  "reduceL2",
                                                  "matmul",
                                                  "gemm",
                                                  "conv2d",
                                                  "linear",
                                                  "convTranspose2d",
                                                  "l2Pool2d",
                                                  "averagePool2d",
                                                  "sigmoid",
                                                  "tanh",
                                                  "elu",
                                                  "softplus",
                                                  "hardSigmoid",
                                                  "leakyRelu",
                                                  "prelu",
                                                  "softsign",
                                                  "reduceSumSquare",
                                                  "hardSwish",
                                                  "gelu",
                                                  "resample2d"};
  static constexpr absl::string_view kDiscrete[] = {
      "equal", "notEqual",  "greater", "greaterOrEqual", "lesser", "lesserOrEqual", "ceil",           "floor",
      "sign",  "roundEven", "argMin",  "argMax",         "cast",   "isNaN",         "quantizeLinear", "isInfinite"};
  if (IsOneOf(op, kMoves)) return Effect::kMoves;
  if (IsOneOf(op, kSmooth)) return Effect::kSmooth;
  return IsOneOf(op, kDiscrete) ? Effect::kDiscrete : Effect::kSingular;
}

}  // namespace

Literal RandomGraphCalls::ElementsFor(const MLOperandDescriptor& descriptor, uint64_t seed) {
  const Shape shape = webnn::HloShapeOf(descriptor);
  absl::StatusOr<Literal> literal = Literal::Zeros(shape);
  CHECK(literal.ok());
  RandomSource random(seed);
  const PrimitiveType type = shape.element_type();
  for (int64_t i = 0; i < literal->element_count(); ++i) {
    // A multiple of 1/256, which float16 has too.
    const float real = static_cast<float>(random.Between(64, 512)) / 256;
    const int64_t integer = random.Below(4);
    if (type == F32) {
      literal->mutable_data<float>()[i] = real;
    } else if (type == F16) {
      EncodeNarrow(NarrowFormat::kF16, &real, literal->mutable_data<half>() + i, 1);
    } else {
      DispatchInt(type, [&](auto tag) {
        using T = TagType<decltype(tag)>;
        literal->mutable_data<T>()[i] = static_cast<T>(integer);
      });
    }
  }
  return *std::move(literal);
}

// ---- Operands

MLOperand RandomGraphCalls::Like(const MLOperandDescriptor& descriptor) {
  std::vector<const MLOperand*> fitting;
  for (const MLOperand& operand : operands_) {
    if (operand.descriptor() == descriptor) fitting.push_back(&operand);
  }
  if (!fitting.empty() && random_.Chance(70)) return *random_.Pick(fitting);
  const bool is_constant = random_.Chance(30);
  absl::StatusOr<MLOperand> made = is_constant ? builder_.constant(ElementsFor(descriptor, random_.Next()))
                                               : builder_.input(absl::StrCat("x", input_count_++), descriptor);
  if (!made.ok()) return MLOperand();
  operands_.push_back(*made);
  return *made;
}

MLOperand RandomGraphCalls::Any(webnn::DataTypeSet types, int min_rank, int max_rank) {
  std::vector<const MLOperand*> fitting;
  for (const MLOperand& operand : operands_) {
    const bool is_small = webnn::ElementCountOf(operand.shape()).value_or(1 << 20) < 4096;
    if (types.Contains(operand.dataType()) && operand.rank() >= min_rank && operand.rank() <= max_rank && is_small) {
      fitting.push_back(&operand);
    }
  }
  return fitting.empty() ? MLOperand() : *random_.Pick(fitting);
}

webnn::MLActivation RandomGraphCalls::Activation(const std::string& name) {
  return builder_.activation(name, {}).value_or(webnn::MLActivation());
}

// A gate z of gru lets pass 1 - z. For sums of positive values that is next to nothing, and it is off by half a unit of
// 1, because z is rounded: of a state that is small, by as much as there is. Weights of at most 1/32 keep z below 2/3,
// whatever the activation: inputs and states are at most 2, and 3 of each are added up, and two biases.
MLOperand RandomGraphCalls::Weights(const MLOperandDescriptor& descriptor) {
  MLOperand weights = Like(descriptor);
  if (care_ == ValueCare::kNone || !weights.valid()) return weights;
  const absl::StatusOr<MLOperand> factor = builder_.constant(descriptor.dataType, webnn::MLNumber(1.0 / 64));
  if (!factor.ok()) return MLOperand();
  // Nothing is rounded.
  return builder_.mul(weights, *factor).value_or(MLOperand());
}

MLOperand RandomGraphCalls::Constant(Literal value) {
  const absl::StatusOr<MLOperand> constant = builder_.constant(std::move(value));
  if (!constant.ok()) return MLOperand();
  operands_.push_back(*constant);
  return *constant;
}

// ---- Values that can be compared

void RandomGraphCalls::Collect(const MLValue& value, Facts* facts) const {
  if (const auto* list = value.As<MLValueList>()) {
    for (const MLValue& element : *list) Collect(element, facts);
  }
  const auto* operand = value.As<MLOperand>();
  const auto known = operand == nullptr ? facts_.end() : facts_.find(operand->node());
  if (known == facts_.end()) return;
  facts->roundings = std::max(facts->roundings, known->second.roundings);
  facts->positive = facts->positive && known->second.positive;
}

RandomGraphCalls::Facts RandomGraphCalls::FactsOf(const RandomGraphCall& call) const {
  Facts facts;
  for (const auto* values : {&call.args, &call.options}) {
    for (const auto& value : *values) Collect(value.second, &facts);
  }
  return facts;
}

RandomGraphCall RandomGraphCalls::FittingCall() {
  const auto operators = webnn::AllOperators();
  while (true) {
    RandomGraphCall call = FittingCallOf(*random_.Pick(operators), builder_.edition(), *this, random_);
    if (care_ == ValueCare::kNone) return call;
    const Effect effect = EffectOf(call.op);
    const Facts facts = FactsOf(call);
    const bool is_exact = facts.roundings == 0;
    const bool fits = effect == Effect::kMoves || (effect == Effect::kDiscrete && is_exact) ||
                      (effect == Effect::kSmooth && facts.positive && facts.roundings < kMostRoundings) ||
                      (effect == Effect::kSingular && is_exact && facts.positive);
    if (fits) return call;
  }
}

absl::StatusOr<std::vector<MLOperand>> RandomGraphCalls::Make(const RandomGraphCall& call) {
  const Facts before = FactsOf(call);
  absl::StatusOr<std::vector<MLOperand>> results = builder_.call(call.op, call.args, call.options);
  if (!results.ok()) return results;
  const Effect effect = EffectOf(call.op);
  for (const MLOperand& result : *results) {
    operands_.push_back(result);
    results_.push_back(result);
    if (!webnn::IsFloat(result.dataType())) continue;
    Facts facts = before;
    if (effect == Effect::kSmooth) ++facts.roundings;
    if (effect == Effect::kSingular) facts = {kMostRoundings, false};
    if (effect == Effect::kDiscrete || call.op == "clamp") facts.positive = false;
    facts_[result.node()] = facts;
  }
  return results;
}

// ---- Calls that need not fit

MLValue RandomGraphCalls::OddValue(const MLValue& value) {
  static const auto* const odd =
      new std::vector<MLValue>{MLValue(),
                               MLValue(false),
                               MLValue(0),
                               MLValue(-1),
                               MLValue(7),
                               MLValue(1.5),
                               MLValue(4294967295.0),
                               MLValue(4294967296.0),
                               MLValue(-1e300),
                               MLValue(std::numeric_limits<double>::quiet_NaN()),
                               MLValue(std::numeric_limits<double>::infinity()),
                               MLValue(std::numeric_limits<int64_t>::min()),
                               MLValue(std::numeric_limits<uint64_t>::max()),
                               MLValue(""),
                               MLValue("nhwc"),
                               MLValue("3"),
                               MLValue(MLOperand()),
                               MLValue(webnn::MLActivation()),
                               MLValue(MLValueList()),
                               MLValue(MLValueList{MLValue(2147483647), MLValue(2147483647), MLValue(3)}),
                               MLValue(MLValueList{MLValue(1), MLValue(1), MLValue(1), MLValue(1), MLValue(1),
                                                   MLValue(1), MLValue(1), MLValue(1), MLValue(1)})};
  const auto* list = value.As<MLValueList>();
  if (list != nullptr && random_.Chance(70)) {
    MLValueList changed = *list;
    if (changed.empty() || random_.Chance(30)) {
      changed.push_back(random_.Pick(*odd));
    } else if (random_.Chance(30)) {
      changed.erase(changed.begin() + random_.Below(changed.size()));
    } else {
      MLValue& element = changed[random_.Below(changed.size())];
      element = OddValue(element);
    }
    return changed;
  }
  if (!operands_.empty() && random_.Chance(value.As<MLOperand>() != nullptr ? 60 : 10)) return random_.Pick(operands_);
  if (!strangers_.empty() && random_.Chance(5)) return random_.Pick(strangers_);
  if (value.As<MLOperand>() != nullptr && random_.Chance(50)) {
    // Of a shape that nothing can hold.
    MLOperandDescriptor descriptor(webnn::MLOperandDataType::kFloat32, {});
    for (int64_t rank = random_.Between(0, 5); rank > 0; --rank) {
      descriptor.dimensions.push_back(random_.Chance(50) ? 1 : static_cast<uint32_t>(random_.Below(100000)));
    }
    return builder_.input(absl::StrCat("x", input_count_++), descriptor).value_or(MLOperand());
  }
  return random_.Pick(*odd);
}

RandomGraphCall RandomGraphCalls::OddCall() {
  RandomGraphCall call = FittingCall();
  for (int64_t changes = random_.Between(1, 3); changes > 0; --changes) {
    auto& values = random_.Chance(50) || call.options.empty() ? call.args : call.options;
    if (values.empty()) break;
    const size_t i = random_.Below(values.size());
    if (random_.Chance(80)) {
      values[i].second = OddValue(values[i].second);
    } else if (random_.Chance(50)) {
      values.erase(values.begin() + i);
    } else {
      values[i].first = random_.Chance(50) ? "axes" : "nothing";
    }
  }
  if (random_.Chance(2)) call.op = random_.Chance(50) ? "" : "Relu";
  return call;
}

}  // namespace xla
