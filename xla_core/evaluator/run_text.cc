#include "xla_core/evaluator/run_text.h"

#include <cstdio>

#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

std::unique_ptr<HloModule> ModuleFromText(absl::string_view text) {
  auto module = ParseHloModule(text);
  const absl::Status status = module.ok() ? VerifyModule(**module) : module.status();
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  CHECK(status.ok());
  return *std::move(module);
}

absl::StatusOr<Literal> RunText(absl::string_view text, std::vector<Literal> arguments,
                                const EvaluatorOptions& options) {
  const auto module = ModuleFromText(text);
  ASSIGN_OR_RETURN(const auto evaluator, Evaluator::Create(*module, options));
  return evaluator->RunOne(std::move(arguments));
}

absl::StatusOr<std::vector<Literal>> RunTextOnDevices(absl::string_view text, int64_t replicas, int64_t partitions,
                                                      std::vector<std::vector<Literal>> arguments, FeedQueues* queues,
                                                      EvaluatorOptions options) {
  const auto module = ModuleFromText(text);
  options.replica_count = replicas;
  options.partition_count = partitions;
  ASSIGN_OR_RETURN(const auto evaluator, Evaluator::Create(*module, options));
  if (arguments.empty()) arguments.resize(replicas * partitions);
  return evaluator->Run(std::move(arguments), queues);
}

}  // namespace xla
