// ElementwiseKernel: one elementwise instruction with its types resolved, ready to run over elements.
//
// Only pred, the byte-sized integers, f32, f64 and complex types have loops of their own. A narrow float is decoded to
// f32, computed with and encoded again, a few hundred elements at a time; sub-byte integers are computed in a byte and
// wrapped to their width. So are inputs that are one scalar for all elements spread, and strided ones gathered. Making
// a kernel costs a few table look-ups and no memory.
#ifndef XLA_CORE_OPS_ELEMENTWISE_KERNEL_H_
#define XLA_CORE_OPS_ELEMENTWISE_KERNEL_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/elementwise_loops.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {

// A small value that may be copied and kept: it does not refer to the instruction that it was made from.
class ElementwiseKernel {
 public:
  static constexpr int kMaxArity = 3;
  // Inputs that are not dense are copied into scratch of this many elements.
  static constexpr int64_t kChunk = 256;

  // The kernel of a verified instruction whose opcode IsElementwise, or that is a bitcast-convert between types of
  // equal width; nullopt for any other.
  static absl::optional<ElementwiseKernel> For(const HloInstruction& instruction);

  // The kernel that returns its one input.
  static ElementwiseKernel Copy(PrimitiveType type);

  int arity() const { return arity_; }
  PrimitiveType result_type() const { return result_type_; }

  // Computes n elements into `result`, which is dense and may be the same memory as dense inputs of equal width.
  // Thread-safe.
  void Run(int64_t n, const LaneInput* inputs, void* result) const {
    const void* dense[kMaxArity];
    if (AllDense(n, inputs, dense)) {
      loop_(parameters_, n, dense, result);
    } else {
      RunInChunks(n, inputs, result);
    }
  }

 private:
  enum class ResultForm : uint8_t { kAsComputed, kEncode, kWrap };

  ElementwiseKernel(absl::Span<const PrimitiveType> operand_types, PrimitiveType result_type, ElementwiseLoop loop,
                    LoopParameters parameters);
  ElementwiseKernel(const HloInstruction& instruction, ElementwiseLoop loop, LoopParameters parameters);

  static ElementwiseKernel OfRow(const HloInstruction& instruction);
  // Lets the loop see narrow floats as f32 and, if the result is one, give it as f32.
  ElementwiseKernel& WithNarrowFloatsDecoded();
  ElementwiseKernel& WithSubByteResultWrapped();
  bool AllDense(int64_t n, const LaneInput* inputs, const void** dense) const {
    if (!is_plain_) return false;
    for (int i = 0; i < arity_; ++i) {
      if (inputs[i].stride != operand_width_[i] && n != 1) return false;
      dense[i] = inputs[i].data;
    }
    return true;
  }
  void RunInChunks(int64_t n, const LaneInput* inputs, void* result) const;
  const void* PrepareInput(int i, const LaneInput& input, int64_t begin, int64_t count, char* scratch) const;

  ElementwiseLoop loop_;
  LoopParameters parameters_;
  int arity_;
  int operand_width_[kMaxArity];  // bytes as stored
  PrimitiveType operand_type_[kMaxArity];
  bool decode_[kMaxArity] = {};
  PrimitiveType result_type_;
  ResultForm result_form_ = ResultForm::kAsComputed;
  bool is_plain_ = true;  // the loop reads and writes what is stored
};

// ---- The loops of operations that are not rows of elementwise.def, each in the file of its operation.

ElementwiseLoop FindCompareLoop(const HloInstruction& instruction);  // compare.cc
ElementwiseLoop FindSelectLoop(PrimitiveType type);                  // select.cc: by width
ElementwiseLoop FindClampLoop(PrimitiveType type);                   // clamp.cc: `type` is not a narrow float
void ReducePrecisionLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result);
void StochasticConvertLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result);

}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENTWISE_KERNEL_H_
