#include "tools/nnef_common/nnef_program.h"

#include "tools/shared/run_arguments.h"

namespace xla {

NnefProgram::NnefProgram(nnef::LoweredModel lowered, size_t output_count, FedCycles fed, int64_t cycles,
                         std::vector<std::string> warnings)
    : lowered_(std::move(lowered)),
      parameters_(ParameterShapes(*lowered_.module)),
      output_count_(output_count),
      fed_(std::move(fed)),
      cycles_(cycles),
      warnings_(std::move(warnings)) {}

absl::Span<const std::string> NnefProgram::output_names() const {
  return absl::MakeConstSpan(lowered_.output_names).first(output_count_);
}

absl::StatusOr<std::vector<std::vector<Literal>>> NnefProgram::RunCycles(const std::vector<Literal>& inputs,
                                                                         const RunModule& run) const {
  return xla::RunCycles(lowered_, parameters_, fed_, inputs, cycles_, run);
}

}  // namespace xla
