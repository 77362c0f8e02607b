// A model of NNEF 1 as a program that hlo-run runs: its module, what is fed, its variables from cycle to cycle.
#ifndef TOOLS_NNEF1_PROGRAM_H_
#define TOOLS_NNEF1_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/nnef1/model/model.h"
#include "tools/frontends/program_source.h"
#include "tools/nnef1/model_file.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/run_cycles.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

struct Nnef1Flags {
  Nnef1ReadFlags read;
  FedInputFlags inputs;
  // Variables are parameters of the module, also those that are never updated.
  bool variables_are_parameters = false;
  // All named tensors come out as well.
  bool all_activations = false;
};

// A whole model, for inputs as declared or as `flags` say; without data if there are none (a bare description).
// Operations that are declared without a body are kept, so it may be one that cannot run. Reaching a limit of
// `resources`, here and below, is an error; nullptr: there are none.
absl::StatusOr<nnef1::Model> LoadNnef1Model(const ProgramSource& source, const Nnef1ReadFlags& flags,
                                            const ResourceContext* resources);

class Nnef1Program {
 public:
  // Reads what is fed, then the model, and lowers it. Errors: those of all this.
  static absl::StatusOr<std::unique_ptr<Nnef1Program>> Load(const ProgramSource& source, const Nnef1Flags& flags,
                                                            const ResourceContext* resources);

  // To be called once, before the object is used otherwise.
  std::unique_ptr<HloModule> TakeModule() { return std::move(lowered_.module); }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The first parameters of the module are the inputs; the others are the variables'.
  const std::vector<std::string>& input_names() const { return lowered_.input_names; }
  // Of the graph's own outputs, and of all tensors that come out: those, then activations.
  absl::Span<const std::string> output_names() const;
  const std::vector<std::string>& all_names() const { return lowered_.output_names; }
  // Numbers of parameters that are the same in every cycle.
  std::vector<int64_t> weights() const;
  // Nothing was fed although the model takes inputs.
  bool needs_inputs() const { return fed_.empty(); }
  int64_t cycles() const { return cycles_; }

  // All cycles, from the variables' initial values: the tensors of all_names(), cycle by cycle. `inputs` are fed in
  // every cycle if needs_inputs(). Errors: those of `run`, and E6 if the data break a condition of the model.
  absl::StatusOr<std::vector<std::vector<Literal>>> RunCycles(const std::vector<Literal>& inputs,
                                                              const RunModule& run) const;

 private:
  Nnef1Program() = default;

  nnef1::LoweredModel lowered_;
  std::vector<std::string> warnings_;
  size_t output_count_ = 0;
  FedCycles fed_;
  int64_t cycles_ = 1;
};

}  // namespace xla

#endif  // TOOLS_NNEF1_PROGRAM_H_
