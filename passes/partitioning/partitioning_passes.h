// The rows of the pass table for the passes of this folder.
#ifndef PASSES_PARTITIONING_PARTITIONING_PASSES_H_
#define PASSES_PARTITIONING_PARTITIONING_PASSES_H_

#include "absl/types/span.h"
#include "passes/base/pass.h"

namespace xla {

absl::Span<const Pass> PartitioningPasses();

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITIONING_PASSES_H_
