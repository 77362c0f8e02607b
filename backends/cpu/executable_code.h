// What a serialised executable of the CPU backend has beside its module: how it was compiled, and what came out.
//
// The code is run as it is. Its checksum tells damage by accident, nothing more: whoever can change the bytes can make
// the process that loads them run anything.
#ifndef BACKENDS_CPU_EXECUTABLE_CODE_H_
#define BACKENDS_CPU_EXECUTABLE_CODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/cpu/object_cache.h"
#include "backends/options.h"

namespace xla {

// Of CompileOptions, what decides about the code and how it runs.
struct CodeOptions {
  int optimization_level = 1;
  unsigned fast_math = 0;  // groups of enum FastMath
  bool flush_denormals = false;
  std::vector<int64_t> weights;

  void ApplyTo(CompileOptions* options) const;
};

// The `code` that HostClient::CompileWithCode gets for a deserialised executable: the options count as if the caller
// had given them, and the objects spare the compilation if their digest still fits.
struct ExecutableCode {
  CodeOptions options;
  CompiledCode code;  // without kernels: no objects
};

std::string EncodeExecutableCode(const CodeOptions& options, absl::string_view digest,
                                 const CompiledKernels::Image& image);
// InvalidArgument: the bytes are not what EncodeExecutableCode wrote.
absl::StatusOr<ExecutableCode> DecodeExecutableCode(absl::string_view bytes);

}  // namespace xla

#endif  // BACKENDS_CPU_EXECUTABLE_CODE_H_
