// How instructions become thunks: a table of makers, of which the first that takes an instruction wins.
//
// A maker is a function that looks at one instruction of the compiled module. It returns a thunk; or nullptr after
// saying with context.Refuse why there is none, in a few words for CompileReport; or an error, which ends the
// compilation. Dynamic dimensions, views, loops, branches and calls never reach a maker. An async-start that wraps a
// collective reaches it as the collective that it begins, and its async-done as itself.
//
// Before that, a SequenceMaker is asked for one thunk that runs several instructions, or a loop or branch with all that
// it calls. What it leaves alone becomes thunks and jumps.
#ifndef BACKENDS_PLAN_THUNK_MAKER_H_
#define BACKENDS_PLAN_THUNK_MAKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/runtime/buffer_slice.h"
#include "backends/runtime/thunk.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;

  bool AreSeveral() const { return replicas > 1 || partitions > 1; }
};

// What a maker may ask of the plan that is being made. It lives as long as planning does, so thunks must not keep it.
class PlanContext {
 public:
  virtual ~PlanContext() = default;

  // Where a leaf of the instruction's result lives, in the order of its layout. The leaf is an array.
  virtual BufferSlice SliceOf(const HloInstruction& instruction, const ShapeIndex& leaf = {}) const = 0;
  // Whether the array is a constant, which holds the same values in every run.
  virtual bool IsConstant(const HloInstruction& instruction) const = 0;
  // Whether the array is a parameter that was called a weight (CompileOptions::weights): what a thunk computes from it,
  // it may keep for as long as ExecuteContext::WeightId stays the same.
  virtual bool IsWeight(const HloInstruction& instruction) const = 0;
  // Where the elements of an array are that the module keeps as a literal, row-major. Nothing writes there.
  virtual BufferSlice PlaceConstant(const Literal& array) = 0;
  // Memory of the thunk's own for the time that it runs, with any contents, 64-byte aligned; each call gives other
  // memory. It belongs to what the thunk writes.
  virtual BufferSlice TakeWorkspace(int64_t bytes) = 0;
  // Where that comes from.
  virtual const BufferAssignment& assignment() const = 0;
  // How many replicas and partitions run together. Without others, there is no ExecuteContext::collectives.
  virtual DeviceCounts device_counts() const = 0;
  // The place in ExecuteContext::begun of what the instruction begins, or ends: a collective that ends with another
  // instruction than it begins with. -1: it is whole, or the evaluator does it.
  virtual int32_t SlotOf(const HloInstruction& instruction) const = 0;
  // Runs have an ExecuteContext::evaluator, for the thunk's sake.
  virtual void UseEvaluator() = 0;
  // Why the maker that runs now returns nullptr.
  virtual void Refuse(std::string reason) = 0;
  // Calls `finish` when every instruction has been looked at, before anything runs: for what is done for many thunks at
  // once, such as compiling their kernels. In the order of the calls; the first error ends the compilation.
  virtual void BeforeFirstRun(std::function<absl::Status()> finish) = 0;

  const HloModule& module() const { return *module_; }

 protected:
  explicit PlanContext(const HloModule* module) : module_(module) {}

 private:
  const HloModule* const module_;
};

// One row of the table. `name` is for readers of the table; `make` is called for every instruction that the makers
// before it refused.
struct ThunkMaker {
  const char* name;
  std::function<absl::StatusOr<std::unique_ptr<Thunk>>(const HloInstruction& instruction, PlanContext& context)> make;
};

// The thunk of the first instructions of a computation's rest, and how many they are; 0: there is none.
struct SequenceThunk {
  int64_t count = 0;
  std::unique_ptr<Thunk> thunk;
};
using SequenceMaker = std::function<absl::StatusOr<SequenceThunk>(absl::Span<const HloInstruction* const> instructions,
                                                                  PlanContext& context)>;

}  // namespace xla

#endif  // BACKENDS_PLAN_THUNK_MAKER_H_
