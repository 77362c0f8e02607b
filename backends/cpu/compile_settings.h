// CompileOptions::settings of the CPU backend.
//
//   dump                   a folder for what compiling leaves: HLO after passes, memory plan, kernels, LLVM IR, assembly
//   cache                  a folder that keeps compiled code, which is run later without questions
//   contract-recurrences   "true", if it is not given: in loops that are compiled as a whole, a product and a sum that
//                          one turn hands to the next round once, where the processor has that as an instruction.
//                          "false": both round, as in the interpreter
//   flush-denormals        "true": compiled code takes denormal operands for zeros, and gives zeros for denormal
//                          results, as XLA does on CPUs; some processors are a hundred times slower with them.
//                          What is evaluated keeps them. "false", if it is not given: they are kept, as in the
//                          interpreter
#ifndef BACKENDS_CPU_COMPILE_SETTINGS_H_
#define BACKENDS_CPU_COMPILE_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "backends/options.h"

namespace xla {

struct CompileSettings {
  static constexpr char kContractRecurrences[] = "contract-recurrences";
  static constexpr char kFlushDenormals[] = "flush-denormals";

  std::string dump_folder;   // "": none
  std::string cache_folder;  // "": none
  bool contract_recurrences = true;
  bool flush_denormals = false;

  // InvalidArgument: there is no such setting, or it has no such value.
  static absl::StatusOr<CompileSettings> Read(const BackendSettings& settings);
};

}  // namespace xla

#endif  // BACKENDS_CPU_COMPILE_SETTINGS_H_
