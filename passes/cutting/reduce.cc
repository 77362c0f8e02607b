#include "passes/cutting/reduce.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/cutting/reduce_edits.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using Shows = std::function<absl::StatusOr<bool>(const HloModule&)>;
// Changes a copy of the best module; false if it does not apply.
using Edit = std::function<bool(HloModule*)>;

// How far an instruction is from what is simplest: 0 for parameters and scalar constants, 1 for zeros of other shapes.
int WeightOf(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kParameter) return 0;
  if (opcode == HloOpcode::kConstant && instruction.shape().IsScalar()) return 0;
  if (opcode == HloOpcode::kAfterAll && instruction.operand_count() == 0) return 0;
  if (opcode != HloOpcode::kBroadcast) return 2;
  const HloInstruction& operand = *instruction.operand(0);
  return operand.opcode() == HloOpcode::kConstant && operand.shape().IsScalar() ? 1 : 2;
}

// Smaller in this order: weights of instructions, elements of all shapes, instructions.
struct Size {
  int64_t weight = 0;
  double elements = 0;
  int64_t instructions = 0;
  bool operator<(const Size& o) const {
    if (weight != o.weight) return weight < o.weight;
    if (elements != o.elements) return elements < o.elements;
    return instructions < o.instructions;
  }
};

double ElementsOf(const Shape& shape) {
  if (shape.IsUnboundedDynamic()) return 1;
  double elements = 0;
  for (const Shape& element : shape.tuple_shapes()) elements += ElementsOf(element);
  return shape.IsArray() ? static_cast<double>(shape.ElementCount()) : elements;
}

Size SizeOf(const HloModule& module) {
  Size size;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      size.weight += WeightOf(*instruction);
      size.elements += ElementsOf(instruction->shape());
      ++size.instructions;
    }
  }
  return size;
}

void DropAnnotations(HloModule* module, bool metadata_only) {
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_annotations()) continue;
      InstructionAnnotations& annotations = instruction->mutable_annotations();
      InstructionAnnotations fewer;
      if (metadata_only) {
        fewer = annotations;
        fewer.metadata = OpMetadata();
        fewer.original_value.reset();
        fewer.statistics.reset();
      }
      annotations = std::move(fewer);
    }
  }
  module->mutable_config().stack_frames = StackFrameIndex();
}

class Reduction {
 public:
  Reduction(const HloModule& module, const Shows& shows, const ReduceOptions& options)
      : shows_(shows), options_(options), deadline_(absl::Now() + options.time_limit), best_(CloneModule(module)) {}

  absl::StatusOr<ReduceResult> Run() {
    ++tests_;
    ASSIGN_OR_RETURN(const bool shows, shows_(*best_));
    if (!shows)
      return absl::FailedPreconditionError("the module as it is does not show it: there is nothing to reduce");
    if (options_.on_better) RETURN_IF_ERROR(options_.on_better(*best_));
    RETURN_IF_ERROR(DropDecoration());
    for (bool again = true; again && !TimeIsUp();) {
      const int64_t before = improvements_;
      RETURN_IF_ERROR(ReduceResults());
      RETURN_IF_ERROR(ReplaceInstructions(&ReplaceByParameter));
      RETURN_IF_ERROR(ReplaceInstructions(&ReplaceByZeros));
      RETURN_IF_ERROR(ReplaceInstructions(&ReplaceByOperand));
      RETURN_IF_ERROR(OpenCalls());
      RETURN_IF_ERROR(NarrowLoops());
      RETURN_IF_ERROR(RemoveParameters());
      RETURN_IF_ERROR(ShrinkSizes());
      again = improvements_ > before;
    }
    ReduceResult result;
    result.module = std::move(best_);
    result.tests = tests_;
    result.finished = !TimeIsUp();
    return result;
  }

 private:
  bool TimeIsUp() const { return absl::Now() > deadline_; }

