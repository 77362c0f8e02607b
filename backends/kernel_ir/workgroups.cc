#include "backends/kernel_ir/workgroups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

// Loops of this many iterations are not given up for a longer one around them.
constexpr int64_t kEnough = 32;

bool IsShared(const KernelInstruction& instruction) { return instruction.schedule == LoopSchedule::kInvocations; }

bool HasShared(const KernelRegion& region);
bool HasShared(const KernelInstruction& instruction) {
  return IsShared(instruction) || std::any_of(instruction.regions.begin(), instruction.regions.end(),
                                              [](const KernelRegion& region) { return HasShared(region); });
}
bool HasShared(const KernelRegion& region) {
  return std::any_of(region.instructions.begin(), region.instructions.end(),
                     [](const KernelInstruction& instruction) { return HasShared(instruction); });
}

bool HasStore(const KernelInstruction& instruction) {
  if (instruction.op == KernelOp::kStore) return true;
  for (const KernelRegion& region : instruction.regions) {
    if (std::any_of(region.instructions.begin(), region.instructions.end(), HasStore)) return true;
  }
  return false;
}

// ---- What is shared out.

class Sharing {
 public:
  Sharing(Kernel& kernel, int64_t most) : kernel_(kernel), most_(most) {}

  // The greatest number of iterations or lanes that are shared now; 0: there is nothing to share.
  int64_t ShareOut(KernelRegion& region) {
    int64_t widest = 0;
    for (KernelInstruction& instruction : region.instructions) {
      NoteConstant(instruction);
      widest = std::max(widest, ShareOut(instruction));
    }
    return widest;
  }

  // Puts loops and branches of which no part is shared into a loop of one iteration, which is.
  void LeaveToOne(KernelRegion& region) {
    std::vector<KernelInstruction> instructions;
    for (KernelInstruction& instruction : region.instructions) {
      const bool is_alone = !instruction.regions.empty() && instruction.op != KernelOp::kReduce &&
                            instruction.results.empty() && !HasShared(instruction) && HasStore(instruction);
      if (is_alone) {
        AppendAlone(std::move(instruction), instructions);
        continue;
      }
      if (instruction.op != KernelOp::kReduce && !IsShared(instruction)) {
        for (KernelRegion& nested : instruction.regions) LeaveToOne(nested);
      }
      instructions.push_back(std::move(instruction));
    }
    region.instructions = std::move(instructions);
  }

 private:
  int64_t ShareOut(KernelInstruction& instruction) {
    if (instruction.op == KernelOp::kReduce && instruction.lanes > 1) {
      instruction.schedule = LoopSchedule::kInvocations;
      return instruction.lanes;
    }
    if (instruction.op == KernelOp::kFor && instruction.independent) {
      const int64_t within = WidthOf(instruction.regions[0]);
      const int64_t extent = ExtentOf(instruction);
      if (within < kEnough && extent > within) {
        instruction.schedule = LoopSchedule::kInvocations;
        return extent;
      }
    }
    int64_t widest = 0;
    for (KernelRegion& region : instruction.regions) widest = std::max(widest, ShareOut(region));
    return widest;
  }

  // Of the widest thing in it that could be shared.
  int64_t WidthOf(const KernelRegion& region) {
    int64_t widest = 0;
    for (const KernelInstruction& instruction : region.instructions) {
      NoteConstant(instruction);
      int64_t width = 0;
      if (instruction.op == KernelOp::kReduce && instruction.lanes > 1) width = instruction.lanes;
      if (instruction.op == KernelOp::kFor && instruction.independent) width = ExtentOf(instruction);
      for (const KernelRegion& nested : instruction.regions) width = std::max(width, WidthOf(nested));
      widest = std::max(widest, width);
    }
    return widest;
  }

  // One that is not constant is that of a tile, of which the last may be shorter.
  int64_t ExtentOf(const KernelInstruction& loop) const {
    const auto found = constants_.find(loop.operands[0]);
    return found == constants_.end() ? most_ : found->second;
  }

  void NoteConstant(const KernelInstruction& instruction) {
    if (instruction.op != KernelOp::kConstant || kernel_.TypeOf(instruction.results[0]) != S64) return;
    constants_[instruction.results[0]] = *instruction.literal.data<int64_t>();
  }

  KernelValue NewIndex() {
    kernel_.value_types.push_back(S64);
    if (!kernel_.narrow.empty()) {
      kernel_.narrow.resize(kernel_.value_types.size(), false);
      kernel_.narrow.back() = true;
    }
    return static_cast<KernelValue>(kernel_.value_types.size()) - 1;
  }

  void AppendAlone(KernelInstruction instruction, std::vector<KernelInstruction>& instructions) {
    KernelInstruction one;
    one.op = KernelOp::kConstant;
    one.literal = Literal::Scalar<int64_t>(1);
    one.results = {NewIndex()};
    KernelInstruction loop;
    loop.op = KernelOp::kFor;
    loop.operands = {one.results[0]};
    loop.independent = true;
    loop.schedule = LoopSchedule::kInvocations;
    loop.regions.emplace_back();
    loop.regions[0].arguments = {NewIndex()};
    loop.regions[0].instructions.push_back(std::move(instruction));
    instructions.push_back(std::move(one));
    instructions.push_back(std::move(loop));
  }

  Kernel& kernel_;
  const int64_t most_;
  absl::flat_hash_map<KernelValue, int64_t> constants_;
};

// ---- Barriers.

// How invocations have touched a piece of memory.
enum Touch : unsigned {
  kLoaded = 1,
  kStoredByFirst = 2,   // uniform stores, which invocation 0 does
  kStoredByShares = 4,  // each element by an invocation of its own
};
// By number of the first buffer that shares the memory.
using Touches = std::map<int, unsigned>;

