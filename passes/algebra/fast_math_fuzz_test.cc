// Compares random programs before and after simplify-algebra with groups of fast math, where those promise something.
//
// Fast math may change a program's results as soon as a NaN, an infinity or a -0 turns up, and in the last bits anyway.
// So what the program computes on the way is looked at as well: an element counts only if all that it comes from are
// ordinary numbers, neither near the ends of the type nor so near to 0 or to where a function jumps that another
// rounding could matter much. Those elements must stay the same except for a tolerance that is far above what roundings
// add up to, and far below what a wrong identity computes from random numbers. HALO_RULES_SEEDS=3000 in the environment
// runs longer.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/testing/check_simplification.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"
#include "passes/check/compare_runs.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

constexpr int64_t kRows = 6;
constexpr int64_t kColumns = 8;
// Magnitudes of numbers that are computed with.
constexpr double kSmallest = 0.02;
constexpr double kLargest = 50;
// How near to a jump of a function its argument may come.
constexpr double kMargin = 0.01;

std::vector<double> NumbersOf(const Literal& array) {
  const Literal wide = *LiteralUtil::Convert(array, F64);
  const auto span = wide.span<double>();
  return {span.begin(), span.end()};
}

// A program of floats on a matrix x, a matrix y and a row v that is repeated.
class FloatProgram {
 public:
  FloatProgram(PrimitiveType type, uint64_t seed)
      : random_(seed), type_(type), module_(std::make_unique<HloModule>("m")) {
    HloComputation* const entry = NewComputation(module_.get(), "e");
    module_->set_entry(entry);
    build_ = std::make_unique<InstructionBuilder>(entry);
    const Shape matrix = Shape::Array(type, {kRows, kColumns});
    for (int i = 0; i < 2; ++i) values_.push_back(Parameter(matrix));
    HloInstruction* const row = Parameter(Shape::Array(type, {kColumns}));
    values_.push_back(build_->Broadcast(row, {kRows, kColumns}, {1}));
  }

  void Grow(int steps) {
    for (int i = 0; i < steps; ++i) Keep(Step());
    // The last ones, on which most of the others are.
    std::vector<HloInstruction*> results(values_.end() - std::min<size_t>(3, values_.size()), values_.end());
    SetResults(results);
  }

  // A matrix by a vector, for each batch; or a window that goes over a padded row.
  void MakeProduct() {
    const int64_t k = 1 + Below(5);
    if (Below(2) == 0) {
      HloInstruction* const lhs = Parameter(Shape::Array(type_, {2, 3, k}));
      HloInstruction* const rhs = Parameter(Shape::Array(type_, {2, k}));
      DotAttributes attributes;
      attributes.lhs_batch_dims = attributes.rhs_batch_dims = {0};
      attributes.lhs_contracting_dims = {2};
      attributes.rhs_contracting_dims = {1};
      return SetResults({build_->Dot(lhs, rhs, attributes)});
    }
    const bool pads_kernel = Below(2) == 0;
    HloInstruction* lhs = Parameter(Shape::Array(type_, {1, k + 4, 2}));
    HloInstruction* rhs = Parameter(Shape::Array(type_, {2, 2, 3}));
    HloInstruction*& padded = pads_kernel ? rhs : lhs;
    const PaddingDimension padding =
        pads_kernel ? PaddingDimension{0, 0, Below(2)} : PaddingDimension{Below(3), Below(3), Below(2)};
    const PaddingDimension none;
    padded = build_->Pad(padded, build_->Zero(type_),
                         pads_kernel ? PaddingConfig{padding, none, none} : PaddingConfig{none, padding, none});
    ConvolutionAttributes a;
    WindowDimension window;
    window.size = rhs->shape().dimension(0);
    window.padding_low = Below(2);
    a.window.dimensions = {window};
    a.dim_labels.input_batch = a.dim_labels.output_batch = 0;
    a.dim_labels.input_spatial = a.dim_labels.output_spatial = {1};
    a.dim_labels.input_feature = a.dim_labels.output_feature = 2;
    a.dim_labels.kernel_spatial = {0};
    a.dim_labels.kernel_input_feature = 1;
    a.dim_labels.kernel_output_feature = 2;
    const int64_t length = lhs->shape().dimension(1) + window.padding_low - window.size + 1;
    SetResults({build_->Convolution(Shape::Array(type_, {1, length, 3}), lhs, rhs, a)});
  }

