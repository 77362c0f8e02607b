#include "tests/kernels/check_kernel.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "backends/kernel_ir/workgroups.h"
#include "passes/analyses/exactness.h"
#include "passes/analyses/in_place.h"
#include "passes/check/check_inputs.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr int64_t kKernelSteps = 60'000'000;
constexpr int64_t kEvaluatorSteps = 20'000'000;

// A copy of the instruction's module whose entry computation has the instruction alone, of parameters. nullptr if it is
// nothing that could stand alone.
struct SingleInstruction {
  std::unique_ptr<HloModule> module;
  const HloInstruction* instruction = nullptr;
};

SingleInstruction IsolateInstruction(const HloInstruction& instruction) {
  SingleInstruction single;
  single.module = CloneModule(*instruction.parent()->parent());
  HloModule& module = *single.module;
  const auto& original = instruction.parent()->parent()->computations();
  HloInstruction* found = nullptr;
  for (size_t c = 0; c < original.size(); ++c) {
    if (original[c].get() != instruction.parent()) continue;
    const auto& list = original[c]->instructions();
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].get() == &instruction) found = module.computations()[c]->instructions()[i].get();
    }
  }
  HloComputation* const entry = module.AddComputation(std::make_unique<HloComputation>("single"));
  // An operand that occurs twice has one value, and one that is a constant has that.
  std::vector<HloInstruction*> operands;
  int64_t parameters = 0;
  for (int i = 0; i < found->operand_count(); ++i) {
    const HloInstruction* const operand = found->operand(i);
    const auto before = std::find(found->operands().begin(), found->operands().begin() + i, operand);
    if (before != found->operands().begin() + i) {
      operands.push_back(operands[before - found->operands().begin()]);
      continue;
    }
    if (operand->opcode() == HloOpcode::kConstant) {
      operands.push_back(AddClone(*operand, {}, entry));
      continue;
    }
    auto parameter = std::make_unique<HloInstruction>(
        HloOpcode::kParameter, absl::StrCat("operand_", parameters, "_of_single"), operand->shape());
    auto attributes = std::make_unique<ParameterAttributes>();
    attributes->number = parameters++;
    parameter->set_attributes(std::move(attributes));
    operands.push_back(entry->AddInstruction(std::move(parameter)));
  }
  HloInstruction* const copy = AddClone(*found, operands, entry);
  entry->set_root(copy);
  module.set_entry(entry);
  module.mutable_config() = HloModuleConfig();
  module.RemoveUnreachableComputations();
  module.Tidy();
  single.instruction = copy;
  return single;
}

int64_t ElementsOf(const HloInstruction& instruction) {
  int64_t count = 0;
  const auto add = [&](const Shape& shape) {
    if (shape.IsArray()) count += shape.ElementCount();
  };
  add(instruction.shape());
  for (const Shape& shape : instruction.shape().tuple_shapes()) add(shape);
  for (const HloInstruction* operand : instruction.operands()) add(operand->shape());
  return count;
}

// Copies an array between row-major order and the order of its layout.
void CopyArray(const Shape& shape, bool to_physical, const char* from, char* to) {
  const int64_t width = ByteWidth(shape.element_type());
  const int64_t count = shape.ElementCount();
  const int rank = shape.rank();
  std::vector<int64_t> strides(rank, 1);
  if (shape.has_layout() && static_cast<int>(shape.layout()->minor_to_major.size()) == rank) {
    int64_t stride = 1;
    for (const int64_t d : shape.layout()->minor_to_major) {
      strides[d] = stride;
      stride *= shape.dimension(static_cast<int>(d));
    }
  } else {
    for (int d = rank - 1; d > 0; --d) strides[d - 1] = strides[d] * shape.dimension(d);
  }
  std::vector<int64_t> index(rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) place += index[d] * strides[d];
    std::memcpy(to + (to_physical ? place : i) * width, from + (to_physical ? i : place) * width, width);
    for (int d = rank - 1; d >= 0 && ++index[d] == shape.dimension(d); --d) index[d] = 0;
  }
}

