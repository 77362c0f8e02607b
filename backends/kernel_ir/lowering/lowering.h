// Lowering: a kernel for what a fusion, or an instruction that no library does, computes.
//
// The kernel's caller buffers are, in this order: the inputs, the outputs, and then what the kernel needs beside them
// (LoweredKernel::extras): constants, and *workspaces*, which the caller gives it for the time of a run, with any
// contents: what a phase leaves for a later one. Arrays lie in the order of their shape's layout (none: row-major).
#ifndef BACKENDS_KERNEL_IR_LOWERING_LOWERING_H_
#define BACKENDS_KERNEL_IR_LOWERING_LOWERING_H_

#include <cstdint>
#include <limits>
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

// What a backend says of its device. It decides over loops, tiles and scratch only: never over a bit of a result. The
// values here are those of a processor with some threads.
struct LoweringTarget {
  // Of a device whose tiles are run by workgroups of at most this many invocations, with at most this much scratch.
  static LoweringTarget Workgroups(int64_t invocations, int64_t shared_bytes);

  int64_t tile_cost = 50'000;  // scalar operations, approximately, of a tile worth scheduling
  int64_t max_tiles = 256;     // of a phase, unless each of its tiles is as small as it can be
  int64_t tile_grain = 64;     // elements: tiles of loops over elements have a multiple of them
  int64_t few_tiles = 16;      // of a nest that moves memory block by block: blocks are fewer at once to have so many
  int64_t invocations = 1;     // of a tile (workgroups.h)
  int64_t register_tile = 1;   // rows and columns of a product that one invocation computes at once, at most
  bool sorts = false;          // a sort has a kernel (sort_nest.h)
  int64_t page_bytes = 4096;   // buffers whose places in pages differ do not compete for a cache; 1: none is

  // Scratch: of rows that are computed once and read several times; of what sliding windows have in common, what is
  // aimed at for each buffer and what all of them may need together.
  int64_t kept_bytes = 256 * 1024;
  int64_t window_bytes = 12 * 1024;
  int64_t windows_bytes = 1024 * 1024;
  // More scratch than this is memory like any other (spill_scratch.h).
  int64_t shared_bytes = std::numeric_limits<int64_t>::max();
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
