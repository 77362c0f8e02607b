// What a KernelBuilder remembers. Internal to its source files.
#ifndef BACKENDS_KERNEL_IR_KERNEL_BUILDER_STATE_H_
#define BACKENDS_KERNEL_IR_KERNEL_BUILDER_STATE_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "backends/kernel_ir/kernel_builder.h"

namespace xla {

// Of one value; what does not apply to its type is as here.
struct KernelBuilder::Facts {
  IndexRange range;
  // The sum of s64 values that an integer of any type is: of numbers, not of numbers modulo a power of two.
  absl::optional<IndexForm> form;
  // A kQuotient or kRemainder is that of `dividend` by `divisor`.
  KernelOp op = KernelOp::kConstant;
  KernelValue dividend = kNoValue;
  int64_t divisor = 0;
  absl::optional<bool> predicate;
};

// A region that is being written.
struct KernelBuilder::Scope {
  KernelRegion region;
  absl::flat_hash_map<std::string, KernelValue> made;  // by instruction
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_KERNEL_BUILDER_STATE_H_