void AddAll(const Touches& from, Touches& to) {
  for (const auto& [memory, touch] : from) to[memory] |= touch;
}

// Whether one invocation may do what `next` says before another one has done what `before` says, which it must not.
bool MustWait(const Touches& before, const Touches& next) {
  constexpr unsigned kStored = kStoredByFirst | kStoredByShares;
  for (const auto& [memory, touch] : next) {
    const auto found = before.find(memory);
    if (found == before.end()) continue;
    const unsigned earlier = found->second;
    if ((touch & kLoaded) != 0 && (earlier & kStored) != 0) return true;
    if ((touch & kStored) != 0 && (earlier & kLoaded) != 0) return true;
    if ((touch & kStoredByFirst) != 0 && (earlier & kStoredByShares) != 0) return true;
    if ((touch & kStoredByShares) != 0 && (earlier & kStored) != 0) return true;
  }
  return false;
}

// Goes through uniform code in order, with what was touched since the last barrier on any path. A shared loop and a
// reduce are one step. Iterations of an independent loop touch different elements, so that only what comes before the
// loop matters to them; of another loop each comes after all others.
class BarrierWriter {
 public:
  explicit BarrierWriter(const Kernel& kernel) {
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      const int32_t same = kernel.buffers[i].same_memory_as;
      memory_.push_back(same < 0 ? static_cast<int>(i) : memory_[same]);
    }
  }

  void Write(KernelRegion& region) {
    Touches touches;
    Write(region, touches);
  }

 private:
  void Write(KernelRegion& region, Touches& touches) {
    std::vector<KernelInstruction> instructions;
    for (KernelInstruction& instruction : region.instructions) {
      const bool is_step = instruction.regions.empty() || IsShared(instruction) || instruction.op == KernelOp::kReduce;
      if (is_step) {
        const Touches own = TouchesOf(instruction);
        if (MustWait(touches, own)) {
          instructions.emplace_back().op = KernelOp::kBarrier;
          touches.clear();
        }
        AddAll(own, touches);
      } else {
        WriteWithin(instruction, touches);
      }
      instructions.push_back(std::move(instruction));
    }
    region.instructions = std::move(instructions);
  }

  void WriteWithin(KernelInstruction& instruction, Touches& touches) {
    const Touches own = TouchesOf(instruction);
    const bool repeats = instruction.op == KernelOp::kWhile || !instruction.independent;
    if (instruction.op != KernelOp::kIf && repeats) AddAll(own, touches);
    Touches after;
    for (KernelRegion& region : instruction.regions) {
      Touches within = touches;
      Write(region, within);
      AddAll(within, after);
    }
    if (instruction.op == KernelOp::kIf) {
      touches = std::move(after);
    } else {
      AddAll(own, touches);
    }
  }

  Touches TouchesOf(const KernelInstruction& instruction) const {
    Touches touches;
    Collect(instruction, IsShared(instruction), touches);
    return touches;
  }

  void Collect(const KernelInstruction& instruction, bool is_shared, Touches& touches) const {
    if (instruction.op == KernelOp::kLoad) touches[memory_[instruction.buffer]] |= kLoaded;
    if (instruction.op == KernelOp::kStore) {
      touches[memory_[instruction.buffer]] |= is_shared ? kStoredByShares : kStoredByFirst;
    }
    for (const KernelRegion& region : instruction.regions) {
      for (const KernelInstruction& nested : region.instructions) {
        Collect(nested, is_shared || IsShared(nested), touches);
      }
    }
  }

  std::vector<int> memory_;  // by buffer
};

int64_t PowerOfTwoFrom(int64_t n, int64_t most) {
  int64_t power = 1;
  while (power < n && 2 * power <= most) power *= 2;
  return power;
}

void CollectBuffers(const KernelRegion& region, std::set<int>& buffers) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.buffer >= 0) buffers.insert(instruction.buffer);
    for (const KernelRegion& nested : instruction.regions) CollectBuffers(nested, buffers);
  }
}

int64_t BytesOfLanes(const Kernel& kernel, const KernelRegion& region) {
  int64_t most = 0;
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kReduce && IsShared(instruction)) {
      int64_t bytes = 0;
      for (const KernelValue result : instruction.results) bytes += ByteWidth(kernel.TypeOf(result));
      most = std::max(most, bytes * instruction.lanes);
    }
    for (const KernelRegion& nested : instruction.regions) most = std::max(most, BytesOfLanes(kernel, nested));
  }
  return most;
}

}  // namespace

std::set<int> BuffersOf(const KernelPhase& phase) {
  std::set<int> buffers;
  CollectBuffers(phase.body, buffers);
  return buffers;
}

int64_t SharedBytes(const Kernel& kernel, const KernelPhase& phase) {
  int64_t bytes = BytesOfLanes(kernel, phase.body);
  for (const int i : BuffersOf(phase)) {
    const KernelBuffer& buffer = kernel.buffers[i];
    if (buffer.use == KernelBuffer::Use::kScratch) bytes += buffer.element_count * ByteWidth(buffer.type);
  }
  return bytes;
}

void MakeWorkgroups(Kernel& kernel, int64_t max_invocations) {
  if (max_invocations < 2) return;
  BarrierWriter barriers(kernel);
  for (KernelPhase& phase : kernel.phases) {
    if (phase.invocations > 1) continue;
    Sharing sharing(kernel, max_invocations);
    const int64_t width = sharing.ShareOut(phase.body);
    if (width < 2) continue;
    phase.invocations = PowerOfTwoFrom(width, max_invocations);
    sharing.LeaveToOne(phase.body);
    barriers.Write(phase.body);
  }
}

}  // namespace xla