class KernelRun {
 public:
  KernelRun(const HloInstruction& instruction, const LoweredKernel& lowered) : lowered_(lowered) {
    const Shape& shape = instruction.shape();
    if (shape.IsTuple()) {
      for (const Shape& leaf : shape.tuple_shapes()) results_.push_back(leaf);
    } else {
      results_.push_back(shape);
    }
  }

  absl::StatusOr<std::vector<Literal>> Run(const std::vector<Literal>& arguments) const {
    const Kernel& kernel = lowered_.kernel;
    std::vector<Literal> arrays;
    for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
      const KernelBuffer& buffer = kernel.buffers[i];
      ASSIGN_OR_RETURN(Literal array, Literal::Zeros(Shape::Array(buffer.type, {buffer.element_count})));
      RETURN_IF_ERROR(array.MakeWritable(nullptr));
      arrays.push_back(std::move(array));
    }
    const size_t inputs = arguments.size();
    for (size_t i = 0; i < inputs; ++i) {
      CopyArray(arguments[i].shape(), true, static_cast<const char*>(arguments[i].untyped_data()),
                static_cast<char*>(arrays[i].untyped_mutable_data()));
    }
    const size_t extras = inputs + results_.size();
    for (size_t i = 0; i < lowered_.extras.size(); ++i) {
      if (lowered_.extras[i] == nullptr) continue;
      const Literal& literal = *lowered_.extras[i]->attributes<ConstantAttributes>().literal;
      std::memcpy(arrays[extras + i].untyped_mutable_data(), literal.untyped_data(), literal.size_bytes());
    }
    KernelRunOptions options;
    options.step_limit = kKernelSteps;
    options.check_independence = true;
    RETURN_IF_ERROR(RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options));
    std::vector<Literal> results;
    for (size_t i = 0; i < results_.size(); ++i) {
      size_t place = inputs + i;
      while (kernel.buffers[place].same_memory_as >= 0) place = kernel.buffers[place].same_memory_as;
      ASSIGN_OR_RETURN(Literal result, Literal::Zeros(results_[i]));
      CopyArray(results_[i], false, static_cast<const char*>(arrays[place].untyped_data()),
                static_cast<char*>(result.untyped_mutable_data()));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  const LoweredKernel& lowered_;
  std::vector<Shape> results_;
};

// The value of each operand of the only instruction.
std::vector<Literal> OperandsOf(const HloInstruction& instruction, const std::vector<Literal>& arguments) {
  std::vector<Literal> operands;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->opcode() == HloOpcode::kConstant) {
      operands.push_back(*operand->attributes<ConstantAttributes>().literal);
      operands.back().ResetShape(operand->shape());
    } else {
      operands.push_back(arguments[operand->attributes<ParameterAttributes>().number]);
    }
  }
  return operands;
}

// Whether the order of a sum, which may change its last bits, may change more of a result than the tolerance allows: the
// slope of these functions has no bound. Sums of whole numbers are exact in any order.
bool MayMagnifyRounding(const HloInstruction& instruction) {
  const auto is_steep = [](const HloInstruction& x) {
    static constexpr HloOpcode kSteep[] = {HloOpcode::kAcos, HloOpcode::kAcosh, HloOpcode::kAsin, HloOpcode::kAtanh,
                                           HloOpcode::kCbrt, HloOpcode::kRsqrt, HloOpcode::kSqrt};
    return std::find(std::begin(kSteep), std::end(kSteep), x.opcode()) != std::end(kSteep);
  };
  if (instruction.opcode() != HloOpcode::kFusion) return is_steep(instruction);
  for (const auto& fused : instruction.called_computation(0)->instructions()) {
    if (is_steep(*fused)) return true;
  }
  return false;
}