  // "" if the pass with these groups keeps what it promises to keep. Counts rules and elements that were compared.
  std::string Check(const std::string& groups, RewriteCounts* counts, int64_t* compared) {
    module_->Tidy();
    EXPECT_TRUE(build_->status().ok()) << build_->status();
    const std::vector<bool> counting = CountingElements();
    return CheckSimplification(
        *module_, arguments_, groups, counts,
        [&](const RunOutcome& got, const RunOutcome& want) { return Difference(got, want, counting, compared); });
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  HloInstruction* Parameter(const Shape& shape) {
    Literal wide = *Literal::Allocate(Shape::Array(F64, shape.dimensions()));
    std::uniform_real_distribution<double> magnitude(0.3, 3);
    for (int64_t i = 0; i < wide.element_count(); ++i) {
      wide.mutable_data<double>()[i] = Below(3) == 0 ? -magnitude(random_) : magnitude(random_);
    }
    arguments_.push_back(*LiteralUtil::Convert(wide, type_));
    return build_->Parameter(static_cast<int64_t>(arguments_.size()) - 1, shape);
  }

  void SetResults(const std::vector<HloInstruction*>& results) { module_->entry()->set_root(build_->Tuple(results)); }

  void Keep(HloInstruction* made) { values_.push_back(made); }

  HloInstruction* Constant() {
    static constexpr double kNumbers[] = {0, 1, 1, -1, 2, 2, 3, 0.5, -0.5, 4, 0.1, 1.5};
    return build_->SplatFloat(values_[0]->shape(), kNumbers[Below(12)]);
  }
  HloInstruction* Value() {
    return Below(2) == 0 ? values_.back() : values_[Below(static_cast<int64_t>(values_.size()))];
  }
  HloInstruction* ValueOrConstant() { return Below(3) == 0 ? Constant() : Value(); }

  HloInstruction* Step() {
    static constexpr HloOpcode kUnary[] = {
        HloOpcode::kNegate, HloOpcode::kAbs,   HloOpcode::kSqrt,  HloOpcode::kRsqrt, HloOpcode::kExp,
        HloOpcode::kLog,    HloOpcode::kLog1p, HloOpcode::kExpm1, HloOpcode::kTanh,  HloOpcode::kLogistic,
        HloOpcode::kSign,   HloOpcode::kExp,   HloOpcode::kLog,   HloOpcode::kNegate};
    static constexpr HloOpcode kBinary[] = {HloOpcode::kAdd,      HloOpcode::kSubtract, HloOpcode::kMultiply,
                                            HloOpcode::kMultiply, HloOpcode::kDivide,   HloOpcode::kDivide,
                                            HloOpcode::kMaximum,  HloOpcode::kMinimum};
    switch (Below(10)) {
      case 0:
      case 1:
      case 2:
        return build_->Unary(kUnary[Below(14)], Value());
      case 3:
        return build_->Binary(HloOpcode::kPower, Value(), ValueOrConstant());
      case 4:
        return Selection();
      case 5: {
        HloInstruction* const x = Value();
        return build_->Binary(kBinary[Below(8)], x, x);
      }
      case 6:
        return SharedFactor();
      case 7:
        return build_->Binary(kBinary[Below(8)], Constant(), Value());
      default:
        return build_->Binary(kBinary[Below(8)], Value(), ValueOrConstant());
    }
  }

  // select(x < y, x, y) and its like.
  HloInstruction* Selection() {
    static constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kLt, ComparisonDirection::kGt,
                                                          ComparisonDirection::kLe, ComparisonDirection::kGe,
                                                          ComparisonDirection::kEq, ComparisonDirection::kNe};
    HloInstruction* const x = Value();
    HloInstruction* const y = ValueOrConstant();
    HloInstruction* predicate = build_->Compare(kDirections[Below(6)], x, y);
    if (Below(4) == 0) predicate = build_->Not(predicate);
    switch (Below(4)) {
      case 0:
        return build_->Select(predicate, build_->Unary(HloOpcode::kNegate, x), x);
      case 1:
        return build_->Mul(x, build_->Convert(predicate, type_));
      case 2:
        return build_->Select(predicate, x, y);
      default:
        return build_->Select(predicate, Value(), ValueOrConstant());
    }
  }

  // x * c + y * c, (x + c) - d, and 1 / (1 + exp(-x)).
  HloInstruction* SharedFactor() {
    HloInstruction* const x = Value();
    switch (Below(4)) {
      case 0: {
        HloInstruction* const c = ValueOrConstant();
        return build_->Add(build_->Mul(x, c), build_->Mul(Value(), c));
      }
      case 1:
        return build_->Sub(build_->Add(x, Constant()), Constant());
      case 2: {
        HloInstruction* const y = Value();
        return build_->Add(build_->Sub(x, y), y);
      }
      default: {
        HloInstruction* const one = build_->Splat(x->shape(), 1);
        HloInstruction* const power = build_->Unary(HloOpcode::kExp, build_->Unary(HloOpcode::kNegate, x));
        return build_->Div(one, build_->Add(power, one));
      }
    }
  }

