// An element that is read may be read because the store that writes over it follows in the same run of the same region:
//
//   for %i in 0..8 {                        for %i in 0..8 {
//     for %j in 0..16 {                       %a = load f32 x[%i]
//       %a = load f32 x[%i] ...               store x[%i], %a
//     }                                       for %j in 0..16 {
//     store x[%i], %b                           %c = load f32 x[%i] ...     <- reads what was written
//   }                                         }
//                                           }
//
// That store is the only one of the element, so that no other iteration and no other tile writes it, earlier or at the
// same time. It does not suffice that the same elements are read and written: as in the loops on the right, the order
// matters; and where a store has a predicate, the element may be another store's.
#include "backends/kernel_ir/lowering/in_place.h"

#include <vector>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

// A region, and the number of one of its instructions.
struct Step {
  const KernelRegion* region;
  size_t instruction;
};

struct Access {
  KernelValue element;
  KernelValue predicate;   // kNoValue: always
  std::vector<Step> path;  // from the phase's body to the instruction
};

// What a phase does with the memory that an input and an output share.
struct Accesses {
  std::vector<Access> loads;  // of the input
  absl::flat_hash_map<KernelValue, std::vector<Access>> stores;
  bool reads_output = false;
};

class Collector {
 public:
  Collector(int input, int output) : input_(input), output_(output) {}

  Accesses Collect(const KernelRegion& region) {
    Visit(region);
    return std::move(found_);
  }

 private:
  // Collects loads of the input and loads and stores of the output, each with its path through the regions, which
  // tells later what comes first.
  void Visit(const KernelRegion& region) {
    for (size_t i = 0; i < region.instructions.size(); ++i) {
      const KernelInstruction& instruction = region.instructions[i];
      path_.push_back({&region, i});
      if (instruction.op == KernelOp::kLoad && instruction.buffer == input_) {
        found_.loads.push_back(AccessOf(instruction, 1));
      } else if (instruction.op == KernelOp::kLoad && instruction.buffer == output_) {
        found_.reads_output = true;
      } else if (instruction.op == KernelOp::kStore && instruction.buffer == output_) {
        found_.stores[instruction.operands[0]].push_back(AccessOf(instruction, 2));
      }
      for (const KernelRegion& nested : instruction.regions) Visit(nested);
      path_.pop_back();
    }
  }

  Access AccessOf(const KernelInstruction& instruction, size_t predicate) const {
    const bool always = instruction.operands.size() <= predicate;
    return {instruction.operands[0], always ? kNoValue : instruction.operands[predicate], path_};
  }

  const int input_, output_;
  Accesses found_;
  std::vector<Step> path_;
};

// Whether the store follows the load, in a region that both are in.
bool Follows(const Access& store, const Access& load) {
  for (size_t i = 0; i < store.path.size() && i < load.path.size(); ++i) {
    const Step& stored = store.path[i];
    const Step& loaded = load.path[i];
    if (stored.region != loaded.region) return false;
    if (stored.instruction != loaded.instruction) return stored.instruction > loaded.instruction;
  }
  return false;
}

// Whether the store writes the loaded element whenever the load reads it: in the same run of the store's region, in
// which the load is, too, or in regions within.
bool AlwaysFollows(const Access& store, const Access& load) {
  const size_t depth = store.path.size();
  return load.path.size() >= depth && load.path[depth - 1].region == store.path[depth - 1].region &&
         (store.predicate == kNoValue || store.predicate == load.predicate);
}

// Whether every load of the input is followed by a store to the same element, which nothing else reads: then both may
// be one memory.
bool IsRightWithinPhase(const Accesses& phase) {
  if (phase.loads.empty() || phase.stores.empty()) return true;
  // Such an output is written several times.
  if (phase.reads_output) return false;
  for (const Access& load : phase.loads) {
    const auto stores = phase.stores.find(load.element);
    if (stores == phase.stores.end()) return false;
    bool is_overwritten = false;
    for (const Access& store : stores->second) {
      if (!Follows(store, load)) return false;
      is_overwritten = is_overwritten || AlwaysFollows(store, load);
    }
    if (!is_overwritten) return false;
  }
  return true;
}

}  // namespace

bool IsReadBeforeWritten(const Kernel& kernel, int input, int output) {
  bool is_written = false;
  for (const KernelPhase& phase : kernel.phases) {
    const Accesses accesses = Collector(input, output).Collect(phase.body);
    if (is_written && !accesses.loads.empty()) return false;
    if (!IsRightWithinPhase(accesses)) return false;
    is_written = is_written || !accesses.stores.empty();
  }
  return true;
}

}  // namespace xla
