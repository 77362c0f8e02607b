// A value of the loop's body becomes one for each iteration, its *copies*, unless it is the same in all. Copies of an
// index mostly differ by constants: then all but the first are sums of that one and a constant, so that addresses are
// computed once.
#include "backends/kernel_ir/jam_loops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/kernel_ir/drop_unused.h"

namespace xla {
namespace {

using Instructions = std::vector<KernelInstruction>;

// Jams one loop.
class Jammer {
 public:
  Jammer(Kernel& kernel, int64_t count) : kernel_(kernel), count_(static_cast<size_t>(count)) {}

  void Jam(KernelRegion body, Instructions& out) {
    Copies& index = copies_[body.arguments[0]];
    for (size_t c = 0; c < count_; ++c) {
      KernelInstruction& constant = out.emplace_back();
      constant.op = KernelOp::kConstant;
      constant.literal = Literal::Scalar<int64_t>(static_cast<int64_t>(c));
      constant.results = {NewValue(S64, /*is_narrow=*/true)};
      index.values.push_back(constant.results[0]);
      index.offsets.push_back(static_cast<int64_t>(c));
    }
    JamInstructions(std::move(body.instructions), out);
  }

 private:
  struct Copies {
    std::vector<KernelValue> values;
    std::vector<int64_t> offsets;  // from the first copy, of an index; empty: not known
  };

  KernelValue NewValue(PrimitiveType type, bool is_narrow) {
    kernel_.value_types.push_back(type);
    const auto value = static_cast<KernelValue>(kernel_.value_types.size()) - 1;
    if (!kernel_.narrow.empty()) {
      kernel_.narrow.resize(kernel_.value_types.size(), false);
      kernel_.narrow[value] = is_narrow;
    }
    return value;
  }
  KernelValue NewLike(KernelValue value) { return NewValue(kernel_.TypeOf(value), kernel_.IsNarrow(value)); }

  bool HasCopies(KernelValue value) const { return copies_.contains(value); }
  KernelValue CopyOf(KernelValue value, size_t c) const {
    const auto found = copies_.find(value);
    return found == copies_.end() ? value : found->second.values[c];
  }
  // New values, which are the copies of `values` from now on: iteration after iteration.
  template <typename Values>
  Values NewCopies(const Values& values) {
    Values all;
    for (size_t c = 0; c < count_; ++c) {
      for (const KernelValue value : values) {
        all.push_back(NewLike(value));
        copies_[value].values.push_back(all.back());
      }
    }
    return all;
  }
  template <typename Values>
  Values AllCopies(const Values& values) const {
    Values all;
    for (size_t c = 0; c < count_; ++c) {
      for (const KernelValue value : values) all.push_back(CopyOf(value, c));
    }
    return all;
  }

  template <typename Values>
  bool AnyHasCopies(const Values& values) const {
    return std::any_of(values.begin(), values.end(), [&](KernelValue value) { return HasCopies(value); });
  }
  // Whether iterations do not all do the same, or store.
  bool Differs(const KernelInstruction& instruction) const {
    if (instruction.op == KernelOp::kStore || AnyHasCopies(instruction.operands)) return true;
    return std::any_of(instruction.regions.begin(), instruction.regions.end(), [&](const KernelRegion& region) {
      return AnyHasCopies(region.results) ||
             std::any_of(region.instructions.begin(), region.instructions.end(),
                         [&](const KernelInstruction& nested) { return Differs(nested); });
    });
  }

  void JamInstructions(Instructions from, Instructions& out) {
    for (KernelInstruction& instruction : from) {
      if (!Differs(instruction)) {
        out.push_back(std::move(instruction));
      } else if (instruction.op == KernelOp::kAffine) {
        JamAffine(instruction, out);
      } else if (instruction.regions.empty() || !IsAsOften(instruction)) {
        for (size_t c = 0; c < count_; ++c) out.push_back(CloneFor(instruction, c));
      } else {
        JamControl(std::move(instruction), out);
      }
    }
  }

  // Whether an instruction with regions runs these equally often in all iterations.
  bool IsAsOften(const KernelInstruction& instruction) const {
    if (instruction.op == KernelOp::kReduce) return true;
    return instruction.op != KernelOp::kWhile && !HasCopies(instruction.operands[0]);
  }

  void JamAffine(const KernelInstruction& instruction, Instructions& out) {
    std::vector<int64_t> offsets(count_, 0);
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const auto found = copies_.find(instruction.operands[i]);
      if (found == copies_.end()) continue;
      if (found->second.offsets.empty()) {
        for (size_t c = 0; c < count_; ++c) out.push_back(CloneFor(instruction, c));
        return;
      }
      for (size_t c = 0; c < count_; ++c) offsets[c] += instruction.coefficients[i] * found->second.offsets[c];
    }
    const KernelValue result = instruction.results[0];
    Copies copies;
    for (size_t c = 0; c < count_; ++c) {
      if (c == 0) {
        out.push_back(CloneFor(instruction, 0));
        copies.values = {out.back().results[0]};
        continue;
      }
      KernelInstruction& sum = out.emplace_back();
      sum.op = KernelOp::kAffine;
      sum.operands = {copies.values[0]};
      sum.coefficients = {1};
      sum.constant = offsets[c];
      sum.results = {NewLike(result)};
      copies.values.push_back(sum.results[0]);
    }
    copies.offsets = std::move(offsets);
    copies_[result] = std::move(copies);
  }

