// The interpreter as a client: executables that the evaluator runs. Registered as "interpreter"; nothing else of this
// folder is for others.
#ifndef BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
#define BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"

namespace xla {

// Runs any number of replicas and partitions, each with its own devices of this process. It compiles nothing and
// ignores `code`; there are no settings.
class InterpreterClient : public HostClient {
 public:
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);

 private:
  explicit InterpreterClient(const ClientOptions& options) : HostClient("interpreter", "interpreter 1", options) {}

  absl::StatusOr<std::unique_ptr<Executable>> CompileWithCode(std::shared_ptr<const HloModule> module,
                                                              const CompileOptions& options,
                                                              absl::string_view code) override;
};

}  // namespace xla

#endif  // BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
