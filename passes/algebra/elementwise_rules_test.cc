// Compares elementwise programs before and after simplify-algebra, bit by bit, on values at which identities break.
//
// The programs are made from the op table: each operation with each edge value of each type on either side, and random
// expressions in which a few values turn up again and again, so that rules find something. A finding prints the program
// before and after. HALO_RULES_SEEDS=100000 in the environment runs longer.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/testing/check_simplification.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"
#include "passes/check/check_inputs.h"
#include "passes/check/compare_runs.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

std::vector<PrimitiveType> ArrayTypes() {
  std::vector<PrimitiveType> types;
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (IsArrayType(type)) types.push_back(type);
  }
  return types;
}

// Element i of an array as a scalar.
Literal ElementOf(const Literal& array, int64_t i) {
  const PrimitiveType type = array.shape().element_type();
  return Literal::ScalarOf(type, array.data<char>() + i * ByteWidth(type));
}

// Zeros, ones, limits, infinities, NaN, denormals, and small numbers, each of which some rule looks for.
std::vector<Literal> InterestingNumbers(PrimitiveType type) {
  std::vector<Literal> numbers;
  const Literal edges = *EdgeValues(type, /*huge=*/true);
  for (int64_t i = 0; i < edges.element_count(); ++i) numbers.push_back(ElementOf(edges, i));
  for (const double value : {0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 4.0, 0.5, -0.5, 0.25, 5.0, 8.0}) {
    absl::StatusOr<Literal> number = LiteralUtil::Number(type, value);
    if (number.ok()) numbers.push_back(*std::move(number));
  }
  if (IsFloat(type) || IsComplex(type)) numbers.push_back(*LiteralUtil::Number(type, -0.0));
  return numbers;
}