  // One for all iterations, whose state, initial values and results are those of the first iteration, then those of the
  // second one ...
  void JamControl(KernelInstruction instruction, Instructions& out) {
    const bool is_reduce = instruction.op == KernelOp::kReduce;
    const bool is_loop = instruction.op == KernelOp::kFor;
    KernelInstruction jammed = std::move(instruction);
    absl::InlinedVector<KernelValue, 3> operands;
    const size_t results = jammed.results.size();
    if (is_reduce) {
      const absl::InlinedVector<KernelValue, 3> initial(jammed.operands.begin(), jammed.operands.begin() + results);
      const absl::InlinedVector<KernelValue, 3> neutral(jammed.operands.begin() + results, jammed.operands.end());
      operands = AllCopies(initial);
      const auto all_neutral = AllCopies(neutral);
      operands.insert(operands.end(), all_neutral.begin(), all_neutral.end());
    } else {
      const absl::InlinedVector<KernelValue, 3> state(jammed.operands.begin() + 1, jammed.operands.end());
      operands = AllCopies(state);
      operands.insert(operands.begin(), jammed.operands[0]);
    }
    jammed.operands = std::move(operands);
    for (size_t r = 0; r < jammed.regions.size(); ++r) {
      KernelRegion& region = jammed.regions[r];
      // Arguments that are the same for all: an index, or those of a reduce's elements.
      const size_t shared = is_loop ? 1 : is_reduce && r == 0 ? region.arguments.size() : 0;
      std::vector<KernelValue> arguments(region.arguments.begin(), region.arguments.begin() + shared);
      for (size_t from = shared; from < region.arguments.size(); from += results) {
        const std::vector<KernelValue> group(region.arguments.begin() + from,
                                             region.arguments.begin() + from + results);
        const std::vector<KernelValue> copies = NewCopies(group);
        arguments.insert(arguments.end(), copies.begin(), copies.end());
      }
      region.arguments = std::move(arguments);
      Instructions within;
      JamInstructions(std::move(region.instructions), within);
      region.instructions = std::move(within);
      region.results = AllCopies(region.results);
    }
    jammed.results = NewCopies(jammed.results);
    out.push_back(std::move(jammed));
  }

  // The instruction as iteration `c` has it. What it defines becomes a copy, or within its regions is renamed.
  KernelInstruction CloneFor(const KernelInstruction& instruction, size_t c) {
    KernelInstruction clone = instruction;
    absl::flat_hash_map<KernelValue, KernelValue> renamed;
    RenameWithin(clone, c, renamed);
    for (KernelValue& result : clone.results) {
      const KernelValue copy = NewLike(result);
      copies_[result].values.push_back(copy);
      result = copy;
    }
    return clone;
  }

  // All but the results, which belong to the region around.
  void RenameWithin(KernelInstruction& instruction, size_t c, absl::flat_hash_map<KernelValue, KernelValue>& renamed) {
    const auto use = [&](KernelValue& value) {
      const auto found = renamed.find(value);
      value = found != renamed.end() ? found->second : CopyOf(value, c);
    };
    const auto define = [&](KernelValue& value) { value = renamed[value] = NewLike(value); };
    for (KernelValue& operand : instruction.operands) use(operand);
    for (KernelRegion& region : instruction.regions) {
      for (KernelValue& argument : region.arguments) define(argument);
      for (KernelInstruction& nested : region.instructions) {
        RenameWithin(nested, c, renamed);
        for (KernelValue& result : nested.results) define(result);
      }
      for (KernelValue& result : region.results) use(result);
    }
  }

  Kernel& kernel_;
  const size_t count_;
  absl::flat_hash_map<KernelValue, Copies> copies_;
};

// Goes through a kernel from the inside out.
class LoopFinder {
 public:
  LoopFinder(Kernel& kernel, int64_t most) : kernel_(kernel), most_(most) {}

  // Whether anything was jammed.
  bool Run() {
    for (KernelPhase& phase : kernel_.phases) JamWithin(phase.body);
    return found_;
  }

 private:
  void JamWithin(KernelRegion& region) {
    Instructions out;
    for (KernelInstruction& instruction : region.instructions) {
      if (instruction.op == KernelOp::kConstant && kernel_.TypeOf(instruction.results[0]) == S64) {
        constants_[instruction.results[0]] = *instruction.literal.data<int64_t>();
      }
      for (KernelRegion& nested : instruction.regions) JamWithin(nested);
      if (!IsJammed(instruction)) {
        out.push_back(std::move(instruction));
        continue;
      }
      found_ = true;
      Jammer(kernel_, constants_.at(instruction.operands[0])).Jam(std::move(instruction.regions[0]), out);
    }
    region.instructions = std::move(out);
  }

  bool IsJammed(const KernelInstruction& instruction) const {
    if (instruction.op != KernelOp::kFor || !instruction.independent || instruction.schedule != LoopSchedule::kUnroll) {
      return false;
    }
    const auto extent = constants_.find(instruction.operands[0]);
    return extent != constants_.end() && extent->second <= most_;
  }

  Kernel& kernel_;
  const int64_t most_;
  bool found_ = false;
  absl::flat_hash_map<KernelValue, int64_t> constants_;
};

}  // namespace

void JamLoops(Kernel& kernel, int64_t most_iterations) {
  if (LoopFinder(kernel, most_iterations).Run()) DropUnused(kernel);
}

}  // namespace xla
