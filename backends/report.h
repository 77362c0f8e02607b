// What a backend tells about itself, a compiled program and a run.
#ifndef BACKENDS_REPORT_H_
#define BACKENDS_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace xla {

class HloInstruction;

// Whether a backend runs an instruction itself. What it does not, the evaluator runs for it.
struct InstructionSupport {
  bool supported = true;
  std::string reason;  // if not: what is missing, in a few words: "no kernel for sort with a custom comparator"
};

// Instructions of one kind that a backend left to the evaluator, or to none.
struct Fallback {
  std::string opcode;
  std::string reason;
  int64_t count = 0;
  std::string example;  // the first such instruction's name
};

// What Executable::report() tells of a compilation: how much of the program the backend does itself, why it leaves
// the rest to the evaluator, and where the time went. It lives as long as the executable.
struct CompileReport {
  int64_t native_instructions = 0;  // run by the backend itself
  std::vector<Fallback> fallbacks;  // one for each opcode and reason, in the order of their first instruction
  // Stages in order with their times: {"verify", 1 ms}, {"prepare", 3 ms} ...
  std::vector<std::pair<std::string, absl::Duration>> stages;
  std::vector<std::string> notes;  // what else a person should know: a cache entry that was damaged ...

  // Counts an instruction, by name, in the fallback of equal opcode and reason; the first one becomes its example.
  void AddFallback(absl::string_view opcode, absl::string_view reason, absl::string_view instruction);
  // A line for each stage, each fallback and each note.
  std::string ToString() const;
};

// A step of a compiled program, as profiles and reports show it.
struct PlannedStep {
  const HloInstruction* instruction = nullptr;  // of Executable::module(): what ProfileSink is told of
  std::string kind;                             // what does it: "kernel", "dot", "copy" ...
  bool is_fallback = false;                     // the evaluator does it
  // Of the step done once, as CostEstimate counts; and bytes of memory that it has to read and write at least.
  double flops = 0;
  double bytes = 0;
};

// What one collective of a program has cost in a run, on all devices of this process together.
struct CollectiveCost {
  const HloInstruction* instruction = nullptr;  // of Executable::module(); of a pair, its start
  int64_t calls = 0;
  int64_t bytes = 0;  // of the operands and results of all calls
  // How long devices did nothing else but to wait for others to come, and then for the data. Where it is not known when
  // the others came, all of it counts as transfer.
  absl::Duration waiting = absl::ZeroDuration();
  absl::Duration transfer = absl::ZeroDuration();
};

// What one run has cost. The caller owns it and passes it in ExecuteOptions::report; the run overwrites it, also when
// it fails, before `done` happens.
struct ExecutionReport {
  int64_t steps = 0;                              // instructions evaluated, on all devices of this process
  int64_t fallback_steps = 0;                     // those of them that the evaluator ran for a backend that cannot
  int64_t peak_memory_bytes = 0;                  // most bytes that values held at once, all devices together
  absl::Duration elapsed = absl::ZeroDuration();  // from the moment the arguments were ready
  // Of programs for several devices, on the backend `replicated`; in the order in which they were first called.
  std::vector<CollectiveCost> collectives;
};

// What one run costs, from shapes alone.
struct CostEstimate {
  double flops = 0;            // floating-point and integer operations; a multiply-add counts as two
  double transcendentals = 0;  // exp, log, tanh, sqrt ... among them, each element once
  double bytes_accessed = 0;   // operands and results of every instruction
  // A loop whose iterations are not known counts as one iteration; then this is set. A conditional counts as its
  // most expensive branch.
  bool has_unknown_trip_counts = false;
};

// Bytes that an executable needs on each of its devices.
struct MemoryNeed {
  int64_t argument_bytes = 0;
  int64_t output_bytes = 0;
  int64_t alias_bytes = 0;      // of the output, in memory of donated arguments
  int64_t temporary_bytes = 0;  // beyond arguments and results, at the worst moment; an upper bound
  int64_t code_bytes = 0;       // generated code and constants
};

// What Device::memory() tells, in bytes, at the moment of the call. Devices of the host count in one budget and all
// report the whole of it, so adding them up counts bytes several times.
struct DeviceMemory {
  int64_t bytes_in_use = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t bytes_limit = 0;
};

}  // namespace xla

#endif  // BACKENDS_REPORT_H_
