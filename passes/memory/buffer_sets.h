// BufferSets: values put together into one buffer each, as far as never two of them are live at once.
//
// It begins with one set for each value of the program (dataflow.h). Every reason for sharing (aliasing.h) is tried in
// a fixed order: results that must replace an argument; what loops and branches need and then updates in place, inner
// ones before outer ones, large before small; then what only saves memory. Two sets are joined if no interval of one
// overlaps one of the other, except where an instruction writes its result over the operand that it uses up. An
// all-reduce that was started has its operand until it is done, and may write over it from the start on if nothing else
// reads it meanwhile. What is never written and not ours, constants and the arguments that the caller did not give
// away, shares with nothing. A result of the program is in a buffer of its own, or in that of the argument which it is
// declared to replace.
//
// What is required and could not be done is left over; insert_copies.h puts copies there.
#ifndef PASSES_MEMORY_BUFFER_SETS_H_
#define PASSES_MEMORY_BUFFER_SETS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/analyses/aliasing.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/liveness.h"
#include "passes/memory/slots_of_reads.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// A union-find over the values of the program, where each set is a buffer. Everything happens in Create.
class BufferSets {
 public:
  using Value = Dataflow::Value;

  struct Entry {
    int64_t end;
    Value value;
  };
  struct Set {
    std::map<int64_t, Entry> live;  // by first slot; apart from each other except for in-place results
    std::vector<Value> values;      // ascending once all is done
    int64_t bytes = 0;
    bool read_only = false;
    Dataflow::Position parameter = -1;  // of the entry, whose buffer it is
    int64_t output = -1;                // leaf of the entry's result
  };

  // `sharing` is all that FindBufferSharing finds. The others must outlive the sets, unchanged. An error if a limit of
  // `resources`, which may be nullptr, was reached.
  static absl::StatusOr<BufferSets> Create(const HloModule& module, const Dataflow& dataflow,
                                           const std::vector<BufferSharing>& sharing, const Liveness& liveness,
                                           const ResourceContext* resources);

  // Sets with values, in the order of their first values.
  std::vector<const Set*> Sets() const;

  // Required sharing that could not be done.
  const std::vector<BufferSharing>& Failed() const { return failed_; }
  // Leaves of the entry's result whose values are constants, arguments, or in the buffer of another result.
  const std::vector<int64_t>& FailedOutputs() const { return failed_outputs_; }
  // Copies whose results are in the same buffer as their operands: nothing would be copied. Not those that keep a
  // result from being an argument.
  const std::vector<const HloInstruction*>& IdleCopies() const { return idle_copies_; }

 private:
  BufferSets(const Dataflow& dataflow, const Liveness& liveness);
  absl::Status Join(const std::vector<BufferSharing>& sharing, ResourcePoll& poll);
  absl::Status AddValues(const HloModule& module, ResourcePoll& poll);
  void AddDonors(const HloModule& module);
  void TryOutputs(const HloModule& module);
  int64_t DepthOf(const BufferSharing& sharing) const;
  bool Try(Value a, Value b);
  bool IsResultBesideArgument(Value copy, Value operand) const;
  bool CanJoin(const Set& small, const Set& large) const;
  void AddInPlace(const BufferSharing& pair, const SlotsOfReads& reads);
  bool MayTouch(int64_t earlier_start, const Entry& earlier, int64_t later_start, const Entry& later) const;
  int64_t Find(Value value) const;

  const Dataflow* dataflow_;
  const Liveness* liveness_;
  mutable std::vector<int64_t> parent_;  // by position: a position nearer to the one that stands for the set
  std::vector<Set> sets_;                // by position
  absl::flat_hash_set<Value> donated_;
  std::vector<Value> output_values_;              // by leaf of the program's result
  absl::flat_hash_map<int64_t, Value> replaced_;  // argument by leaf of the program's result
  // By result and operand: where the result begins, and where the operand must end.
  absl::flat_hash_map<std::pair<Value, Value>, LiveInterval> in_place_;
  std::vector<BufferSharing> failed_;
  std::vector<int64_t> failed_outputs_;
  std::vector<const HloInstruction*> idle_copies_;
};

}  // namespace xla

#endif  // PASSES_MEMORY_BUFFER_SETS_H_
