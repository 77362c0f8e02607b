// Kernel IR: what a fusion, or another operation that backends have no library for, becomes before it becomes machine
// code: loops over scalar expressions.
//
//   kernel add_rows(x: f32[1024] read, y: f32[32] read, z: f32[1024] write) {
//     phase tiles=4 (%t: s64) {
//       for %i in 0..8 {
//         %row = affine 8*%t + %i
//         for %j in 0..32 independent vector {
//           %a = load f32 x[32*%row + %j]
//           %b = load f32 y[%j]
//           %c = add f32 %a, %b
//           store z[32*%row + %j], %c
//         }
//       }
//     }
//   }
//
// A *kernel* runs its phases one after the other; the *tiles* of a phase may run at the same time and in any order, and
// their number belongs to the kernel, not to the machine. A tile is a *region*: instructions in order, some of which
// have regions of their own. Every instruction's results are *values*: scalars, assigned once, visible after their
// definition in its region and the regions within.
//
// *Buffers* are arrays in memory, addressed by the number of an element; a buffer that is *scratch* belongs to the tile
// that runs and holds nothing when it begins. Elements are stored as in a Literal: narrow types take a byte each.
//
// Scalar arithmetic is that of HLO: kElementwise means what the op table says of its opcode, in the type of its
// operands; a sum of two bf16 is rounded to bf16. No product and sum are one kMultiplyAdd unless the kernel says so.
// Index arithmetic is in s64, with instructions of its own that say
// more than HLO could: no overflow, no negative dividend. The order of every reduction is part of the kernel, so that
// its result does not depend on how it is scheduled: not on vector lengths, unrolling or threads.
//
// A device that runs many threads in step gives a tile not to one thread but to a *workgroup*: KernelPhase::invocations
// of them, which share the tile's scratch. workgroups.h makes such phases of others. In them
//   - iteration i of a loop with the schedule kInvocations is run by invocation i mod `invocations`, and so is lane i
//     of a reduce with that schedule. What is within such a loop, or in the regions of such a reduce, is run by the
//     one invocation alone, as one thread would run it. It contains neither a barrier nor a further schedule of this
//     kind.
//   - All else is *uniform*: every invocation runs it and has the same values, also the results of reduces; but a
//     store there happens once, by invocation 0.
//   - Between an access to an element and another one, of which at least one stores, a kBarrier stands unless both
//     belong to the same iteration, lane or invocation 0. It stands in uniform code, outside of reduces. So whatever
//     invocations do between two barriers, they may do in any order.
// A printer may rely on that, and on no tile having to wait for another one. It adds the barriers that it needs within a
// reduce itself. Tiles of one invocation that use no scratch may be the invocations of a workgroup.
#ifndef BACKENDS_KERNEL_IR_KERNEL_H_
#define BACKENDS_KERNEL_IR_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// A place in Kernel::value_types.
using KernelValue = int32_t;
inline constexpr KernelValue kNoValue = -1;

// All instructions there are. Those for indices are apart from kElementwise because their promises (no overflow, no
// negative dividend) let a code generator find runs, gathers and known multiples.
enum class KernelOp : uint8_t {
  // ---- Values. One result.
  kConstant,     // `literal`, a scalar of the result's type
  kElementwise,  // `opcode` of the operands: IsElementwise, or a bitcast-convert of one element to one
  kMultiplyAdd,  // operand 0 * operand 1 + operand 2, rounded once: all f32, or all f64
  // ---- Indices: s64 that do not overflow.
  kAffine,     // `constant` + the sum of coefficients[i] * operand i
  kQuotient,   // operand 0, which is not negative, / `constant`, which is positive
  kRemainder,  // operand 0, which is not negative, mod `constant`, which is positive
  kInRange,    // pred: constant <= operand 0 <= constant2
  // ---- Memory. The element number (operand 0) is within the buffer wherever the predicate holds.
  kLoad,     // operands: element number[, predicate, what the result is where that does not hold]
  kStore,    // operands: element number, value[, predicate]. No result
  kBarrier,  // waits until all invocations of the tile are here, and sees what they stored. Neither operands nor
             // results
  // ---- Control.
  kFor,     // see below
  kReduce,  // see below
  kIf,      // operand: pred. Regions without arguments: then, else. Results: those of the region that runs
  kWhile,   // operands: initial state. Regions with the state as arguments: condition (result: pred), body
};

struct KernelInstruction;

// A list of instructions with arguments and results: the body of a phase, a loop, a branch or a combiner. Results are
// values that can be seen at its end; their types are those of the arguments or results that take them.
struct KernelRegion {
  std::vector<KernelValue> arguments;
  std::vector<KernelInstruction> instructions;
  std::vector<KernelValue> results;
};

// How a backend should run a loop, or the lanes of a reduce; means nothing for what it computes.
enum class LoopSchedule : uint8_t {
  kPlain,
  kVector,       // several iterations at once, in the lanes of vectors. Of `independent` loops only
  kUnroll,       // all iterations one after the other, without a loop
  kInvocations,  // shared out among the invocations of a workgroup. Of `independent` loops, and of reduces with lanes
};

