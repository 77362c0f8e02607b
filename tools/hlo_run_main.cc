// The program hlo-run: its command line, and the processes that it starts or joins.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/vulkan/device/vulkan_instance.h"
#include "tools/frontends/frontend_set.h"
#include "tools/hlo_run.h"
#include "tools/hlo_run_flags.h"
#include "tools/processes/launch_processes.h"
#include "tools/processes/process_place.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

constexpr char kProgram[] = "hlo-run";

int BadUsage(absl::string_view message) { return xla::BadUsage(kProgram, message); }

// A machine without Vulkan has none, which is not an error.
int ListDevices() {
  const auto instance = vulkan::VulkanInstance::Create({});
  const std::string text = instance.ok() ? vulkan::DescribeDevices(**instance)
                                         : absl::StrCat("no Vulkan devices: ", instance.status().message(), "\n");
  std::printf("%s", text.c_str());
  return kExitFine;
}

// Processes that are started here share the processors.
void ShareThreads(HloRunFlags& flags) {
  if (flags.threads == 0) flags.threads = std::max<int64_t>(1, UsableCpuCount() / flags.processes);
}

// InvalidArgument for flags about processes that contradict each other.
absl::Status CheckProcessFlags(const HloRunFlags& flags) {
  if (flags.distributed && flags.processes > 1) {
    return absl::InvalidArgumentError(
        "--processes and --distributed cannot be given together: one starts processes, the other one joins some");
  }
  if (!flags.rendezvous.empty() && !flags.distributed && flags.processes == 1) {
    return absl::InvalidArgumentError("--rendezvous is for several processes: give --processes or --distributed too");
  }
  if (!flags.host.empty() && !flags.distributed && flags.processes == 1) {
    return absl::InvalidArgumentError("--host is for several processes: give --processes or --distributed too");
  }
  if (flags.processes > 1 && flags.file == "-") {
    return absl::InvalidArgumentError("--processes: standard input can be read by one process only; give a file");
  }
  return absl::OkStatus();
}

int RunProcesses(HloRunFlags flags, const FrontendSet& frontends) {
  const absl::Status usage = CheckProcessFlags(flags);
  if (!usage.ok()) return BadUsage(usage.message());
  if (flags.processes > 1) {
    ShareThreads(flags);
    return LaunchProcesses(kProgram, flags.processes, flags.rendezvous,
                           [&](const ProcessPlace& place, const FailureReport& failures) {
                             return HloRun(flags, frontends, place, failures).Run();
                           });
  }
  ProcessPlace place;
  if (flags.distributed) {
    const absl::StatusOr<ProcessPlace> found = PlaceFromEnvironment(ProcessEnvironment(), flags.rendezvous);
    if (!found.ok()) return BadUsage(found.status().message());
    place = *found;
    if (!place.is_first() && std::freopen("/dev/null", "w", stdout) == nullptr) {
      return BadUsage("cannot open /dev/null");
    }
  }
  return HloRun(std::move(flags), frontends, place, FailureReport()).Run();
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  FrontendSet frontends;
  HloRunFlags flags;
  FlagTable table = HloRunFlagTable(flags, frontends);
  std::vector<std::string> others;
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table, &others);
  if (ended.has_value()) return *ended;
  if (flags.list_devices) return ListDevices();
  const bool names_backend = table.IsGiven("--backend") || table.IsGiven("--platform");
  if (!flags.autopsy.empty() && !names_backend) flags.backend = "cpu";
  const absl::Status positional = TakePositionalArguments(others, frontends, flags);
  if (!positional.ok()) return BadUsage(positional.message());
  flags.of_frontends = table.given_flags();
  return RunProcesses(std::move(flags), frontends);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
