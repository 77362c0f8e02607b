// OwnDevices: which of a program's devices run here. The others run elsewhere, in other processes.
#ifndef XLA_CORE_EVALUATOR_OWN_DEVICES_H_
#define XLA_CORE_EVALUATOR_OWN_DEVICES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "xla_core/ops/eval_context.h"

namespace xla {

// A device has a *number*, its flattened id among all devices of the program, and a *position* among those that run
// here.
class OwnDevices {
 public:
  // All devices of a program.
  OwnDevices(int64_t replica_count, int64_t partition_count)
      : OwnDevices(replica_count, partition_count, std::vector<int64_t>()) {}
  // Those with these numbers, ascending; without any, all.
  OwnDevices(int64_t replica_count, int64_t partition_count, std::vector<int64_t> numbers)
      : replica_count_(replica_count), partition_count_(partition_count), numbers_(std::move(numbers)) {}

  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return partition_count_; }
  // Of the program, and of those that run here.
  int64_t program_count() const { return replica_count_ * partition_count_; }
  int64_t count() const { return numbers_.empty() ? program_count() : static_cast<int64_t>(numbers_.size()); }
  bool are_all() const { return count() == program_count(); }

  int64_t NumberOf(int64_t position) const { return numbers_.empty() ? position : numbers_[position]; }
  // Of a device that runs here.
  int64_t PositionOf(int64_t number) const {
    if (numbers_.empty()) return number;
    return std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin();
  }
  DeviceInfo InfoOf(int64_t position) const {
    const int64_t number = NumberOf(position);
    return {number / partition_count_, number % partition_count_, replica_count_, partition_count_};
  }

 private:
  int64_t replica_count_;
  int64_t partition_count_;
  std::vector<int64_t> numbers_;  // empty: all
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_OWN_DEVICES_H_
