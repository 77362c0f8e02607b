// PhaseEmitter: the body of a phase as SPIR-V, one instruction of kernel IR after the other.
//
// Indices are s64 in kernel IR. Where their range shows that a word holds them, as nearly always, arithmetic on them is
// that of words.
//
// The invocations of the workgroup share a tile. All of them run its instructions, with the same values, except that
//   - an independent loop divides its iterations among them: within it, each runs by itself;
//   - a store outside of such loops is the first invocation's.
// Between two accesses to memory that may be of the same element, one of them a store, there is a barrier. All branches
// outside of independent loops go the same way in all invocations, so that each barrier is met by all of them.
#ifndef BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_
#define BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/index_form.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/scalar_code/element.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "backends/vulkan/codegen/spirv_memory.h"

namespace xla {
namespace vulkan {

class PhaseEmitter {
 public:
  // `invocation`: the number of this one, an i32, of `invocations`; not used if there is one.
  PhaseEmitter(const Kernel& kernel, SpirvIr& ir, SpirvMemory& memory, V invocation, int64_t invocations)
      : kernel_(kernel),
        ir_(ir),
        memory_(memory),
        invocation_(invocation),
        invocations_(invocations),
        values_(kernel.value_types.size()),
        ranges_(values_.size()) {}

  // `tile`: an i32.
  void EmitTile(const KernelPhase& phase, V tile);

  // How many iterations of independent loops of the phase there are to divide at least, 1 if there is no such loop.
  static int64_t IterationsToDivide(const Kernel& kernel, const KernelPhase& phase);

 private:
  using Elements = std::vector<codegen::Element>;
  using State = SpirvIr::State;

  Elements EmitRegion(const KernelRegion& region, absl::Span<const codegen::Element> arguments);
  void EmitInstruction(const KernelInstruction& instruction);
  codegen::Element EmitValue(const KernelInstruction& instruction);
  codegen::Element EmitAffine(const KernelInstruction& instruction);
  codegen::Element EmitDivision(const KernelInstruction& instruction);
  codegen::Element EmitLoad(const KernelInstruction& instruction);
  void EmitStore(const KernelInstruction& instruction);

  // ---- phase_control.cc
  void EmitFor(const KernelInstruction& instruction);
  void EmitDividedFor(const KernelInstruction& instruction);
  void EmitIf(const KernelInstruction& instruction);
  void EmitWhile(const KernelInstruction& instruction);
  void EmitReduce(const KernelInstruction& instruction);
  Elements ReduceInOrder(const KernelInstruction& instruction);
  Elements ReduceInLanes(const KernelInstruction& instruction);
  Elements Combine(const KernelInstruction& instruction, const Elements& left, const Elements& right);
  // A loop over 0 <= index < count, which has a state.
  using LoopBody = absl::FunctionRef<Elements(V index, const Elements& state)>;
  Elements EmitLoop(V count, const Elements& state, LoopBody body);
  // The loops over `extents`, one in the other; their indices are appended to `indices`.
  Elements EmitNest(absl::Span<const int64_t> extents, Elements* indices, const Elements& state,
                    absl::FunctionRef<Elements(const Elements& indices, const Elements& state)> body);
  void SetResults(const KernelInstruction& instruction, const Elements& results);

  // ---- Barriers; nothing where an invocation runs by itself.
  bool IsShared() const { return invocations_ > 1 && !is_divided_; }
  void BeforeLoad();
  void BeforeStore();
  // Around what runs several times, or perhaps: its accesses come in any order.
  void BeforeRegions(const KernelInstruction& instruction);
  void Barrier();

  // Elements as the values that flow through phis, and back, of the types of `like`.
  State ToState(const Elements& elements) const;
  Elements FromState(const Elements& like, const State& state) const;

  const codegen::Element& Value(KernelValue value) const { return values_[value]; }
  Elements ValuesOf(absl::Span<const KernelValue> values) const;
  V Word(KernelValue index);         // an index as an i32
  codegen::Element IndexOf(V word);  // and back

  const Kernel& kernel_;
  SpirvIr& ir_;
  SpirvMemory& memory_;
  const V invocation_;
  const int64_t invocations_;
  bool is_divided_ = false;  // within an independent loop
  // Since the last barrier, perhaps.
  bool has_loaded_ = false;
  bool has_stored_ = false;
  Elements values_;
  std::vector<IndexRange> ranges_;  // by value; of the s64 that are indices
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_
