// The flags of hlo-opt that run passes.
#ifndef TOOLS_OPTIMIZING_PASS_FLAGS_H_
#define TOOLS_OPTIMIZING_PASS_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tools/shared/flag_table.h"

namespace xla {

// Of --weights: those that the file of inputs calls weights.
inline constexpr char kWeightsByRole[] = "role";

struct PassFlags {
  std::string passes;
  std::string pipeline;
  bool list_passes = false;
  bool list_pipelines = false;
  std::vector<std::string> disabled_passes;  // each a list with commas, as the next two
  std::vector<std::string> disabled_rules;
  std::vector<std::string> fast_math;
  int64_t stop_after = -1;
  absl::Duration time_limit = absl::InfiniteDuration();
  int64_t memory_limit = 0;  // bytes; 0: none

  bool stats = false;
  bool time_passes = false;
  bool explain_fusion = false;
  std::vector<std::string> explain;
  std::string print_analysis;
  std::string explain_sharding;  // the name of an instruction; "": none

  std::string dump_folder;
  std::string dump_filter;

  bool check_each_pass = false;
  uint64_t check_seed = 0;
  int64_t check_sets = 1;
  int64_t check_max_steps = 20'000'000;
  int64_t check_max_memory = int64_t{4} << 30;
  std::string check_output;
  std::vector<std::string> inputs;
  std::string inputs_json;
  std::string same_weights;  // numbers or kWeightsByRole; "": no parameter is the same in all sets

  // XLA's own spellings.
  bool xla_disable_all = false;
  std::string xla_dump_to;
  std::string xla_dump_pass_re;
  bool xla_dump_text = false;
  bool xla_dump_long_text = false;
  bool xla_dump_proto = false;
  bool xla_dump_dot = false;
  bool xla_dump_html = false;
  bool xla_dump_without_metadata = false;
  bool xla_dump_large_constants = false;
  bool xla_fast_math = false;
  int64_t xla_optimization_level = 3;
};

// Adds the topics that hold them.
void AddPassFlags(FlagTable* table, PassFlags* flags);

// Does what XLA's spellings mean by setting the other flags. InvalidArgument, for the command line, if they contradict
// each other or name what is not there.
absl::Status ApplyXlaPassSpellings(PassFlags* flags);

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_PASS_FLAGS_H_