// kFor: region 0, with the index as the first argument, once for each index 0 <= i < operand 0, in order. What follows
// operand 0 is state: the further arguments of the first iteration; the results of an iteration are the arguments of
// the next, and those of the last the loop's results. An `independent` loop has no state, and no iteration reads or
// writes an element that another one writes: it may run in any order.
//
// kReduce: combines values over all indices of `extents`, row-major. Region 0 (arguments: an index for each extent)
// makes the n values of an element, without stores. Region 1 (arguments: n values, n others; n results) combines two.
// Operands: n initial values, then n neutral ones, unless `lanes` is 1. With one lane the elements are combined in
// order, the initial values on the left of all. Otherwise, with L lanes, a power of two, element number e goes to lane
// i mod L, where i is its index in the last extent; each lane begins with the neutral values and combines its own
// elements in order, on the right; then lane j takes in lane j + L / 2 on its right, and so on with half as many, down
// to one; and the initial values combine on the left of that. All this holds whether or not the neutral values are:
// they must not be combined in where there is no element, unless that is known to change no bit.
struct KernelInstruction {
  KernelOp op = KernelOp::kConstant;
  absl::InlinedVector<KernelValue, 1> results;
  absl::InlinedVector<KernelValue, 3> operands;

  // kElementwise.
  HloOpcode opcode = HloOpcode::kCopy;
  ComparisonDirection direction = ComparisonDirection::kEq;  // compare
  bool total_order = false;                                  // compare: floats as in IEEE 754's totalOrder
  int32_t exponent_bits = 0;                                 // reduce-precision
  int32_t mantissa_bits = 0;

  Literal literal;                    // kConstant
  int64_t constant = 0;               // kAffine, kQuotient, kRemainder, kInRange
  int64_t constant2 = 0;              // kInRange
  std::vector<int64_t> coefficients;  // kAffine
  int32_t buffer = -1;                // kLoad, kStore
  std::vector<KernelRegion> regions;

  // kFor
  bool independent = false;
  // kFor, kReduce (kPlain or kInvocations)
  LoopSchedule schedule = LoopSchedule::kPlain;
  // kReduce
  std::vector<int64_t> extents;
  int64_t lanes = 1;
};

// An array in memory that loads and stores of the kernel name by its place in Kernel::buffers.
struct KernelBuffer {
  // kWrite: holds nothing when the kernel begins, like scratch, except for the caller.
  enum class Use : uint8_t { kRead, kWrite, kReadWrite, kScratch };
  std::string name;
  PrimitiveType type = F32;
  int64_t element_count = 0;
  Use use = Use::kRead;
  // The same memory as an earlier buffer's, as where a result takes an operand's place; -1: no memory is shared.
  int32_t same_memory_as = -1;
};

// All tiles of a phase end before the next phase begins, so a phase may read what any tile of an earlier one has
// written. Scratch does not live on from one phase to the next.
struct KernelPhase {
  int64_t tile_count = 1;
  KernelRegion body;        // argument: the tile's number
  int64_t invocations = 1;  // that run a tile together
};

// A value type without references to the module that it was lowered from. Valid if VerifyKernel says so; it need not
// be while it is being built.
struct Kernel {
  std::string name;
  // Those of the caller first, in the order in which it passes them, then scratch.
  std::vector<KernelBuffer> buffers;
  std::vector<KernelPhase> phases;
  std::vector<PrimitiveType> value_types;  // by KernelValue
  // By KernelValue, of type s64: whether it is known that 32 bits hold it, so that devices may compute it in so many. A
  // sum of which that is known needs no more of its terms than their lowest 32 bits either; a quotient, remainder or
  // comparison needs all of its operand. What is beyond the end is not known; kernels for other devices have none.
  std::vector<bool> narrow;

  bool IsNarrow(KernelValue value) const { return value < static_cast<KernelValue>(narrow.size()) && narrow[value]; }
  PrimitiveType TypeOf(KernelValue value) const { return value_types[value]; }
  // How many buffers the caller passes.
  int CallerBufferCount() const;
  // Bytes of all scratch, each buffer at a multiple of 64; INT64_MAX if they are more than that.
  int64_t ScratchBytes() const;
  // Where a scratch buffer begins in the memory of all scratch, in bytes.
  int64_t ScratchOffset(int buffer) const;
};

// The kernel as text, the form of the example above. Values are numbered in order of their definition; affine sums and
// s64 constants stand where they are used if that is in brackets or a loop's extent. Constants show all their bits. A
// narrow value is defined as %1:32.
std::string KernelToString(const Kernel& kernel);

// The same without the names of the kernel and of its buffers: equal for kernels that do the same in the same way.
std::string AnonymousKernelToString(const Kernel& kernel);

// Everything that this file promises: types, visibility of values, regions' arguments and results; elements within
// buffers and independence as far as they can be told. Internal: a kernel that was lowered wrongly, and where.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_KERNEL_H_
