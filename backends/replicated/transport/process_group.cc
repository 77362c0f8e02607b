#include "backends/replicated/process_group.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host/local_collectives.h"
#include "backends/replicated/transport/group.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMaxProcesses = 4096;
constexpr size_t kMaxToken = 256;

class SingleProcess : public ProcessGroup {
 public:
  int64_t process_index() const override { return 0; }
  int64_t process_count() const override { return 1; }
  absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch,
                                                     absl::FunctionRef<absl::Status()> check) override {
    RETURN_IF_ERROR(check());
    return std::unique_ptr<Collectives>(std::make_unique<LocalCollectives>(
        static_cast<int64_t>(launch.process_of_device.size()), launch.pool, launch.memory));
  }
  absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string mine,
                                                         absl::FunctionRef<absl::Status()> check) override {
    RETURN_IF_ERROR(check());
    return std::vector<std::string>{std::move(mine)};
  }
};

}  // namespace

absl::StatusOr<std::shared_ptr<ProcessGroup>> ProcessGroup::Connect(const ProcessGroupOptions& options,
                                                                    absl::FunctionRef<absl::Status()> check) {
  if (options.process_count < 1 || options.process_count > kMaxProcesses) {
    return absl::InvalidArgumentError(
        absl::StrCat("a group has 1 to ", kMaxProcesses, " processes, not ", options.process_count));
  }
  if (options.process_index < 0 || options.process_index >= options.process_count) {
    return absl::InvalidArgumentError(absl::StrCat("ranks of ", options.process_count, " processes are 0 to ",
                                                   options.process_count - 1, ", not ", options.process_index));
  }
  if (options.launch_token.size() > kMaxToken) {
    return absl::InvalidArgumentError(absl::StrCat("a launch token has at most ", kMaxToken, " characters"));
  }
  if (options.process_count == 1) return std::shared_ptr<ProcessGroup>(std::make_shared<SingleProcess>());
  auto group = std::make_shared<transport::Group>(options);
  const absl::Status status = group->Connect(check);
  if (!status.ok()) return status;
  return std::shared_ptr<ProcessGroup>(std::move(group));
}

}  // namespace xla
