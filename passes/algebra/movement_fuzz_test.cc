// Random chains of operations that move elements, over small arrays, simplified and compared bit by bit with what they
// were. The rules must come to an end by themselves, and a second run must find nothing. The same with transposes put
// elsewhere, which then move no more bytes than before.
//
//   MOVEMENT_CHAINS=20000 MOVEMENT_SEED=7 bazel run -c opt //passes/algebra:movement_fuzz_test
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/base/instruction_builder.h"
#include "passes/check/check_inputs.h"
#include "passes/check/compare_runs.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr int64_t kMostElements = 300;
constexpr int kMostDimensions = 5;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

class Chain {
 public:
  explicit Chain(uint64_t seed) : random_(seed), module_(std::make_unique<HloModule>("chain")) {
    module_->set_entry(NewComputation(module_.get(), "entry"));
    build_ = std::make_unique<InstructionBuilder>(module_->entry());
  }

  std::unique_ptr<HloModule> Make() {
    const PrimitiveType types[] = {F32, S32, BF16, U8, PRED};
    const int64_t arrays = 1 + Below(3);
    for (int64_t i = 0; i < arrays; ++i) Parameter(Shape::Array(types[Below(5)], RandomSizes()));
    module_->entry()->set_root(values_[0]);  // for now: who looks for a reducer looks at roots
    if (Below(4) == 0) values_.push_back(Counting());
    const int64_t steps = 3 + Below(16);
    for (int64_t i = 0; i < steps; ++i) {
      // Mostly of the newest values, so that chains get long.
      HloInstruction* const x = values_[std::max<int64_t>(0, Size() - 1 - (Below(3) == 0 ? Below(Size()) : Below(2)))];
      HloInstruction* const y = Step(x);
      if (y->shape().ElementCount() <= kMostElements && y->shape().rank() <= kMostDimensions) values_.push_back(y);
    }
    EXPECT_TRUE(build_->status().ok()) << build_->status();
    std::vector<HloInstruction*> results = {values_.back()};
    if (Below(3) == 0) results.push_back(values_[Below(Size())]);
    module_->entry()->set_root(build_->Tuple(results));
    module_->Tidy();
    return std::move(module_);
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t Size() const { return static_cast<int64_t>(values_.size()); }

  DimensionVector RandomSizes() {
    const int64_t some[] = {1, 2, 3, 4, 6, 2, 3, 1, 0};
    DimensionVector sizes;
    const int64_t rank = Below(4);
    for (int64_t i = 0; i < rank; ++i) sizes.push_back(some[Below(Below(8) == 0 ? 9 : 8)]);
    return sizes;
  }
  HloInstruction* Parameter(const Shape& shape) {
    values_.push_back(build_->Parameter(parameters_++, shape));
    return values_.back();
  }
  HloInstruction* Counting() {
    DimensionVector sizes = RandomSizes();
    sizes.push_back(1 + Below(6));
    std::shuffle(sizes.begin(), sizes.end(), random_);
    return build_->Iota(Shape::Array(Below(2) == 0 ? S32 : F32, sizes), Below(static_cast<int64_t>(sizes.size())));
  }
  // A constant or, so that nothing is known of it, a parameter.
  HloInstruction* Scalar(PrimitiveType type) {
    if (Below(3) != 0) return build_->Scalar(type, Below(2));
    return build_->Parameter(parameters_++, Shape::Scalar(type));
  }
  HloInstruction* Index() {
    return Below(2) == 0 ? build_->Scalar(S32, Below(6) - 1) : build_->Parameter(parameters_++, Shape::Scalar(S32));
  }
  DimensionVector SomeDimensions(const HloInstruction& x) {
    DimensionVector dimensions;
    for (int64_t d = 0; d < x.shape().rank(); ++d) {
      if (Below(2) == 0) dimensions.push_back(d);
    }
    return dimensions;
  }

  HloInstruction* Step(HloInstruction* x) {
    switch (Below(22)) {
      case 0:
      case 1:
      case 2:
        return Reshape(x);
      case 3:
      case 4:
      case 5:
        return Transpose(x);
      case 6:
      case 7:
        return Broadcast(x);
      case 8:
      case 9:
        return Slice(x);
      case 10:
        return Pad(x);
      case 11:
        return Concatenate(x);
      case 12:
        return build_->Reverse(x, SomeDimensions(*x));
      case 13:
        return DynamicSlice(x);
      case 14:
        return DynamicUpdateSlice(x);
      case 15:
        return Reduce(x);
      case 16:
        return Take(x);
      case 17:
        return ReduceWindow(x);
      case 18:
        return Product(x);
      default:
        return Elementwise(x);
    }
  }

  HloInstruction* Reshape(HloInstruction* x) {
    DimensionVector sizes;
    int64_t rest = x->shape().ElementCount();
    if (rest == 0) return build_->Reshape(x, {2, 0});
    while (rest > 1 || Below(3) == 0) {
      std::vector<int64_t> divisors;
      for (int64_t i = 1; i <= rest; ++i) {
        if (rest % i == 0) divisors.push_back(i);
      }
      const int64_t size = divisors[Below(static_cast<int64_t>(divisors.size()))];
      sizes.push_back(size);
      rest /= size;
      if (static_cast<int>(sizes.size()) == kMostDimensions - 1) break;
    }
    if (rest > 1) sizes.push_back(rest);
    return build_->Reshape(x, sizes);
  }
  HloInstruction* Transpose(HloInstruction* x) {
    DimensionVector permutation;
    for (int64_t d = 0; d < x->shape().rank(); ++d) permutation.push_back(d);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    return build_->Transpose(x, permutation);
  }
  HloInstruction* Broadcast(HloInstruction* x) {
    DimensionVector sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    const int64_t added = Below(3);
    for (int64_t i = 0; i < added; ++i) sizes.push_back(1 + Below(3));
    // Which dimension of x each dimension of the result is; -1: a new one.
    std::vector<int64_t> from(sizes.size(), -1);
    for (int64_t d = 0; d < x->shape().rank(); ++d) from[d] = d;
    std::vector<size_t> order(sizes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    DimensionVector result, dimensions(x->shape().rank());
    for (const size_t i : order) {
      if (from[i] != -1) dimensions[from[i]] = static_cast<int64_t>(result.size());
      result.push_back(sizes[i]);
    }
    return build_->Broadcast(x, result, dimensions);
  }
  HloInstruction* Slice(HloInstruction* x) {
    DimensionVector starts, limits, strides;
    for (const int64_t size : x->shape().dimensions()) {
      const bool whole = Below(2) == 0;
      starts.push_back(whole ? 0 : Below(size + 1));
      limits.push_back(whole ? size : starts.back() + Below(size - starts.back() + 1));
      if (limits.back() == starts.back() && limits.back() < size && Below(8) != 0) ++limits.back();
      strides.push_back(Below(3) == 0 ? 1 + Below(3) : 1);
    }
    return build_->Slice(x, starts, limits, strides);
  }
  HloInstruction* Pad(HloInstruction* x) {
    PaddingConfig config;
    for (const int64_t size : x->shape().dimensions()) {
      PaddingDimension padding;
      if (Below(2) == 0) padding = {Below(4) - 1, Below(4) - 1, Below(3) == 0 ? 1 : 0};
      if (size + padding.low + padding.high < 0) padding = {};
      config.push_back(padding);
    }
    return build_->Pad(x, Scalar(x->shape().element_type()), config);
  }
  HloInstruction* Concatenate(HloInstruction* x) {
    if (x->shape().rank() == 0) return x;
    const int64_t d = Below(x->shape().rank());
    const int64_t size = x->shape().dimension(static_cast<int>(d));
    const int64_t cut = Below(size + 1);
    HloInstruction* const start = build_->SliceInDim(x, d, 0, cut);
    HloInstruction* const end = build_->SliceInDim(x, d, cut, size);
    switch (Below(5)) {
      case 0:
        return build_->Concatenate({start, end}, d);
      case 1:
        return build_->Concatenate({end, x, start}, d);
      case 2:
        return build_->Concatenate({x, build_->BroadcastScalar(Scalar(x->shape().element_type()), end->shape())}, d);
      case 3:
        return build_->Concatenate({build_->Concatenate({x, start}, d), end}, d);
      default:
        return build_->Concatenate({x, x}, d);
    }
  }
  HloInstruction* DynamicSlice(HloInstruction* x) {
    std::vector<HloInstruction*> starts;
    DimensionVector sizes;
    for (const int64_t size : x->shape().dimensions()) {
      starts.push_back(Index());
      sizes.push_back(Below(2) == 0 || size == 0 ? size : 1 + Below(size));
    }
    return build_->DynamicSlice(x, starts, sizes);
  }
  HloInstruction* DynamicUpdateSlice(HloInstruction* x) {
    HloInstruction* const update = DynamicSlice(x);
    std::vector<HloInstruction*> starts(update->operands().begin() + 1, update->operands().end());
    if (Below(2) == 0) {
      for (HloInstruction*& start : starts) start = Index();
    }
    const Shape shape = x->shape();
    HloInstruction* const target = Below(2) == 0 ? x : build_->BroadcastScalar(Scalar(shape.element_type()), shape);
    return build_->DynamicUpdateSlice(target, update, starts);
  }
  HloInstruction* Take(HloInstruction* x) {
    if (x->shape().rank() == 0) return x;
    const int64_t d = Below(x->shape().rank());
    if (x->shape().dimension(static_cast<int>(d)) == 0) return x;
    const int64_t count = 1 + Below(4), first = Below(6) - 1, step = Below(4) - 1;
    std::vector<int32_t> positions;
    for (int64_t i = 0; i < count; ++i) {
      positions.push_back(static_cast<int32_t>(Below(6) == 0 ? Below(6) : first + i * step));
    }
    HloInstruction* indices = build_->Constant(*LiteralUtil::CreateR1<int32_t>(positions));
    if (Below(count == 1 ? 2 : 4) == 0) indices = build_->Parameter(parameters_++, Shape::Array(S32, {count}));
    GatherAttributes a;
    a.collapsed_slice_dims = {d};
    a.start_index_map = {d};
    a.index_vector_dim = 1;
    const int64_t place = Below(x->shape().rank());
    for (int64_t i = 0; i < x->shape().rank(); ++i) {
      a.slice_sizes.push_back(i == d ? 1 : x->shape().dimension(static_cast<int>(i)));
      if (i != place) a.offset_dims.push_back(i);
    }
    return build_->Gather(x, indices, a);
  }
  // Exact whatever the order: of integers, or the greatest or least.
  HloOpcode ExactReducer(PrimitiveType type) {
    const HloOpcode opcodes[] = {HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kAdd, HloOpcode::kMultiply};
    return opcodes[Below(IsFloat(type) ? 2 : 4)];
  }
  HloInstruction* Reduce(HloInstruction* x) {
    const PrimitiveType type = x->shape().element_type();
    return build_->Reduce(x, Scalar(type), SomeDimensions(*x), ExactReducer(type));
  }
  HloInstruction* ReduceWindow(HloInstruction* x) {
    const PrimitiveType type = x->shape().element_type();
    Window window;
    for (const int64_t size : x->shape().dimensions()) {
      WindowDimension dimension;
      dimension.size = size == 0 || Below(2) == 0 ? 1 : Below(2) == 0 ? size : 1 + Below(size);
      if (Below(4) == 0) dimension.padding_low = Below(2);
      if (Below(4) == 0) dimension.stride = 1 + Below(2);
      window.dimensions.push_back(dimension);
    }
    return build_->ReduceWindow({x}, {Scalar(type)}, window,
                                ScalarComputation(module_.get(), ExactReducer(type), type));
  }
  // Of integers, which wrap in any order.
  HloInstruction* Product(HloInstruction* x) {
    if (x->shape().element_type() != S32) x = build_->Convert(x, S32);
    const DimensionVector contracting = SomeDimensions(*x);
    HloInstruction* const y = Below(2) == 0 ? Transpose(x) : x;
    DotAttributes a;
    for (const int64_t d : contracting) {
      const bool is_batch = Below(3) == 0;
      (is_batch ? a.lhs_batch_dims : a.lhs_contracting_dims).push_back(d);
      int64_t other = d;
      if (y != x) {
        const auto& permutation = y->attributes<DimensionsAttributes>().dimensions;
        other = std::find(permutation.begin(), permutation.end(), d) - permutation.begin();
      }
      (is_batch ? a.rhs_batch_dims : a.rhs_contracting_dims).push_back(other);
    }
    const int64_t free = x->shape().rank() - static_cast<int64_t>(contracting.size());
    if (2 * free > kMostDimensions) return x;
    return build_->Dot(x, y, a);
  }
  HloInstruction* Elementwise(HloInstruction* x) {
    const PrimitiveType type = x->shape().element_type();
    HloInstruction* const repeated = build_->BroadcastScalar(Scalar(type), x->shape());
    // Another value of the same shape, if there is one, moved like x if x was.
    HloInstruction* y = repeated;
    for (HloInstruction* value : values_) {
      if (value->shape().Compatible(x->shape()) && Below(2) == 0) y = value;
    }
    if (x->opcode() == HloOpcode::kTranspose || x->opcode() == HloOpcode::kReshape) {
      HloInstruction* const source = build_->BroadcastScalar(Scalar(type), x->operand(0)->shape());
      if (Below(3) == 0) y = build_->MakeLike(*x, {build_->Max(x->operand(0), source)});
    }
    switch (Below(8)) {
      case 0:
        return build_->Max(x, y);
      case 1:
        return build_->Add(y, x);
      case 2:
        return build_->Compare(ComparisonDirection::kLt, x, y);
      case 3:
        return build_->Select(Parameter(Shape::Scalar(PRED)), x, y);
      case 4:
        return build_->Convert(x, Below(2) == 0 ? F32 : U8);
      case 5:
        return build_->Clamp(Scalar(type), x, Scalar(type));
      case 6:
        return build_->Unary(HloOpcode::kCopy, x);
      default:
        return type == PRED ? build_->Not(x) : build_->Mul(x, repeated);
    }
  }

  std::mt19937_64 random_;
  std::unique_ptr<HloModule> module_;
  std::unique_ptr<InstructionBuilder> build_;
  std::vector<HloInstruction*> values_;
  int64_t parameters_ = 0;
};

void CompareRuns(const HloModule& before, const HloModule& after) {
  MemoryBudget budget(int64_t{1} << 30);
  RunLimits limits;
  for (const CheckInputKind kind :
       {CheckInputKind::kOrdinary, CheckInputKind::kWholeNumbers, CheckInputKind::kEdgeValues}) {
    CheckInputOptions options;
    options.kind = kind;
    const auto arguments = MakeCheckInputs(before, options, &budget);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    const RunOutcome want = RunForCheck(before, *arguments, limits);
    ASSERT_TRUE(want.status.ok()) << want.status;
    const RunOutcome got = RunForCheck(after, *arguments, limits);
    ASSERT_TRUE(got.status.ok()) << got.status;
    EXPECT_EQ(DifferenceBetween(got, want, Agreement::kExact), "");
  }
}

// Bytes that transposes move while the program runs.
int64_t TransposedBytes(const HloModule& module) {
  int64_t bytes = 0;
  for (const HloInstruction* x : module.entry()->LiveInstructions()) {
    if (x->opcode() != HloOpcode::kTranspose) continue;
    const HloOpcode source = x->operand(0)->opcode();
    if (source != HloOpcode::kConstant && source != HloOpcode::kIota) bytes += x->shape().ByteSize();
  }
  return bytes;
}

void CheckChain(uint64_t seed, const char* pass) {
  const std::unique_ptr<HloModule> before = Chain(seed).Make();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + ModuleToString(*before, PrintOptions::Short()));
  ASSERT_TRUE(VerifyModule(*before).ok()) << VerifyModule(*before);
  const std::unique_ptr<HloModule> module = CloneModule(*before);
  PassRunnerOptions options;
  options.strict = true;
  PassContext context;
  const auto passes = ParsePasses(pass);
  ASSERT_TRUE(passes.ok()) << passes.status();
  const auto changed = RunPasses(*passes, options, context, *module);
  ASSERT_TRUE(changed.ok()) << changed.status();
  SCOPED_TRACE("became\n" + ModuleToString(*module, PrintOptions::Short()));
  for (const std::string& warning : context.warnings()) ADD_FAILURE() << warning;
  const auto changed_again = RunPasses(*passes, options, context, *module);
  ASSERT_TRUE(changed_again.ok()) << changed_again.status();
  EXPECT_FALSE(*changed_again) << "a second run made of it\n" << ModuleToString(*module, PrintOptions::Short());
  if (std::string(pass) == "place-transposes") {
    EXPECT_LE(TransposedBytes(*module), TransposedBytes(*before));
  }
  CompareRuns(*before, *module);
}

void CheckChains(const char* pass) {
  const int64_t count = FromEnvironment("MOVEMENT_CHAINS", 400);
  const uint64_t first = static_cast<uint64_t>(FromEnvironment("MOVEMENT_SEED", 1)) * 1'000'000;
  for (int64_t i = 0; i < count; ++i) {
    CheckChain(first + static_cast<uint64_t>(i), pass);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(MovementFuzz, ChainsComputeTheSameAndComeToAnEnd) { CheckChains("simplify-algebra"); }

TEST(MovementFuzz, TransposesAreFoundBetterPlaces) { CheckChains("place-transposes"); }

}  // namespace
}  // namespace xla
