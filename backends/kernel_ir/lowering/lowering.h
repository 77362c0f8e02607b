// Lowering: a kernel for what a fusion, or an instruction that no library does, computes.
//
// The kernel's caller buffers are, in this order: the inputs, the outputs, and then what the kernel needs beside them
// (LoweredKernel::extras): constants, and *workspaces*, which the caller gives it for the time of a run, with any
// contents: what a phase leaves for a later one. Arrays lie in the order of their shape's layout (none: row-major).
#ifndef BACKENDS_KERNEL_IR_LOWERING_LOWERING_H_
#define BACKENDS_KERNEL_IR_LOWERING_LOWERING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// An array to compute.
struct LoweredOutput {
  const HloInstruction* instruction = nullptr;
  ShapeIndex leaf;       // of an instruction that makes several arrays
  int in_place_of = -1;  // the input whose memory it takes, which has the same number of bytes
};

// Which arrays a kernel is to compute, from which. Instructions between inputs and outputs are computed within the
// kernel; constants need not be inputs.
struct LoweringRequest {
  std::string name;
  // Arrays that are in memory: parameters of a fusion, or instructions such as a dot that a library computes.
  std::vector<const HloInstruction*> inputs;
  // All of one computation.
  std::vector<LoweredOutput> outputs;
};

// What a backend says of its device. It decides over the shape of loops only: never over a bit of a result, as long as
// it says the same each time.
struct LoweringTarget {
  int64_t vector_bytes = 64;
  int64_t cache_bytes = 256 * 1024;  // that a tile has for itself
  int64_t tile_cost = 50'000;        // scalar operations, approximately, of a tile worth scheduling
  int64_t max_tiles = 256;
};

// In which parts long sums, and what else may be combined in any order, are combined: each part by itself first,
// perhaps by tiles of its own, then the results of the parts in order. It is a part of what a kernel computes, as the
// order within a kReduce is, so that all backends use these values whatever their target; smaller ones are for tests,
// so that short sums have several parts.
struct SumOrder {
  int64_t part_work = 50'000;       // elements, approximately, of a part
  int64_t max_parts = 256;          // of all results of an array together
  int64_t near_bytes = 256 * 1024;  // few rows that take no more memory than this are one part
};

// The result of lowering. The kernel's caller buffers are inputs, outputs and `extras`, in this order.
struct LoweredKernel {
  Kernel kernel;
  // The caller buffers after inputs and outputs. A constant's buffer is its literal: row-major, whatever the layout of
  // its shape; nullptr: a workspace.
  std::vector<const HloInstruction*> extras;
};

// Unimplemented, with the reason, for what has no kernel.
absl::StatusOr<LoweredKernel> LowerToKernel(const LoweringRequest& request, const LoweringTarget& target = {},
                                            const SumOrder& order = {});

// Of a fusion or another single instruction: operands are inputs, leaves of the result are outputs. `in_place_of`, if
// it is not empty, has an operand number or -1 for each of these. Unimplemented as above.
absl::StatusOr<LoweringRequest> RequestOf(const HloInstruction& instruction, absl::Span<const int> in_place_of = {});
absl::StatusOr<LoweredKernel> LowerInstruction(const HloInstruction& instruction, const LoweringTarget& target = {},
                                               absl::Span<const int> in_place_of = {}, const SumOrder& order = {});

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_LOWERING_H_
