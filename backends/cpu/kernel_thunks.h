// Kernel thunks: instructions that are lowered to kernels and compiled, all of a program's at once.
#ifndef BACKENDS_CPU_KERNEL_THUNKS_H_
#define BACKENDS_CPU_KERNEL_THUNKS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/cpu/codegen/codegen_target.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/cpu/kernel_thunk.h"
#include "backends/cpu/object_cache.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "backends/kernel_ir/lowering/lowering_cache.h"
#include "backends/plan/thunk_maker.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

// For which processor, how, and with which known code the kernels of a program are compiled. Pointers are not owned.
struct KernelSetOptions {
  CodegenTarget target;
  LoweringTarget lowering;
  SumOrder order;
  int optimization_level = 2;
  const ObjectCache* cache = nullptr;  // nullptr: everything is compiled
  std::string dump_folder;             // "": nothing is written
  // Code that was compiled before; used if its digest is KernelSet::code_digest().
  const CompiledCode* known_code = nullptr;
  bool verifies_kernels = false;
  const ResourceContext* resources = nullptr;  // limits of the work; nullptr: none
};

// The kernels of one program while it is compiled.
class KernelSet {
 public:
  // `options`, what they point to, and `pool` outlive the set.
  KernelSet(const KernelSetOptions& options, ThreadPool* pool);
  ~KernelSet();

  // A thunk whose kernel is compiled with all others of the set before the first run. Refuses what cannot be lowered.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeThunk(const HloInstruction& instruction, PlanContext& context);

  // A fusion whose product a library computes, and kernels all the rest: operands before it, results after it. Refuses
  // others.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& fusion, PlanContext& context);

  // The thunk of a kernel whose inputs and outputs are what `info` reads and writes. Refuses if `lowered` is
  // Unimplemented.
  absl::StatusOr<std::unique_ptr<KernelThunk>> Add(ThunkInfo info, absl::StatusOr<LoweredKernel> lowered,
                                                   PlanContext& context);
  // The thunk of a kernel that is there already; its caller's buffers are `buffers`.
  absl::StatusOr<std::unique_ptr<KernelThunk>> AddKernel(ThunkInfo info, std::vector<BufferSlice> buffers,
                                                         Kernel kernel, PlanContext& context);
  // What kernels are lowered for, and in which order they sum.
  const LoweringTarget& lowering_target() const { return options_.lowering; }
  const SumOrder& sum_order() const { return options_.order; }

  // ---- Once the program is planned.
  // All code; nullptr if there are no kernels.
  const std::shared_ptr<const CompiledKernels>& code() const { return code_; }
  // Equal for equal code: made of the kernels, the target and the options.
  const std::string& code_digest() const { return code_digest_; }
  // What became of the cache, if a person should know.
  const std::vector<std::string>& notes() const { return notes_; }
  absl::Duration compile_time() const { return compile_time_; }
  // Whether nothing was compiled: the code was there.
  bool was_loaded() const { return was_loaded_; }

 private:
  struct Pending;

  // The kernel that computes an operand of the fusion's product into that place.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeOperand(const HloInstruction& fusion, const HloInstruction& operand,
                                                     const BufferSlice& place, PlanContext& context);
  absl::Status Finish();
  // Of which code_digest is made.
  absl::StatusOr<std::string> CodeKey() const;
  absl::StatusOr<CompiledKernels> FindOrCompile(const std::string& key);
  absl::StatusOr<CompiledKernels> Compile() const;
  absl::optional<CompiledKernels> Load(CompiledKernels::Image image, absl::string_view from);
  absl::Status DumpKernels() const;

  const KernelSetOptions& options_;
  ThreadPool* const pool_;
  std::unique_ptr<Pending> pending_;
  LoweringCache lowerings_;
  std::shared_ptr<const CompiledKernels> code_;
  std::string code_digest_;
  std::vector<std::string> notes_;
  absl::Duration compile_time_;
  bool was_loaded_ = false;
};

}  // namespace xla

#endif  // BACKENDS_CPU_KERNEL_THUNKS_H_
