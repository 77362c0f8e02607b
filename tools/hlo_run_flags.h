// The command line of hlo-run.
#ifndef TOOLS_HLO_RUN_FLAGS_H_
#define TOOLS_HLO_RUN_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "tools/frontends/frontend_set.h"
#include "tools/shared/flag_table.h"

namespace xla {

struct HloRunFlags {
  std::string file;  // "-": standard input

  std::string backend = "interpreter";
  std::string dump;                          // "": nothing is written
  std::string cache;                         // "": none
  std::vector<std::string> fast_math;        // groups, with commas between them
  std::vector<std::string> settings;         // NAME=VALUE
  std::vector<std::string> client_settings;  // likewise
  std::string device;                        // "": the backend's choice
  std::string optimization_level = "1";
  int64_t threads = 0;     // 0: as many as there are CPUs
  int64_t replicas = 0;    // 0: as the inputs or the module say
  int64_t partitions = 0;  // likewise
  bool spmd = false;
  int64_t processes = 1;  // to start here
  bool distributed = false;
  std::string rendezvous;
  std::string host;                                          // by which other processes reach this one
  absl::Duration collective_timeout = absl::ZeroDuration();  // zero: not given
  bool list_devices = false;
  std::string module;
  int64_t max_steps = 0;
  int64_t max_memory = 0;  // 0: 80 % of the machine
  absl::Duration timeout = absl::InfiniteDuration();

  std::vector<std::string> inputs;
  std::string inputs_json;
  uint64_t seed = 0;
  std::string infeed;
  // "": none; "role": those that the file of inputs calls so; or numbers; "constant" or "parameter", where the frontend
  // knows the weights
  std::string weights;
  std::vector<FlagTable::OwnedFlag> of_frontends;  // those that were given

  std::string output;
  std::string outfeed;
  bool print_module = false;
  bool verbose = false;
  bool strict = false;

  std::string compare_with;
  std::string autopsy;  // a folder; "": none
  absl::optional<double> rtol;
  absl::optional<double> atol;
  absl::optional<double> ulp;

  bool benchmark = false;
  bool json = false;
  bool report = false;
  std::string profile;
};

// The table whose flags write into `flags`, and those of frontends into these.
FlagTable HloRunFlagTable(HloRunFlags& flags, FrontendSet& frontends);

// What remains after the flags: FILE, and perhaps arrays to add to the inputs. InvalidArgument with a line to print.
absl::Status TakePositionalArguments(const std::vector<std::string>& arguments, const FrontendSet& frontends,
                                     HloRunFlags& flags);

}  // namespace xla

#endif  // TOOLS_HLO_RUN_FLAGS_H_
