// An NNEF model as a program that hlo-run runs: its module, what is fed, its variables from cycle to cycle.
#ifndef TOOLS_NNEF_COMMON_NNEF_PROGRAM_H_
#define TOOLS_NNEF_COMMON_NNEF_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/nnef_common/lowered_model.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/run_cycles.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

class NnefProgram {
 public:
  // The first `output_count` results of the module are the graph's own, the others activations. `fed` has the values
  // for all cycles, or none if nothing was fed although the model takes inputs: `cycles` of them then.
  NnefProgram(nnef::LoweredModel lowered, size_t output_count, FedCycles fed, int64_t cycles,
              std::vector<std::string> warnings);

  // To be called once, before the object is used otherwise.
  std::unique_ptr<HloModule> TakeModule() { return std::move(lowered_.module); }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const nnef::ModelFormat& format() const { return *lowered_.format; }
  // The first parameters of the module are the inputs; the others are the variables'.
  const std::vector<std::string>& input_names() const { return lowered_.input_names; }
  // Of the graph's own outputs, and of all tensors that come out: those, then activations.
  absl::Span<const std::string> output_names() const;
  const std::vector<std::string>& all_names() const { return lowered_.output_names; }
  // Numbers of parameters that are the same in every cycle.
  std::vector<int64_t> weights() const { return WeightParameters(lowered_); }
  // Nothing was fed although the model takes inputs.
  bool needs_inputs() const { return fed_.empty(); }
  int64_t cycles() const { return cycles_; }

  // All cycles, from the variables' initial values: the tensors of all_names(), cycle by cycle. `inputs` are fed in
  // every cycle if needs_inputs(). Errors: those of `run`, of inputs that do not fit, and of run-time checks that fail.
  absl::StatusOr<std::vector<std::vector<Literal>>> RunCycles(const std::vector<Literal>& inputs,
                                                              const RunModule& run) const;

 private:
  nnef::LoweredModel lowered_;
  std::vector<Shape> parameters_;
  const size_t output_count_;
  const FedCycles fed_;
  const int64_t cycles_;
  const std::vector<std::string> warnings_;
};

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_NNEF_PROGRAM_H_
