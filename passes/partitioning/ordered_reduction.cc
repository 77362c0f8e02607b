#include "passes/partitioning/ordered_reduction.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/base/inline_scalar_function.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// More would be too many combinations.
constexpr int kMostArrays = 3;
constexpr int64_t kMostTriples = int64_t{1} << 17;

constexpr OpcodeSet kSelecting = {HloOpcode::kParameter, HloOpcode::kCompare, HloOpcode::kSelect, HloOpcode::kAnd,
                                  HloOpcode::kOr,        HloOpcode::kXor,     HloOpcode::kNot,    HloOpcode::kTuple};
constexpr OpcodeSet kLogic = {HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kNot};

int64_t PartOf(const HloInstruction& parameter, int64_t parts) {
  return parameter.attributes<ParameterAttributes>().number % parts;
}

// Logic is that of predicates. What is compared are parameters for the same one of `parts` arrays, by an order in which
// no NaN differs from another.
bool OnlySelects(const HloComputation& function, int64_t parts) {
  if (!CanInlineScalarFunction(function)) return false;
  for (const auto& instruction : function.instructions()) {
    if (instruction->is_removed()) continue;
    const HloOpcode opcode = instruction->opcode();
    if (!kSelecting.Has(opcode)) return false;
    if (kLogic.Has(opcode) && instruction->shape().element_type() != PrimitiveType::PRED) return false;
    if (opcode != HloOpcode::kCompare) continue;
    const HloInstruction& x = *instruction->operand(0);
    const HloInstruction& y = *instruction->operand(1);
    if (x.opcode() != HloOpcode::kParameter || y.opcode() != HloOpcode::kParameter) return false;
    if (PartOf(x, parts) != PartOf(y, parts)) return false;
    if (instruction->attributes<CompareAttributes>().type == ComparisonType::kTotalOrder) return false;
  }
  return true;
}

using Values = std::vector<Literal>;  // scalars

// The type has these values, which is up to CanBeTried.
template <typename T>
void Append(PrimitiveType type, std::initializer_list<T> numbers, Values* values) {
  for (const T number : numbers) {
    absl::StatusOr<Literal> value = LiteralUtil::Number(type, number);
    if (value.ok()) values->push_back(*std::move(value));
  }
}

bool CanBeTried(const HloInstruction& init) {
  if (init.opcode() != HloOpcode::kConstant || init.attributes<ConstantAttributes>().literal == nullptr) return false;
  const PrimitiveType type = init.shape().element_type();
  return type == PrimitiveType::PRED || (BitWidth(type) >= 8 && IsInt(type)) || (BitWidth(type) >= 16 && IsFloat(type));
}

// Three elements compare in all ways with each other. Zeros compare as equal, but are not.
Values ThreeValues(PrimitiveType type) {
  Values values;
  if (IsFloat(type)) {
    Append(type, {-1.0, -0.0, 0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}, &values);
  } else {
    Append<int64_t>(type, {0, 1, 2}, &values);
  }
  return type == PrimitiveType::PRED ? Values{Literal::Scalar(false), Literal::Scalar(true)} : values;
}

// What is less, equal and greater.
Values ValuesBeside(const Literal& init) {
  const PrimitiveType type = init.shape().element_type();
  Values values = {init};
  if (type == PrimitiveType::PRED) return {Literal::Scalar(false), Literal::Scalar(true)};
  if (IsFloat(type)) Append(type, {-0.0, 0.0, std::numeric_limits<double>::quiet_NaN()}, &values);
  for (auto extreme : {LiteralUtil::MinValue(type), LiteralUtil::MaxValue(type)}) {
    if (extreme.ok()) values.push_back(*std::move(extreme));
  }
  return values;
}

// All combinations of a value for each array.
std::vector<Values> Elements(const std::vector<Values>& values) {
  std::vector<Values> elements = {{}};
  for (const Values& of_part : values) {
    std::vector<Values> longer;
    for (const Values& element : elements) {
      for (const Literal& value : of_part) {
        longer.push_back(element);
        longer.back().push_back(value);
      }
    }
    elements = std::move(longer);
  }
  return elements;
}

// Applies a function of two elements to lists of them.
class ElementLists {
 public:
  using List = std::vector<HloInstruction*>;  // an array for each part

  ElementLists(const HloComputation& function, int64_t count)
      : function_(function),
        shape_(Shape::Array(PrimitiveType::PRED, {count})),
        module_("law"),
        entry_(NewComputation(&module_, "entry")),
        build_(entry_) {
    module_.set_entry(entry_);
  }

