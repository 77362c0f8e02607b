// ProcessPlace: which of the processes that run a program together this one is, and where they find each other.
#ifndef TOOLS_PROCESSES_PROCESS_PLACE_H_
#define TOOLS_PROCESSES_PROCESS_PLACE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace xla {

struct ProcessPlace {
  int64_t index = 0;  // the rank
  int64_t count = 1;
  std::string rendezvous;    // as ProcessGroupOptions has it; "" for one process
  std::string launch_token;  // keeps jobs apart that meet at the same place

  bool is_first() const { return index == 0; }
  // What its messages begin with: "rank 2: ", nothing for one process.
  std::string Prefix() const;
};

// The value of an environment variable.
using Environment = std::function<absl::optional<std::string>(const char* name)>;
Environment ProcessEnvironment();

// What the variables of torchrun (RANK, WORLD_SIZE), else of Open MPI (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE),
// else of Slurm (SLURM_PROCID, SLURM_NTASKS) say. The place to meet is `rendezvous` or, if that is "", MASTER_ADDR and
// MASTER_PORT, else a port of the first host of SLURM_JOB_NODELIST that follows from SLURM_JOB_ID. The launch token is
// what HALO_LAUNCH_TOKEN, TORCHELASTIC_RUN_ID, OMPI_MCA_ess_base_jobid, SLURM_JOB_ID and SLURM_STEP_ID say, as far as
// they are set.
// InvalidArgument, naming the variable that is missing, is not a number or contradicts another one.
absl::StatusOr<ProcessPlace> PlaceFromEnvironment(const Environment& environment, const std::string& rendezvous);

// Of "node[03-05,9],login" node03. InvalidArgument if it is not a list of hosts as Slurm writes it.
absl::StatusOr<std::string> FirstHostOf(absl::string_view node_list);

}  // namespace xla

#endif  // TOOLS_PROCESSES_PROCESS_PLACE_H_