// Every pair of interesting numbers, as two arrays. Of complex numbers, which are slow, each with one other.
std::vector<Literal> PairsOf(const std::vector<Literal>& numbers) {
  const PrimitiveType type = numbers[0].shape().element_type();
  const auto count = static_cast<int64_t>(numbers.size());
  const int64_t pairs = IsComplex(type) ? count : count * count;
  std::vector<Literal> arrays;
  for (int side = 0; side < 2; ++side) {
    Literal array = *Literal::Allocate(Shape::Array(type, {pairs}));
    const int64_t width = ByteWidth(type);
    for (int64_t i = 0; i < pairs; ++i) {
      const Literal& number = numbers[side == 0 ? i % count : (i / count + i * 7 + 3) % count];
      std::memcpy(array.mutable_data<char>() + i * width, number.untyped_data(), width);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

// A program of elementwise operations on two arrays x, y of one type and two of predicates.
class ElementwiseProgram {
 public:
  explicit ElementwiseProgram(PrimitiveType type)
      : numbers_(InterestingNumbers(type)), module_(std::make_unique<HloModule>("m")) {
    arguments_ = PairsOf(numbers_);
    shape_ = arguments_[0].shape().WithoutLayout();
    HloComputation* const entry = NewComputation(module_.get(), "e");
    module_->set_entry(entry);
    build_ = std::make_unique<InstructionBuilder>(entry);
    for (int i = 0; i < 2; ++i) values_.push_back(build_->Parameter(i, shape_));
    Shape predicate = shape_;
    predicate.set_element_type(PRED);
    for (int i = 0; i < 2; ++i) {
      predicates_.push_back(build_->Parameter(2 + i, predicate));
      Literal mask = *Literal::Allocate(predicate);
      for (int64_t k = 0; k < mask.element_count(); ++k) mask.mutable_data<bool>()[k] = ((k * 7 + k / 5) >> i & 1) != 0;
      arguments_.push_back(std::move(mask));
    }
  }

  PrimitiveType type() const { return shape_.element_type(); }
  const Shape& shape() const { return shape_; }
  InstructionBuilder& build() { return *build_; }
  std::vector<HloInstruction*>& values() { return values_; }
  std::vector<HloInstruction*>& predicates() { return predicates_; }
  const std::vector<Literal>& numbers() const { return numbers_; }

  HloInstruction* Constant(const Literal& number) { return build_->Splat(shape_, number); }

  // Everything that was made is a result. "" if the pass kept all of them.
  std::string Check(const std::vector<HloInstruction*>& results, RewriteCounts* counts) {
    module_->entry()->set_root(build_->Tuple(results));
    module_->Tidy();
    EXPECT_TRUE(build_->status().ok()) << build_->status();
    return CheckSimplification(*module_, arguments_, "", counts, [](const RunOutcome& got, const RunOutcome& want) {
      return DifferenceBetween(got, want, Agreement::kExact);
    });
  }

 private:
  std::vector<Literal> numbers_;
  std::vector<Literal> arguments_;
  std::unique_ptr<HloModule> module_;
  Shape shape_;
  std::unique_ptr<InstructionBuilder> build_;
  std::vector<HloInstruction*> values_;
  std::vector<HloInstruction*> predicates_;
};

std::vector<HloOpcode> OpcodesFor(PrimitiveType type, int arity) {
  std::vector<HloOpcode> opcodes;
  for (const HloOpcode opcode : AllOpcodes()) {
    const ElementwiseRow* const row = FindElementwiseRow(opcode);
    if (row != nullptr && row->arity == arity && (row->classes & ElementClassOf(type)) != 0) opcodes.push_back(opcode);
  }
  return opcodes;
}

std::vector<ComparisonDirection> DirectionsFor(PrimitiveType type) {
  if (IsComplex(type)) return {ComparisonDirection::kEq, ComparisonDirection::kNe};
  return {ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
          ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt};
}

class ElementwiseRulesTest : public ::testing::TestWithParam<PrimitiveType> {
 protected:
  RewriteCounts counts_;
};

// op(x, c), op(c, x) and op(x, x).
TEST_P(ElementwiseRulesTest, OperationsWithConstants) {
  const PrimitiveType type = GetParam();
  const std::vector<Literal> numbers = InterestingNumbers(type);
  for (const Literal& number : numbers) {
    ElementwiseProgram program(type);
    HloInstruction* const x = program.values()[0];
    HloInstruction* const c = program.Constant(number);
    std::vector<HloInstruction*> results;
    const std::pair<HloInstruction*, HloInstruction*> sides[] = {{x, c}, {c, x}, {x, x}, {c, c}};
    for (const auto& [left, right] : sides) {
      for (const HloOpcode opcode : OpcodesFor(type, 2)) results.push_back(program.build().Binary(opcode, left, right));
      for (const ComparisonDirection direction : DirectionsFor(type)) {
        results.push_back(program.build().Compare(direction, left, right));
        if (!IsFloat(type)) continue;
        results.push_back(program.build().CompareAs(direction, ComparisonType::kTotalOrder, left, right));
      }
    }
    const std::string finding = program.Check(results, &counts_);
    ASSERT_EQ(finding, "");
  }
}

// Grows a program by one operation at a time on what there is, preferring what is new.
class RandomGrowth {
 public:
  RandomGrowth(ElementwiseProgram& program, uint64_t seed) : program_(program), random_(seed) {
    for (int i = 0; i < 2; ++i) constants_.push_back(program_.Constant(program_.numbers()[Below(Numbers())]));
  }

  void Grow(int steps) {
    for (int i = 0; i < steps; ++i) Step();
  }
  std::vector<HloInstruction*> Results() const { return {program_.values().back(), program_.predicates().back()}; }

 private:
  size_t Numbers() const { return program_.numbers().size(); }
  size_t Below(size_t n) { return random_() % n; }

  HloInstruction* Pick(const std::vector<HloInstruction*>& from) {
    return Below(2) == 0 ? from.back() : from[Below(from.size())];
  }
  HloInstruction* Value() {
    const size_t kind = Below(10);
    if (kind < 2) return constants_[Below(constants_.size())];
    if (kind < 3) return program_.Constant(program_.numbers()[Below(Numbers())]);
    return Pick(program_.values());
  }
  HloInstruction* Predicate() {
    const size_t kind = Below(12);
    if (kind < 1) return program_.build().Splat(program_.predicates()[0]->shape(), static_cast<int64_t>(Below(2)));
    return Pick(program_.predicates());
  }

  void Keep(HloInstruction* made) {
    const bool is_predicate = made->shape().element_type() == PRED;
    if (is_predicate) program_.predicates().push_back(made);
    if (made->shape().element_type() == program_.type()) program_.values().push_back(made);
  }

  void Step() {
    InstructionBuilder& build = program_.build();
    switch (Below(10)) {
      case 0:
      case 1:
        return Unary();
      case 2:
      case 3:
      case 4:
        return Binary(program_.type(), [&] { return Value(); });
      case 5:
        return Binary(PRED, [&] { return Predicate(); });
      case 6:
        return Compare();
      case 7:
        return Keep(build.Select(Predicate(), Value(), Value()));
      case 8:
        if (IsComplex(program_.type())) return Unary();
        return Keep(build.Clamp(Value(), Value(), Value()));
      default:
        return Conversions();
    }
  }

  void Unary() {
    const std::vector<HloOpcode> opcodes = OpcodesFor(program_.type(), 1);
    if (opcodes.empty() || Below(8) == 0) return Keep(program_.build().Not(Predicate()));
    HloInstruction* const made = program_.build().Unary(opcodes[Below(opcodes.size())], Value());
    if (made->shape().element_type() == program_.type() || made->shape().element_type() == PRED) return Keep(made);
    // A part of a complex number.
    Keep(program_.build().Binary(HloOpcode::kComplex, made, made));
  }

  template <typename Operand>
  void Binary(PrimitiveType type, Operand operand) {
    const std::vector<HloOpcode> opcodes = OpcodesFor(type, 2);
    const HloOpcode opcode = opcodes[Below(opcodes.size())];
    if (opcode == HloOpcode::kComplex) return;
    HloInstruction* const left = operand();
    HloInstruction* const right = operand();
    Keep(program_.build().Binary(opcode, left, right));
  }

  void Compare() {
    const std::vector<ComparisonDirection> directions = DirectionsFor(program_.type());
    const ComparisonDirection direction = directions[Below(directions.size())];
    HloInstruction* const left = Value();
    Keep(program_.build().Compare(direction, left, Value()));
  }

  // There, something on the way, and back.
  void Conversions() {
    InstructionBuilder& build = program_.build();
    const std::vector<PrimitiveType> types = ArrayTypes();
    HloInstruction* made = Below(3) == 0 ? Predicate() : Value();
    const int count = 1 + static_cast<int>(Below(2));
    for (int i = 0; i < count; ++i) {
      const PrimitiveType to = types[Below(types.size())];
      if (IsComplex(made->shape().element_type()) && !IsComplex(to)) continue;
      made = build.Convert(made, to);
      if (Below(3) != 0 || IsComplex(to)) continue;
      const std::vector<ComparisonDirection> directions = DirectionsFor(to);
      const std::vector<Literal> numbers = InterestingNumbers(to);
      HloInstruction* const c = build.Splat(made->shape(), numbers[Below(numbers.size())]);
      Keep(build.Compare(directions[Below(directions.size())], made, c));
    }
    if (IsComplex(made->shape().element_type()) && !IsComplex(program_.type())) return;
    Keep(build.Convert(made, program_.type()));
  }

  ElementwiseProgram& program_;
  std::mt19937_64 random_;
  std::vector<HloInstruction*> constants_;
};

uint64_t SeedCount() {
  const char* const text = std::getenv("HALO_RULES_SEEDS");
  return text == nullptr ? 200 : std::strtoull(text, nullptr, 10);
}

TEST_P(ElementwiseRulesTest, RandomExpressions) {
  for (uint64_t seed = 0; seed < SeedCount(); ++seed) {
    ElementwiseProgram program(GetParam());
    RandomGrowth growth(program, seed);
    growth.Grow(3 + static_cast<int>(seed % 12));
    const std::string finding = program.Check(growth.Results(), &counts_);
    ASSERT_EQ(finding, "") << "seed " << seed;
  }
  for (const auto& [rule, count] : counts_) RecordProperty(rule, static_cast<int>(count));
}

INSTANTIATE_TEST_SUITE_P(Types, ElementwiseRulesTest, ::testing::ValuesIn(ArrayTypes()),
                         [](const auto& info) { return std::string(PrimitiveTypeName(info.param)); });

}  // namespace
}  // namespace xla