  // Whether the best module, edited so, is valid, smaller and still shows it; it is the best one from then on. Without
  // `must_shrink` it need not be smaller: for edits that cannot be made forever.
  absl::StatusOr<bool> Try(const Edit& edit, bool must_shrink = true) {
    RETURN_IF_ERROR(CheckResources(options_.resources));
    if (TimeIsUp()) return false;
    std::unique_ptr<HloModule> candidate = CloneModule(*best_);
    if (!edit(candidate.get())) return false;
    FinishEdits(candidate.get());
    if (must_shrink && !(SizeOf(*candidate) < SizeOf(*best_))) return false;
    VerifierOptions verification;
    verification.resources = options_.resources;
    if (!VerifyModule(*candidate, verification).ok()) return false;
    ++tests_;
    ASSIGN_OR_RETURN(const bool shows, shows_(*candidate));
    if (!shows) return false;
    best_ = std::move(candidate);
    ++improvements_;
    if (options_.on_better) RETURN_IF_ERROR(options_.on_better(*best_));
    return true;
  }

  absl::Status DropDecoration() {
    for (const bool metadata_only : {true, false}) {
      const Edit drop = [&](HloModule* module) {
        DropAnnotations(module, metadata_only);
        return true;
      };
      RETURN_IF_ERROR(Try(drop, /*must_shrink=*/false).status());
    }
    const Edit drop_edges = [](HloModule* module) {
      for (const auto& computation : module->computations()) {
        for (const auto& instruction : computation->instructions()) instruction->DropControlEdges();
      }
      return true;
    };
    return Try(drop_edges, /*must_shrink=*/false).status();
  }

  // Applies `edit_items`, an edit of some of the items 0 ... count()-1, to ever smaller runs of them, the last ones
  // first. After a success there are fewer items, or others, and the same length is tried on.
  absl::Status TryRuns(const std::function<int64_t()>& count,
                       const std::function<bool(HloModule*, int64_t begin, int64_t end)>& edit_items) {
    for (int64_t length = count(); length > 0 && !TimeIsUp(); length = length == 1 ? 0 : (length + 1) / 2) {
      int64_t end = count();
      while (end > 0) {
        const int64_t begin = std::max<int64_t>(0, end - length);
        ASSIGN_OR_RETURN(const bool better, Try([&](HloModule* module) { return edit_items(module, begin, end); }));
        end = better ? std::min(begin, count()) : begin;
      }
    }
    return absl::OkStatus();
  }

  // ---- The result

  absl::Status ReduceResults() {
    // An early instruction as the result leaves little: eighths of the entry, the first first.
    constexpr int kSteps = 8;
    for (int step = 0; step < kSteps; ++step) {
      const int64_t place = best_->entry()->instruction_count() * step / kSteps;
      ASSIGN_OR_RETURN(const bool better, Try([&](HloModule* module) {
                         return SetRoot(module, module->entry()->instructions()[place].get());
                       }));
      if (better) step = -1;
    }
    RETURN_IF_ERROR(ReduceTuple());
    for (bool again = true; again;) {
      again = false;
      for (int i = 0; i < best_->entry()->root()->operand_count() && !again; ++i) {
        ASSIGN_OR_RETURN(again,
                         Try([&](HloModule* module) { return SetRoot(module, module->entry()->root()->operand(i)); }));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReduceTuple() {
    const auto count = [this]() -> int64_t {
      const HloInstruction& root = *best_->entry()->root();
      return root.opcode() == HloOpcode::kTuple ? root.operand_count() : 0;
    };
    return TryRuns(count, [&](HloModule* module, int64_t begin, int64_t end) {
      std::vector<bool> keep(count(), true);
      std::fill(keep.begin() + begin, keep.begin() + end, false);
      return end - begin < count() && KeepTupleElements(module, keep);
    });
  }

  // ---- Instructions

  // Those that something simpler could replace, in the order of the module.
  std::vector<InstructionPlace> Replaceable() const {
    std::vector<InstructionPlace> places;
    for (size_t c = 0; c < best_->computations().size(); ++c) {
      const auto& instructions = best_->computations()[c]->instructions();
      for (size_t i = 0; i < instructions.size(); ++i) {
        if (WeightOf(*instructions[i]) > 0) places.push_back({static_cast<int64_t>(c), static_cast<int64_t>(i)});
      }
    }
    return places;
  }

  // Of a run, those to which the edit applies.
  absl::Status ReplaceInstructions(bool (*replace)(HloInstruction*)) {
    return TryRuns([this] { return static_cast<int64_t>(Replaceable().size()); },
                   [&](HloModule* module, int64_t begin, int64_t end) {
                     const std::vector<InstructionPlace> places = Replaceable();
                     std::vector<HloInstruction*> run;
                     for (int64_t i = begin; i < end; ++i) run.push_back(InstructionAt(*module, places[i]));
                     bool any = false;
                     for (HloInstruction* instruction : run) any |= replace(instruction);
                     return any;
                   });
  }

  absl::Status OpenCalls() {
    for (bool again = true; again;) {
      again = false;
      for (const InstructionPlace& place : Replaceable()) {
        const HloInstruction& instruction = *InstructionAt(*best_, place);
        const HloOpcode opcode = instruction.opcode();
        if (opcode != HloOpcode::kCall && opcode != HloOpcode::kFusion && opcode != HloOpcode::kWhile &&
            opcode != HloOpcode::kConditional) {
          continue;
        }
        // The body of a loop is its second callee.
        const int first = opcode == HloOpcode::kWhile ? 1 : 0;
        const int count = static_cast<int>(instruction.called_computations().size());
        for (int callee = first; callee < count && !again; ++callee) {
          ASSIGN_OR_RETURN(
              again, Try([&](HloModule* module) { return ReplaceByBody(InstructionAt(*module, place), callee); }));
        }
        if (again) break;
      }
    }
    return absl::OkStatus();
  }

  // By name, since edits shift places.
  absl::Status NarrowLoops() {
    std::vector<std::string> loops;
    for (const InstructionPlace& place : Replaceable()) {
      const HloInstruction& instruction = *InstructionAt(*best_, place);
      if (instruction.opcode() == HloOpcode::kWhile && instruction.shape().IsTuple()) {
        loops.push_back(instruction.name());
      }
    }
    for (const std::string& name : loops) {
      const auto count = [&]() -> int64_t {
        const HloInstruction* const loop = FindLoop(*best_, name);
        return loop == nullptr ? 0 : loop->shape().tuple_size();
      };
      RETURN_IF_ERROR(TryRuns(count, [&](HloModule* module, int64_t begin, int64_t end) {
        HloInstruction* const loop = FindLoop(*module, name);
        std::vector<bool> keep(loop->shape().tuple_size(), true);
        std::fill(keep.begin() + begin, keep.begin() + end, false);
        return NarrowLoop(loop, keep);
      }));
    }
    return absl::OkStatus();
  }

  static HloInstruction* FindLoop(const HloModule& module, const std::string& name) {
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() == HloOpcode::kWhile && instruction->name() == name) return instruction.get();
      }
    }
    return nullptr;
  }

