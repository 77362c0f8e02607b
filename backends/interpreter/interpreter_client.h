// The interpreter as a client: executables that the evaluator runs. Registered as "interpreter"; nothing else of this
// folder is for others.
#ifndef BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
#define BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"

namespace xla {

class InterpreterClient : public HostClient {
 public:
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);

  const std::string& platform_version() const override;
  InstructionSupport Supports(const HloInstruction& instruction) const override;
  absl::StatusOr<std::unique_ptr<Executable>> CompileShared(std::shared_ptr<const HloModule> module,
                                                            const CompileOptions& options) override;
  absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized,
                                                          const CompileOptions& options) override;

 private:
  explicit InterpreterClient(const ClientOptions& options) : HostClient("interpreter", options) {}
};

}  // namespace xla

#endif  // BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
