// What the frontends of both versions of NNEF have in common: flags about cycles, intermediate tensors and images, and
// how a model runs.
#ifndef TOOLS_NNEF_COMMON_CYCLE_RUNNER_H_
#define TOOLS_NNEF_COMMON_CYCLE_RUNNER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "tools/frontends/frontend.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/nnef_program.h"
#include "tools/shared/flag_table.h"

namespace xla {

inline constexpr char kNnefTopic[] = "nnef";

// What is fed, but for images, comes from --input.
struct NnefRunFlags {
  FedInputFlags inputs;
  std::string statistics;  // "": none are written
  std::string dump_all;    // "": nothing is written

  // All named tensors come out.
  bool all_activations() const { return !statistics.empty() || !dump_all.empty(); }
};

// Begins the topic of help with the flags of both frontends, or continues it.
void BeginNnefTopic(Tool tool, FlagTable* table);

void AddNnefCycleFlags(NnefRunFlags* flags, FlagTable* table);
void AddNnefImageFlags(FedInputFlags* flags, FlagTable* table);
// InvalidArgument: flags for images without an image.
absl::Status CheckNnefImageFlags(const FedInputFlags& flags);

// The program as the tools see it; it runs all cycles of the model, one after the other, as one run.
LoadedProgram LoadedNnefProgram(std::unique_ptr<NnefProgram> program, const NnefRunFlags& flags,
                                const std::string& format);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_CYCLE_RUNNER_H_
