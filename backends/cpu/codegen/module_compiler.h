// A few kernels to one object.
#ifndef BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_
#define BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/codegen/kernel_compiler.h"

namespace xla {
namespace codegen {

// A kernel to be compiled, not owned; the functions of its phases are called symbol + ".0", symbol + ".1" ...
struct NamedKernel {
  std::string symbol;
  const Kernel* kernel;
};

// Emits kernels as one LLVM module, cleans it up and generates code. The interface keeps LLVM's headers in one source
// file.
class ModuleCompiler {
 public:
  // Unavailable: this LLVM has no code generator for the target.
  static absl::StatusOr<std::unique_ptr<ModuleCompiler>> Create(const CodegenTarget& target,
                                                                const CodegenOptions& options);
  virtual ~ModuleCompiler() = default;

  // The bytes of an ELF object. Thread-safe.
  virtual absl::StatusOr<std::string> Compile(const std::string& name, absl::Span<const NamedKernel> kernels) = 0;
};

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_
