#include "tools/processes/process_place.h"

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kMostProcesses = 4096;
// Ports that follow from a job's number: above those of services, below those that systems give to clients.
constexpr int64_t kFirstPort = 15000;
constexpr int64_t kPortCount = 10000;

struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
};
constexpr Launcher kTorchrun = {"torchrun", "RANK", "WORLD_SIZE"};
constexpr Launcher kOpenMpi = {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"};
constexpr Launcher kSlurm = {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"};

absl::Status Wrong(absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("--distributed: ", message));
}

absl::StatusOr<int64_t> NumberIn(const Environment& environment, const char* name, const char* beside, int64_t most) {
  const absl::optional<std::string> text = environment(name);
  if (!text.has_value()) return Wrong(absl::StrCat(name, " is not set, though ", beside, " is"));
  int64_t number = 0;
  if (absl::SimpleAtoi(*text, &number) && number >= 0 && number <= most) return number;
  return Wrong(absl::StrCat(name, " is '", *text, "', expected a number from 0 to ", most));
}

bool IsSet(const Environment& environment, const Launcher& launcher) {
  return environment(launcher.rank).has_value() || environment(launcher.size).has_value();
}

absl::Status ReadRank(const Environment& environment, const Launcher& launcher, ProcessPlace* place) {
  ASSIGN_OR_RETURN(place->index, NumberIn(environment, launcher.rank, launcher.size, kMostProcesses));
  ASSIGN_OR_RETURN(place->count, NumberIn(environment, launcher.size, launcher.rank, kMostProcesses));
  if (place->index < place->count) return absl::OkStatus();
  return Wrong(absl::StrCat(launcher.rank, " is ", place->index, " and ", launcher.size, " is ", place->count,
                            ": ranks are numbered from 0 to ", launcher.size, " - 1"));
}

// A process that both torchrun and Open MPI have started has two ranks, of which one is a mistake.
absl::Status CheckAgreement(const Environment& environment, const ProcessPlace& place) {
  if (!IsSet(environment, kOpenMpi)) return absl::OkStatus();
  ProcessPlace other;
  RETURN_IF_ERROR(ReadRank(environment, kOpenMpi, &other));
  if (other.index == place.index && other.count == place.count) return absl::OkStatus();
  return Wrong(absl::StrCat(kTorchrun.rank, " and ", kTorchrun.size, " say process ", place.index, " of ", place.count,
                            ", ", kOpenMpi.rank, " and ", kOpenMpi.size, " say process ", other.index, " of ",
                            other.count, "; unset one pair"));
}

absl::StatusOr<std::string> MasterPlace(const Environment& environment) {
  const absl::optional<std::string> address = environment("MASTER_ADDR");
  if (!address.has_value() || address->empty()) return Wrong("MASTER_ADDR is not set, though MASTER_PORT is");
  ASSIGN_OR_RETURN(const int64_t port, NumberIn(environment, "MASTER_PORT", "MASTER_ADDR", 65535));
  return absl::StrCat("tcp:", *address, ":", port);
}

absl::StatusOr<std::string> SlurmPlace(const Environment& environment) {
  const absl::optional<std::string> nodes = environment("SLURM_JOB_NODELIST");
  if (!nodes.has_value()) return Wrong("SLURM_JOB_NODELIST is not set, though SLURM_PROCID is; or set MASTER_ADDR");
  ASSIGN_OR_RETURN(const std::string host, FirstHostOf(*nodes));
  ASSIGN_OR_RETURN(const int64_t job, NumberIn(environment, "SLURM_JOB_ID", "SLURM_PROCID", INT64_MAX));
  return absl::StrCat("tcp:", host, ":", kFirstPort + job % kPortCount);
}

// The same in all processes of a job, another one in each job.
std::string TokenOf(const Environment& environment) {
  std::string token;
  for (const char* const name :
       {"HALO_LAUNCH_TOKEN", "TORCHELASTIC_RUN_ID", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    const absl::optional<std::string> value = environment(name);
    if (value.has_value()) absl::StrAppend(&token, token.empty() ? "" : " ", name, "=", *value);
  }
  return token;
}

}  // namespace

std::string ProcessPlace::Prefix() const { return count == 1 ? "" : absl::StrCat("rank ", index, ": "); }

Environment ProcessEnvironment() {
  return [](const char* name) -> absl::optional<std::string> {
    const char* const value = std::getenv(name);
    return value == nullptr ? absl::nullopt : absl::optional<std::string>(value);
  };
}

absl::StatusOr<ProcessPlace> PlaceFromEnvironment(const Environment& environment, const std::string& rendezvous) {
  ProcessPlace place;
  bool is_slurm = false;
  if (IsSet(environment, kTorchrun)) {
    RETURN_IF_ERROR(ReadRank(environment, kTorchrun, &place));
    RETURN_IF_ERROR(CheckAgreement(environment, place));
  } else if (IsSet(environment, kOpenMpi)) {
    RETURN_IF_ERROR(ReadRank(environment, kOpenMpi, &place));
  } else if (IsSet(environment, kSlurm)) {
    RETURN_IF_ERROR(ReadRank(environment, kSlurm, &place));
    is_slurm = true;
  } else {
    return Wrong(
        "no launcher has said which process this is: RANK and WORLD_SIZE are not set, nor are OMPI_COMM_WORLD_RANK "
        "and OMPI_COMM_WORLD_SIZE, nor SLURM_PROCID and SLURM_NTASKS");
  }
  if (place.count == 1) return place;
  place.launch_token = TokenOf(environment);
  if (!rendezvous.empty()) {
    place.rendezvous = rendezvous;
  } else if (environment("MASTER_ADDR").has_value() || environment("MASTER_PORT").has_value()) {
    ASSIGN_OR_RETURN(place.rendezvous, MasterPlace(environment));
  } else if (is_slurm) {
    ASSIGN_OR_RETURN(place.rendezvous, SlurmPlace(environment));
  } else {
    return Wrong("nothing says where the processes meet: set MASTER_ADDR and MASTER_PORT, or give --rendezvous");
  }
  return place;
}

absl::StatusOr<std::string> FirstHostOf(absl::string_view node_list) {
  const absl::string_view first = node_list.substr(0, node_list.find_first_of(",["));
  const absl::string_view rest = node_list.substr(first.size());
  if (rest.empty() || rest[0] == ',') {
    if (!first.empty()) return std::string(first);
  } else {
    // The numbers of several hosts, and perhaps something behind them.
    const absl::string_view number = rest.substr(1, rest.find_first_of(",-]", 1) - 1);
    const size_t end = rest.find(']');
    if (!number.empty() && number.size() + 1 < rest.size() && end != absl::string_view::npos) {
      const absl::string_view behind = rest.substr(end + 1);
      return absl::StrCat(first, number, behind.substr(0, behind.find_first_of(",[")));
    }
  }
  return Wrong(absl::StrCat("SLURM_JOB_NODELIST is '", node_list, "', expected hosts such as node[01-04],other"));
}

}  // namespace xla