  absl::Status RemoveParameters() {
    return TryRuns([this] { return int64_t{best_->entry()->parameter_count()}; },
                   [](HloModule* module, int64_t begin, int64_t end) {
                     const std::vector<HloInstruction*> parameters = module->entry()->parameters();
                     bool any = false;
                     for (int64_t i = begin; i < end; ++i) any |= RemoveParameter(parameters[i]);
                     return any;
                   });
  }

  // ---- Sizes

  void AddSizes(const Shape& shape, std::set<int64_t>* sizes) const {
    for (const Shape& element : shape.tuple_shapes()) AddSizes(element, sizes);
    if (!shape.IsArray()) return;
    for (int64_t size : shape.dimensions()) {
      if (size > 1) sizes->insert(size);
    }
  }

  // The largest sizes first.
  std::vector<int64_t> Sizes() const {
    std::set<int64_t> sizes;
    for (const auto& computation : best_->computations()) {
      for (const auto& instruction : computation->instructions()) AddSizes(instruction->shape(), &sizes);
    }
    return std::vector<int64_t>(sizes.rbegin(), sizes.rend());
  }

  absl::Status ShrinkSizes() {
    for (int64_t size : Sizes()) {
      for (int64_t smaller : {int64_t{1}, int64_t{2}, int64_t{3}, size / 2}) {
        if (smaller >= size || smaller < 1) continue;
        ASSIGN_OR_RETURN(const bool better, Try([&](HloModule* module) { return ChangeSize(module, size, smaller); }));
        if (better) break;
      }
    }
    return absl::OkStatus();
  }

  const Shows& shows_;
  const ReduceOptions& options_;
  const absl::Time deadline_;
  std::unique_ptr<HloModule> best_;
  int64_t tests_ = 0;
  int64_t improvements_ = 0;
};

}  // namespace

absl::StatusOr<ReduceResult> ReduceModule(const HloModule& module, const Shows& shows, const ReduceOptions& options) {
  return Reduction(module, shows, options).Run();
}

}  // namespace xla
