// PhaseEmitter: the body of a phase as SPIR-V, one instruction of kernel IR after the other.
//
// Indices are s64 in kernel IR. Where the kernel says that a word holds them, or their range shows it, as nearly
// always, arithmetic on them is that of words.
//
// What invocations of a workgroup share out is kernel.h's affair, and so are barriers; those of a reduce in lanes are
// written here.
#ifndef BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_
#define BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/scalar_code/element.h"
#include "backends/vulkan/codegen/index_ranges.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "backends/vulkan/codegen/spirv_memory.h"

namespace xla {
namespace vulkan {

// How many iterations of a loop are written out at a time if long ones are to have `unroll`.
int64_t IterationsAtOnce(const Kernel& kernel, const KernelInstruction& loop, int64_t unroll);
// How many elements of a reduce in order are written out at a time, a divisor of its innermost loop, `unroll` times
// what is best; and how many lanes of another one an invocation has in registers at a time, each written out too.
int64_t ElementsAtOnce(const Kernel& kernel, const KernelInstruction& reduce, int64_t unroll);
int64_t LanesAtOnce(const Kernel& kernel, const KernelInstruction& reduce);

class PhaseEmitter {
 public:
  // `invocation`: the number of this one, an i32, of `invocations` of the tile; not used if it has one. `unroll`: see
  // loop_bound.h.
  PhaseEmitter(const Kernel& kernel, SpirvIr& ir, SpirvMemory& memory, V invocation, int64_t invocations,
               int64_t unroll)
      : kernel_(kernel),
        ir_(ir),
        memory_(memory),
        invocation_(invocation),
        invocations_(invocations),
        unroll_(unroll),
        values_(kernel.value_types.size()),
        ranges_(kernel) {}

  // `tile`: an i32.
  void EmitTile(const KernelPhase& phase, V tile);

 private:
  using Elements = std::vector<codegen::Element>;
  using State = SpirvIr::State;

  Elements EmitRegion(const KernelRegion& region, absl::Span<const codegen::Element> arguments);
  void EmitInstruction(const KernelInstruction& instruction);
  codegen::Element EmitValue(const KernelInstruction& instruction);
  codegen::Element EmitConstant(const KernelInstruction& instruction);
  codegen::Element EmitAffine(const KernelInstruction& instruction);
  codegen::Element EmitDivision(const KernelInstruction& instruction);
  codegen::Element EmitLoad(const KernelInstruction& instruction);
  void EmitStore(const KernelInstruction& instruction);

  // ---- phase_control.cc
  void EmitFor(const KernelInstruction& instruction);
  void EmitSharedFor(const KernelInstruction& instruction);
  void EmitIf(const KernelInstruction& instruction);
  void EmitWhile(const KernelInstruction& instruction);
  void EmitReduce(const KernelInstruction& instruction);
  Elements ReduceInOrder(const KernelInstruction& instruction);
  Elements ReduceInLanes(const KernelInstruction& instruction);
  Elements ReduceOverInvocations(const KernelInstruction& instruction);
  std::vector<Elements> CombineLanes(const KernelInstruction& instruction, V first, int64_t count,
                                     const Elements& neutral);
  Elements Combine(const KernelInstruction& instruction, const Elements& left, const Elements& right);
  // A loop over 0 <= index < count, which has a state.
  using LoopBody = absl::FunctionRef<Elements(V index, const Elements& state)>;
  Elements EmitLoop(V count, const Elements& state, LoopBody body);
  // The same with `at_once` iterations written out, and a loop for those that are left.
  Elements EmitUnrolled(V count, int64_t at_once, const Elements& state, LoopBody body);
  // The loops over `extents`, one in the other; their indices are appended to `indices`.
  Elements EmitNest(absl::Span<const int64_t> extents, Elements* indices, const Elements& state,
                    absl::FunctionRef<Elements(const Elements& indices, const Elements& state)> body);
  void SetResults(const KernelInstruction& instruction, const Elements& results);

  // ---- Workgroups.
  // Whether all invocations of a workgroup run what is written now, with the same values.
  bool IsUniform() const { return invocations_ > 1 && !is_alone_; }
  // The shares of this invocation among 0 <= i < count, each run by it alone. `most`: of `count`.
  void EmitShares(V count, int64_t most, absl::FunctionRef<void(V i)> body);
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
  const int64_t unroll_;
  bool is_alone_ = false;  // within what invocations share out
  // Whether invocations may not have read yet what the last reduce has left in the lanes.
  bool lanes_are_read_ = false;
  Elements values_;
  IndexRanges ranges_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_PHASE_EMITTER_H_
