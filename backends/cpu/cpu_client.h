// The CPU backend as a client. Registered as "cpu"; nothing else of this folder is for others.
#ifndef BACKENDS_CPU_CPU_CLIENT_H_
#define BACKENDS_CPU_CPU_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"

namespace xla {

// Compiles a module in stages (verify, passes, plan, kernels) and makes an executable of a CpuProgram. A module that
// cannot be planned as a whole still runs: the evaluator runs it, and CompileReport says why. One compilation serves
// all devices of a program.
class CpuClient : public HostClient {
 public:
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);

 private:
  explicit CpuClient(const ClientOptions& options) : HostClient("cpu", "cpu 2", options) {}

  // With `code` that fits the kernels, nothing is compiled; damaged code, or code of another processor, is reported
  // as a note of CompileReport and compiled again.
  absl::StatusOr<std::unique_ptr<Executable>> CompileWithCode(std::shared_ptr<const HloModule> module,
                                                              const CompileOptions& options,
                                                              absl::string_view code) override;
};

}  // namespace xla

#endif  // BACKENDS_CPU_CPU_CLIENT_H_
