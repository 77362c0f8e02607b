// Kernels by what they were lowered from: programs of many equal layers have the same fusions again and again, and to
// lower one takes far longer than to see that it is the same.
#ifndef BACKENDS_KERNEL_IR_LOWERING_LOWERING_CACHE_H_
#define BACKENDS_KERNEL_IR_LOWERING_LOWERING_CACHE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// For one target, one order and the modules of one compilation. Gives what LowerToKernel and LowerInstruction give, but
// that buffers of a kernel may be called as those of an equal one.
class LoweringCache {
 public:
  explicit LoweringCache(const LoweringTarget& target = {}, const SumOrder& order = {})
      : target_(target), order_(order) {}

  absl::StatusOr<LoweredKernel> Lower(const LoweringRequest& request);
  absl::StatusOr<LoweredKernel> LowerInstruction(const HloInstruction& instruction, absl::Span<const int> in_place_of);

  int64_t hits() const { return hits_; }

 private:
  struct Entry {
    Kernel kernel;
    std::vector<int> extras;  // places of instructions in the fusion's computation; -1: a workspace
  };

  const LoweringTarget target_;
  const SumOrder order_;
  absl::flat_hash_map<std::string, Entry> entries_;
  int64_t hits_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_LOWERING_CACHE_H_
