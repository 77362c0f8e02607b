// A few kernels to one object.
#ifndef BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_
#define BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/codegen/kernel_compiler.h"

namespace xla {
namespace codegen {

struct NamedKernel {
  std::string symbol;
  const Kernel* kernel;
};

// Unavailable if this LLVM cannot make code for the target.
absl::Status CheckTarget(const CodegenTarget& target);

// The bytes of an ELF object. Thread-safe: everything of LLVM's that it uses is made by the call.
absl::StatusOr<std::string> CompileModule(const std::string& name, absl::Span<const NamedKernel> kernels,
                                          const CodegenTarget& target, const CodegenOptions& options);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_MODULE_COMPILER_H_