  // Element i is elements[index(i)].
  template <typename Index>
  absl::optional<List> Of(const std::vector<Values>& elements, Index index) {
    List list;
    for (size_t part = 0; part < elements[0].size(); ++part) {
      auto array = Literal::Zeros(Shape::Array(elements[0][part].shape().element_type(), shape_.dimensions()));
      if (!array.ok()) return absl::nullopt;
      const int64_t width = ByteWidth(array->shape().element_type());
      char* const to = static_cast<char*>(array->untyped_mutable_data());
      for (int64_t i = 0; i < shape_.dimension(0); ++i) {
        const char* const from = static_cast<const char*>(elements[index(i)][part].untyped_data());
        std::copy(from, from + width, to + i * width);
      }
      list.push_back(build_.Constant(*std::move(array)));
    }
    return list;
  }

  List Apply(const List& x, const List& y) {
    List arguments = x;
    arguments.insert(arguments.end(), y.begin(), y.end());
    return InlineScalarFunction(function_, arguments, shape_, build_);
  }

  // Bit by bit.
  bool AreEqual(const List& x, const List& y) {
    List all = x;
    all.insert(all.end(), y.begin(), y.end());
    entry_->set_root(build_.Tuple(all));
    if (!build_.status().ok()) return false;
    module_.Tidy();
    const auto evaluator = Evaluator::Create(module_);
    if (!evaluator.ok()) return false;
    const auto value = (*evaluator)->RunOne({});
    if (!value.ok()) return false;
    const int count = static_cast<int>(x.size());
    for (int i = 0; i < count; ++i) {
      if (!value->element(i).BitwiseEquals(value->element(count + i))) return false;
    }
    return true;
  }

 private:
  const HloComputation& function_;
  const Shape shape_;
  HloModule module_;
  HloComputation* const entry_;
  InstructionBuilder build_;
};

// f(f(x, y), z) = f(x, f(y, z))
bool IsAssociative(const HloComputation& function, const std::vector<Values>& elements) {
  const int64_t n = static_cast<int64_t>(elements.size());
  if (n > kMostTriples || n * n > kMostTriples || n * n * n > kMostTriples) return false;
  ElementLists lists(function, n * n * n);
  const auto x = lists.Of(elements, [&](int64_t i) { return i / (n * n); });
  const auto y = lists.Of(elements, [&](int64_t i) { return i / n % n; });
  const auto z = lists.Of(elements, [&](int64_t i) { return i % n; });
  if (!x.has_value() || !y.has_value() || !z.has_value()) return false;
  return lists.AreEqual(lists.Apply(lists.Apply(*x, *y), *z), lists.Apply(*x, lists.Apply(*y, *z)));
}

// f(f(init, y), init) = f(init, y), where y may be init itself, and f(init, init) = init.
bool IsAbsorbed(const HloComputation& function, const Values& init, const std::vector<Values>& elements) {
  const int64_t n = static_cast<int64_t>(elements.size());
  ElementLists lists(function, n);
  const auto inits = lists.Of({init}, [](int64_t) { return 0; });
  const auto y = lists.Of(elements, [](int64_t i) { return i; });
  if (!inits.has_value() || !y.has_value()) return false;
  const ElementLists::List once = lists.Apply(*inits, *y);
  if (!lists.AreEqual(lists.Apply(once, *inits), once)) return false;
  return lists.AreEqual(lists.Apply(*inits, *inits), *inits);
}

}  // namespace

bool IsRegroupedInOrder(const HloInstruction& reduce) {
  const HloComputation& function = *reduce.called_computation(0);
  const int arrays = reduce.operand_count() / 2;
  if (arrays > kMostArrays) return false;
  if (!OnlySelects(function, arrays)) return false;
  Values inits;
  std::vector<Values> three;
  std::vector<Values> beside;
  for (int i = 0; i < arrays; ++i) {
    const HloInstruction& init = *reduce.operand(arrays + i);
    if (!CanBeTried(init)) return false;
    inits.push_back(*init.attributes<ConstantAttributes>().literal);
    three.push_back(ThreeValues(init.shape().element_type()));
    beside.push_back(ValuesBeside(inits.back()));
  }
  return IsAbsorbed(function, inits, Elements(beside)) && IsAssociative(function, Elements(three));
}

}  // namespace xla
