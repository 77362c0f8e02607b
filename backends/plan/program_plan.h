// ProgramPlan: a module as what runs: thunks, where everything lives, and what a launch has to provide.
#ifndef BACKENDS_PLAN_PROGRAM_PLAN_H_
#define BACKENDS_PLAN_PROGRAM_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/plan/plan_trace.h"
#include "backends/plan/thunk_maker.h"
#include "backends/report.h"
#include "backends/runtime/step_program.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Owned by the program that runs it, and constant then. It owns the thunks, which point into `module`. A *base* is an
// index into the addresses that each run fills in (BufferSlice): constants are negative, 0 is nothing, 1 the arena,
// then come arguments, results and kept values, up to `base_count`.
struct ProgramPlan {
  // A leaf of a parameter, which is read where it is.
  struct Argument {
    int32_t base = 0;
    int64_t parameter = 0;
    ShapeIndex leaf;
    bool is_written = false;  // a result or a temporary replaces it: it must be the run's own
    int32_t dynamic_buffer = -1;
  };
  // A leaf of the result, in order.
  struct Result {
    Shape shape;
    int32_t base = BufferSlice::kNowhere;  // where it is an array
    int32_t argument = -1;  // place in `arguments` of the one that it replaces; -1: it has memory of its own
    int32_t dynamic_buffer = -1;
  };

  // Elements in host memory, of a literal of `module` or of `reordered_constants`.
  struct Constant {
    const void* data = nullptr;
    int64_t bytes = 0;
  };

  std::shared_ptr<const HloModule> module;
  StepProgram program;
  std::vector<Constant> constants;
  int32_t base_count = BufferSlice::kFirstOther;
  // Temporaries of the assignment, then the workspaces of thunks.
  int64_t arena_bytes = 0;
  std::vector<Argument> arguments;
  std::vector<Result> results;
  Shape result_shape;
  // Length of ExecuteContext::dynamic_sizes: the number of buffers of the assignment if any has a dynamic dimension,
  // else 0.
  int64_t dynamic_buffer_count = 0;
  // Length of ExecuteContext::begun.
  int32_t begun_count = 0;
  bool uses_evaluator = false;
  bool has_weights = false;
  bool flushes_denormals = false;     // its floating point treats denormals as zeros
  std::vector<int32_t> weight_bases;  // of arguments
  // Values that are computed from weights alone; they have memory that is theirs alone, if there are any.
  int32_t kept_base = BufferSlice::kNowhere;
  int64_t kept_bytes = 0;
  // Constants in the order of their layouts, where that is not row-major.
  std::vector<std::unique_ptr<Literal>> reordered_constants;
  // FailedPrecondition if a constant that is needed has no value.
  absl::Status can_run;
  // Runs poison their memory before they begin (poison.h).
  bool poisons_memory = false;
  // nullptr unless PlanOptions::keeps_trace.
  std::unique_ptr<PlanTrace> trace;

  // Results get the layouts of `shape`, which is compatible with what they have.
  void SetResultShape(const Shape& shape);
};

// What a compilation asks of the planner beyond the module.
struct PlanOptions {
  absl::Span<const int64_t> weights;  // numbers of parameters that are
  DeviceCounts device_counts;         // that the program runs on
  bool keeps_trace = false;           // for VerifyPlan
  // Loops that are jumps poison, between iterations, what is dead then; ProgramPlan::poisons_memory is set.
  bool poisons_memory = false;
  // Steps say how often loops run, where that is known (trip_counts.h).
  bool counts_loops = false;
  const ResourceContext* resources = nullptr;  // limits of the work; nullptr: none
};

// `module` has been through the pipeline `cpu` and will not change. Instructions are given to the makers in turn; what
// none of them takes is evaluated, and `report` says why. `make_sequence` is asked first, if there is one.
// Unimplemented: the program cannot be planned, and why not.
absl::StatusOr<ProgramPlan> PlanProgram(std::shared_ptr<const HloModule> module, absl::Span<const ThunkMaker> makers,
                                        const SequenceMaker& make_sequence, const PlanOptions& options,
                                        CompileReport* report);

}  // namespace xla

#endif  // BACKENDS_PLAN_PROGRAM_PLAN_H_