  // By element of the results: whether everything on the way to any of them was an ordinary number. All of them are
  // false if that cannot be said by element.
  std::vector<bool> CountingElements() {
    HloComputation* const entry = module_->entry();
    HloInstruction* const root = entry->root();
    std::vector<HloInstruction*> traced;
    for (HloInstruction* instruction : entry->LiveInstructions()) {
      if (instruction != root) traced.push_back(instruction);
    }
    const std::unique_ptr<HloModule> trace = CloneModule(*module_);
    std::vector<HloInstruction*> all = trace->entry()->LiveInstructions();
    all.erase(std::find(all.begin(), all.end(), trace->entry()->root()));
    EXPECT_EQ(all.size(), traced.size());
    InstructionBuilder build(trace->entry());
    trace->entry()->set_root(build.Tuple(all));
    trace->Tidy();
    const RunOutcome outcome = RunForCheck(*trace, {arguments_}, RunLimits());
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    std::vector<std::vector<double>> numbers;
    for (const Literal& leaf : outcome.leaves) numbers.push_back(NumbersOf(leaf));
    std::vector<bool> counting(kRows * kColumns, true);
    for (size_t t = 0; t < traced.size(); ++t) {
      const HloInstruction& instruction = *traced[t];
      // Elements of products are all ordinary numbers or zeros.
      if (!instruction.shape().SameDimensions(values_[0]->shape())) continue;
      const bool is_read = std::any_of(instruction.users().begin(), instruction.users().end(),
                                       [&](const HloInstruction* user) { return user != root; });
      for (size_t e = 0; e < counting.size(); ++e) {
        const auto operand = [&](int i) {
          const size_t k = std::find(traced.begin(), traced.end(), instruction.operand(i)) - traced.begin();
          return numbers[k][e];
        };
        counting[e] = counting[e] && IsOrdinary(instruction, numbers[t][e], is_read, operand);
      }
    }
    return counting;
  }

  template <typename Operand>
  static bool IsOrdinary(const HloInstruction& instruction, double number, bool is_read, const Operand& operand) {
    if (!std::isfinite(number) || std::abs(number) > kLargest) return false;
    const bool is_given = instruction.opcode() == HloOpcode::kBroadcast || instruction.opcode() == HloOpcode::kConvert;
    if (instruction.shape().element_type() == PRED) {
      return instruction.opcode() != HloOpcode::kCompare || instruction.operand(0) == instruction.operand(1) ||
             std::abs(operand(0) - operand(1)) > kMargin;
    }
    return !is_read || is_given || std::abs(number) >= kSmallest;
  }

  std::string Difference(const RunOutcome& got, const RunOutcome& want, const std::vector<bool>& counting,
                         int64_t* compared) const {
    const double tolerance = type_ == F64 ? 1e-7 : 4e-3;
    for (size_t leaf = 0; leaf < want.leaves.size(); ++leaf) {
      const std::vector<double> was = NumbersOf(want.leaves[leaf]);
      const std::vector<double> is = NumbersOf(got.leaves[leaf]);
      for (size_t e = 0; e < was.size(); ++e) {
        if (was.size() == counting.size() && !counting[e]) continue;
        ++*compared;
        if (std::abs(is[e] - was[e]) <= tolerance * std::max(1.0, std::abs(was[e]))) continue;
        return absl::StrCat("result ", leaf, ", element ", e, ": was ", was[e], ", is ", is[e]);
      }
    }
    return "";
  }

  std::mt19937_64 random_;
  const PrimitiveType type_;
  std::unique_ptr<HloModule> module_;
  std::unique_ptr<InstructionBuilder> build_;
  std::vector<Literal> arguments_;
  std::vector<HloInstruction*> values_;
};

uint64_t SeedCount() {
  const char* const text = std::getenv("HALO_RULES_SEEDS");
  return text == nullptr ? 150 : std::strtoull(text, nullptr, 10);
}

class FastMathFuzzTest : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override {
    for (const auto& [rule, count] : counts_) RecordProperty(rule, static_cast<int>(count));
    RecordProperty("compared", static_cast<int>(compared_));
  }
  RewriteCounts counts_;
  int64_t compared_ = 0;
};

TEST_P(FastMathFuzzTest, RandomExpressions) {
  for (uint64_t seed = 0; seed < SeedCount(); ++seed) {
    FloatProgram program(seed % 3 == 0 ? F32 : F64, seed);
    program.Grow(2 + static_cast<int>(seed % (seed % 3 == 0 ? 4 : 8)));
    ASSERT_EQ(program.Check(GetParam(), &counts_, &compared_), "") << "seed " << seed;
  }
  EXPECT_GT(compared_, static_cast<int64_t>(SeedCount()));
}

TEST_P(FastMathFuzzTest, Products) {
  for (uint64_t seed = 0; seed < SeedCount() / 3; ++seed) {
    FloatProgram program(seed % 2 == 0 ? F32 : F64, seed);
    program.MakeProduct();
    ASSERT_EQ(program.Check(GetParam(), &counts_, &compared_), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Groups, FastMathFuzzTest,
                         ::testing::Values("reassociate", "no-nans", "no-signed-zeros", "approximate",
                                           "approximate+no-nans", "all"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }),
                                      name.end());
                           return name;
                         });

}  // namespace
}  // namespace xla
