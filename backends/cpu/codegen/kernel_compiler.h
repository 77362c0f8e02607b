// KernelCompiler: kernels to machine code, through LLVM.
//
//   ASSIGN_OR_RETURN(auto compiler, KernelCompiler::Create(HostTarget(), {}));
//   ASSIGN_OR_RETURN(CompiledKernels compiled, compiler->Compile(kernels, InOrder));
//   compiled.Function(/*kernel=*/0, /*phase=*/0)(buffers, scratch, 0, kernels[0].phases[0].tile_count);
//
// Kernels that compute the same are compiled once. What comes out depends on kernels, target and options alone: not on
// threads, and the values that the code computes not even on the target.
#ifndef BACKENDS_CPU_CODEGEN_KERNEL_COMPILER_H_
#define BACKENDS_CPU_CODEGEN_KERNEL_COMPILER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/codegen/codegen_target.h"
#include "backends/cpu/codegen/kernel_function.h"
#include "backends/kernel_ir/kernel.h"

namespace xla {
namespace codegen {
class ModuleCompiler;
}  // namespace codegen

// What is the same for all kernels that one KernelCompiler compiles.
struct CodegenOptions {
  // 0: as fast to compile as can be; 1: as fast to run as 2 in all that was measured, and a tenth to a fifth faster to
  // compile; 2: all that LLVM's code generator does. All compute the same bits.
  int optimization_level = 1;
  // Called with the text of each module, if set, from the threads that compile: a name ("kernels.3"), LLVM IR as it
  // goes to the code generator, assembly.
  std::function<void(const std::string& name, const std::string& ir, const std::string& assembly)> dump;
};

// Runs fn(0) .. fn(n - 1), in any order, on any threads, and returns when all are done.
using CodegenParallelFor = std::function<void(int64_t n, absl::FunctionRef<void(int64_t)> fn)>;
// One after the other, on the calling thread: for tests and benchmarks.
void RunInOrder(int64_t n, absl::FunctionRef<void(int64_t)> fn);

// Machine code, and what is needed to load it again. Copies share the code, which lives as long as any of them.
class CompiledKernels {
 public:
  // One for each compiled module: ELF relocatable objects.
  struct Image {
    std::vector<std::string> objects;
    // By kernel: the name of its functions, which end in ".phase"; kernels that were compiled once share one.
    std::vector<std::string> symbols;
    std::vector<int> phase_counts;
  };

  KernelFunction Function(int kernel, int phase) const { return functions_[kernel][phase]; }
  int kernel_count() const { return static_cast<int>(functions_.size()); }
  const Image& image() const { return *image_; }

 private:
  friend class KernelCompiler;

  std::shared_ptr<const Image> image_;
  std::vector<std::shared_ptr<void>> code_;
  std::vector<std::vector<KernelFunction>> functions_;
};

// Groups kernels into LLVM modules, compiles the modules in parallel, and loads the objects into this process with
// its own linker. Keeps no state between calls.
class KernelCompiler {
 public:
  // Unavailable: this LLVM has no code generator for the target.
  static absl::StatusOr<std::unique_ptr<KernelCompiler>> Create(CodegenTarget target, CodegenOptions options);

  // The kernels are verified. Thread-safe. Internal: LLVM rejects what was made, which is a bug of ours.
  absl::StatusOr<CompiledKernels> Compile(absl::Span<const Kernel* const> kernels,
                                          const CodegenParallelFor& parallel_for) const;
  // Without loading, as for another processor than this one.
  absl::StatusOr<CompiledKernels::Image> CompileImage(absl::Span<const Kernel* const> kernels,
                                                      const CodegenParallelFor& parallel_for) const;
  // Makes what Compile made callable again, without compiling. InvalidArgument: it is not such an object, or misses a
  // function. The objects are trusted: whoever stores them guards them.
  static absl::StatusOr<CompiledKernels> Load(CompiledKernels::Image image);

  ~KernelCompiler();

  const CodegenTarget& target() const { return target_; }

 private:
  KernelCompiler(CodegenTarget target, std::unique_ptr<codegen::ModuleCompiler> modules);

  CodegenTarget target_;
  std::unique_ptr<codegen::ModuleCompiler> modules_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_KERNEL_COMPILER_H_