std::string CompareResults(const std::vector<Literal>& got, const std::vector<Literal>& want,
                           const ExactOutputs& exact) {
  for (size_t i = 0; i < want.size(); ++i) {
    Tolerance tolerance = DefaultTolerance(want[i].shape().element_type());
    if (exact.results[i]) {
      tolerance = Tolerance();
      tolerance.zero_sign = true;
    }
    const Comparison comparison = CompareArrays(got[i], want[i], tolerance);
    if (!comparison.matches()) return DescribeComparison(absl::StrCat("out", i), comparison, got[i], want[i]);
  }
  return "";
}

// Whether the kernel is valid and asks for nothing that the device does not have.
absl::Status VerifyFor(const Kernel& kernel, const LoweringTarget& target) {
  RETURN_IF_ERROR(VerifyKernel(kernel));
  for (const KernelPhase& phase : kernel.phases) {
    if (phase.invocations > target.invocations) {
      return absl::InternalError(absl::StrCat(phase.invocations, " invocations, at most ", target.invocations));
    }
    const int64_t shared = SharedBytes(kernel, phase);
    if (shared <= target.shared_bytes) continue;
    return absl::InternalError(absl::StrCat(shared, " bytes of shared memory, at most ", target.shared_bytes));
  }
  return absl::OkStatus();
}

bool HaveSameBits(const Literal& a, const Literal& b) {
  return a.size_bytes() == b.size_bytes() && std::memcmp(a.untyped_data(), b.untyped_data(), a.size_bytes()) == 0;
}

// Operand numbers for outputs, as far as they may be in place.
std::vector<int> InPlaceOf(const HloInstruction& instruction) {
  const int outputs = instruction.shape().IsTuple() ? instruction.shape().tuple_size() : 1;
  std::vector<int> in_place(outputs, -1);
  std::vector<bool> taken(instruction.operand_count(), false);
  for (const InPlacePair& pair : FindInPlacePairs(instruction)) {
    const size_t output = pair.result_index.empty() ? 0 : pair.result_index[0];
    const auto same =
        std::count(instruction.operands().begin(), instruction.operands().end(), instruction.operand(pair.operand));
    if (in_place[output] >= 0 || taken[pair.operand] || same > 1) continue;
    in_place[output] = pair.operand;
    taken[pair.operand] = true;
  }
  return in_place;
}

}  // namespace

