// BufferCall: a custom call that works on plain memory, so that the interpreter and compiled programs run the same
// code.
//
// Making one checks what the call says once: operands, results, attributes, the sizes of scratch memory. After that it
// no longer refers to the instruction, and runs as often as wanted, on several threads at once.
#ifndef XLA_CORE_OPS_BUFFER_CALL_H_
#define XLA_CORE_OPS_BUFFER_CALL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Where the elements of operands and results are: row-major as in literals, or in the order of the layouts of their
// shapes (row-major where there is none).
enum class ArrayOrder { kAsInLiteral, kAsWritten };

// A call that has been checked and planned: immutable, without reference to the instruction, and thread-safe. What
// goes wrong with the values (a matrix that is singular) is told by results such as `info`, never by an error.
class BufferCall {
 public:
  struct Memory {
    const void* const* operands;
    void* const* results;  // of a tuple its elements, else the one array
    void* scratch;         // scratch_bytes() with any contents, 64-byte aligned
  };

  virtual ~BufferCall() = default;
  BufferCall(const BufferCall&) = delete;
  BufferCall& operator=(const BufferCall&) = delete;

  // The work is so many parts that do not depend on each other: the elements of a batch.
  int64_t part_count() const { return part_count_; }
  // What one part takes at least, in scalar operations, approximately.
  double part_cost() const { return part_cost_; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Whether the operand may lie exactly where the result does. In any other way they must not overlap.
  bool MayLieInPlace(int operand, int result) const;

  // Computes part `part` of all results, every byte of them.
  virtual void RunPart(int64_t part, const Memory& memory) const = 0;

 protected:
  BufferCall() = default;

  int64_t part_count_ = 1;
  double part_cost_ = 1;
  int64_t scratch_bytes_ = 0;
  std::vector<std::pair<int, int>> in_place_;  // operand, result
};

// InvalidArgument, without the names of instruction and target, if the call is not as the target requires it. Operands
// and results must not have dynamic dimensions without a bound.
using MakeBufferCall = absl::StatusOr<std::unique_ptr<BufferCall>> (*)(const HloInstruction& call, ArrayOrder order);

// A custom-call target, by the name that programs write, and the function that checks a call of it.
struct BufferCallTarget {
  std::string name;
  MakeBufferCall make;
};

// LAPACK's targets and XLA's own that do linear algebra.
const std::vector<BufferCallTarget>& BufferCallTargets();
// nullptr if the target is none of them.
MakeBufferCall FindBufferCall(absl::string_view target);

}  // namespace xla

#endif  // XLA_CORE_OPS_BUFFER_CALL_H_
