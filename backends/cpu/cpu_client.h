// The CPU backend as a client. Registered as "cpu"; nothing else of this folder is for others.
#ifndef BACKENDS_CPU_CPU_CLIENT_H_
#define BACKENDS_CPU_CPU_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"

namespace xla {

class CpuClient : public HostClient {
 public:
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);

  const std::string& platform_version() const override;
  InstructionSupport Supports(const HloInstruction& instruction) const override;
  absl::StatusOr<std::unique_ptr<Executable>> CompileShared(std::shared_ptr<const HloModule> module,
                                                            const CompileOptions& options) override;
  absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized,
                                                          const CompileOptions& options) override;

 private:
  explicit CpuClient(const ClientOptions& options) : HostClient("cpu", options) {}
};

}  // namespace xla

#endif  // BACKENDS_CPU_CPU_CLIENT_H_
