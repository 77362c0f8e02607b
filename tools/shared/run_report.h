// Where the time of a program goes: hlo-run --report.
#ifndef TOOLS_SHARED_RUN_REPORT_H_
#define TOOLS_SHARED_RUN_REPORT_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backends/device_roof.h"
#include "backends/report.h"
#include "tools/shared/machine_roof.h"
#include "tools/shared/measure_runs.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/json.h"

namespace xla {

// Adds up what each instruction takes in any number of runs. Thread-safe.
class StepTimer : public ProfileSink {
 public:
  struct Times {
    int64_t count = 0;
    absl::Duration total;
  };

  void OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time start, absl::Time end) override;
  // Zero for what never ran.
  Times Of(const HloInstruction& instruction) const;

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<const HloInstruction*, Times> times_;
};

// A part of the arena, which holds one value after the other.
struct ReportedBuffer {
  std::string name;  // of the instruction that defines the first of its values
  std::string shape;
  int64_t bytes = 0;
  int64_t offset = 0;
  int64_t values = 0;
};

// What one collective has cost, on all devices together.
struct ReportedCollective {
  std::string name;
  std::string opcode;
  std::string shape;
  int64_t calls = 0;
  int64_t bytes = 0;
  double waiting_seconds = 0;
  double transfer_seconds = 0;
};

// Adds up what collectives cost in any number of runs, and in several processes.
class CollectiveTotals {
 public:
  // Of one run.
  void Add(const std::vector<CollectiveCost>& costs);
  void Add(const ReportedCollective& costs);
  // In the order in which they were first added.
  const std::vector<ReportedCollective>& all() const { return all_; }

 private:
  std::vector<ReportedCollective> all_;
};

struct RunReport {
  struct Row {
    PlannedStep step;
    double calls = 0;    // in each run
    double seconds = 0;  // in each run, all calls together
    // Of one that ran and whose cost is known; can pass 1 where values stay in caches.
    double share_of_roof = 0;
  };

  int threads = 1;
  std::string device;  // that is not the host's processor; "": it is
  int64_t runs = 0;
  double run_seconds = 0;  // of one of the runs that were observed
  MachineRoof roof;        // of that device, or of this process alone
  int64_t process_count = 1;
  std::vector<Row> rows;  // the longest first
  // Of programs for several devices; the sums of all runs.
  int64_t device_count = 1;
  std::vector<ReportedCollective> collectives;
  int64_t native_instructions = 0;
  std::vector<Fallback> fallbacks;
  MemoryNeed memory;
  // Of programs whose memory is planned.
  bool has_plan = false;
  int64_t live_bytes = 0;               // the least that the arena could take for this order of the instructions
  std::vector<ReportedBuffer> buffers;  // of the arena, the largest first
};

// What is observed: a program whose instructions, which may call each other, stand in `module`.
struct ReportedProgram {
  const HloModule* module = nullptr;
  std::vector<PlannedStep> steps;
  const CompileReport* compile_report = nullptr;
  MemoryNeed memory;
  int threads = 1;
  const MeasuresDeviceRoof* device = nullptr;  // what it runs on; nullptr: the host
  // The processes that run it together; the first one shows the report.
  int64_t process_index = 0;
  int64_t process_count = 1;
};

// Calls `run` some times, for about a second, and puts together what `timer`, which hears of them, was told. Of several
// processes, only the first one then measures the machine, while the others have nothing to do.
absl::StatusOr<RunReport> ObserveRuns(const ReportedProgram& program, const StepTimer& timer,
                                      const std::function<absl::Status()>& run, const AgreeOn& agree_on = nullptr);

// For people: lines of at most 120 characters, as many rows as one looks at.
std::string DescribeRunReport(const RunReport& report);
// All of it, as one object.
void WriteRunReport(const RunReport& report, JsonWriter& json);

}  // namespace xla

#endif  // TOOLS_SHARED_RUN_REPORT_H_