KernelCheck CheckKernel(const HloInstruction& instruction, const KernelCheckOptions& options) {
  using Outcome = KernelCheck::Outcome;
  KernelCheck check;
  const SingleInstruction single = IsolateInstruction(instruction);
  const auto lowered = LowerInstruction(*single.instruction, options.target, {}, options.order);
  if (!lowered.ok()) {
    check.outcome =
        lowered.status().code() == absl::StatusCode::kUnimplemented ? Outcome::kNotLowered : Outcome::kDiffers;
    check.what = std::string(lowered.status().message());
    return check;
  }
  check.phases = static_cast<int>(lowered->kernel.phases.size());
  if (options.keep_text) check.kernel = KernelToString(lowered->kernel);
  const auto differs = [&](std::string what, const Kernel& kernel) {
    check.outcome = Outcome::kDiffers;
    check.what = std::move(what);
    check.kernel = KernelToString(kernel);
    return check;
  };
  if (const absl::Status valid = VerifyFor(lowered->kernel, options.target); !valid.ok()) {
    return differs(absl::StrCat("invalid kernel: ", valid.message()), lowered->kernel);
  }
  if (ElementsOf(instruction) > options.max_elements) {
    check.outcome = Outcome::kTooLarge;
    return check;
  }

  const ExactOutputs exact = FindExactOutputs(*single.module);
  EvaluatorOptions evaluator_options;
  evaluator_options.max_steps = kEvaluatorSteps;
  auto evaluator = Evaluator::Create(*single.module, evaluator_options);
  if (!evaluator.ok()) {
    check.outcome = Outcome::kEvaluatorFails;
    check.what = std::string(evaluator.status().message());
    return check;
  }
  // The kernel of the copy, in whose memory a result may be.
  std::vector<int> in_place = options.in_place ? InPlaceOf(*single.instruction) : std::vector<int>();
  if (std::all_of(in_place.begin(), in_place.end(), [](int i) { return i < 0; })) in_place.clear();
  absl::StatusOr<LoweredKernel> other = absl::UnimplementedError("");
  if (!in_place.empty()) {
    other = LowerInstruction(*single.instruction, options.target, in_place, options.order);
    if (!other.ok() && other.status().code() != absl::StatusCode::kUnimplemented) {
      return differs(absl::StrCat("in place: ", other.status().message()), lowered->kernel);
    }
    if (other.ok()) {
      const absl::Status valid = VerifyKernel(other->kernel);
      if (!valid.ok()) return differs(absl::StrCat("invalid kernel in place: ", valid.message()), other->kernel);
    }
  }
  absl::StatusOr<LoweredKernel> for_other = absl::UnimplementedError("");
  if (options.other_target.has_value()) {
    for_other = LowerInstruction(*single.instruction, *options.other_target, {}, options.order);
    const absl::Status valid =
        for_other.ok() ? VerifyFor(for_other->kernel, *options.other_target) : for_other.status();
    if (!valid.ok()) return differs(absl::StrCat("for the other target: ", valid.message()), lowered->kernel);
  }
  for (const CheckInputKind kind :
       {CheckInputKind::kWholeNumbers, CheckInputKind::kOrdinary, CheckInputKind::kEdgeValues}) {
    if (!exact.All() && kind == CheckInputKind::kEdgeValues) continue;
    if (!exact.All() && kind == CheckInputKind::kOrdinary && MayMagnifyRounding(*single.instruction)) continue;
    CheckInputOptions input_options;
    input_options.kind = kind;
    input_options.seed = options.seed;
    input_options.huge = false;
    input_options.replica_count = 1;
    input_options.partition_count = 1;
    const auto inputs = MakeCheckInputs(*single.module, input_options, nullptr);
    const auto want = inputs.ok() ? (*evaluator)->RunOne((*inputs)[0]) : absl::StatusOr<Literal>(inputs.status());
    if (!want.ok()) {
      check.outcome = Outcome::kEvaluatorFails;
      check.what = std::string(want.status().message());
      return check;
    }
    const std::vector<Literal> leaves = FlattenLeaves(*want);
    for (const bool aliased : {false, true}) {
      if (aliased && !other.ok()) continue;
      const LoweredKernel& kernel = aliased ? *other : *lowered;
      const auto got = KernelRun(*single.instruction, kernel).Run(OperandsOf(*single.instruction, (*inputs)[0]));
      const char* const where = aliased ? "in place: " : "";
      if (got.status().code() == absl::StatusCode::kResourceExhausted) {
        check.outcome = Outcome::kTooLarge;
        return check;
      }
      if (!got.ok()) return differs(absl::StrCat(where, got.status().message()), kernel.kernel);
      const std::string difference = CompareResults(*got, leaves, exact);
      if (!difference.empty()) return differs(absl::StrCat(where, difference), kernel.kernel);
      if (aliased || !for_other.ok()) continue;
      const auto others = KernelRun(*single.instruction, *for_other).Run(OperandsOf(*single.instruction, (*inputs)[0]));
      if (others.status().code() == absl::StatusCode::kResourceExhausted) continue;
      if (!others.ok())
        return differs(absl::StrCat("for the other target: ", others.status().message()), for_other->kernel);
      for (size_t i = 0; i < got->size(); ++i) {
        if (HaveSameBits((*got)[i], (*others)[i])) continue;
        return differs(absl::StrCat("out", i, " has other bits for the other target; its kernel:\n",
                                    KernelToString(for_other->kernel)),
                       kernel.kernel);
      }
    }
  }
  return check;
}

}  // namespace xla
