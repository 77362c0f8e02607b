// The memory that a device needs at least for its part of a program on whole arrays.
#ifndef TESTS_PARTITIONING_IDEAL_SHARE_H_
#define TESTS_PARTITIONING_IDEAL_SHARE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Of a program over `devices`: the most bytes live at once if each value were its shard, as propagation cuts it, and
// moving took no memory, in the order of instructions that schedule-for-memory finds. The errors are those of the
// passes.
absl::StatusOr<double> IdealShareOf(const HloModule& module, int64_t devices);

// The most bytes live at once in a program in which each computation has one caller (flatten-call-graph), arguments and
// results among them.
absl::StatusOr<double> PeakBytesOf(const HloModule& module);

}  // namespace xla

#endif  // TESTS_PARTITIONING_IDEAL_SHARE_H_
