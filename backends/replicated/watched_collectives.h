// WatchedCollectives: watches where the devices of one launch meet. It measures what meetings cost, limits how long a
// device waits, and knows which devices have ended.
#ifndef BACKENDS_REPLICATED_WATCHED_COLLECTIVES_H_
#define BACKENDS_REPLICATED_WATCHED_COLLECTIVES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/collectives.h"
#include "backends/report.h"

namespace xla {

class WatchedCollectives : public Collectives {
 public:
  struct Options {
    // Whether costs() are wanted.
    bool measures = false;
    // How long a device may wait at one collective; for who does not limit that itself.
    absl::Duration timeout = absl::InfiniteDuration();
  };

  // `meetings` outlives the object and what it has started.
  WatchedCollectives(Collectives* meetings, const Options& options) : meetings_(meetings), options_(options) {}

  std::shared_ptr<StartedCollective> Start(CollectiveCall call) override;
  void DeviceEnded(int64_t device, const absl::Status& status) override;
  bool failed() const override { return meetings_->failed(); }
  bool shares_values() const override { return meetings_->shares_values(); }

  // Says of those of `devices` that have not ended that they have, with this error: they never ran.
  void EndOthers(absl::Span<const int64_t> devices, const absl::Status& error);
  // What the calls so far have cost, in the order of their first.
  std::vector<CollectiveCost> costs() const;

 private:
  class Started;

  void Count(const HloInstruction* instruction, int64_t bytes);
  void AddTimes(const HloInstruction* instruction, absl::Duration waiting, absl::Duration transfer);

  Collectives* const meetings_;
  const Options options_;
  mutable std::mutex mutex_;  // guards what follows
  absl::flat_hash_set<int64_t> ended_;
  std::vector<CollectiveCost> costs_;
  absl::flat_hash_map<const HloInstruction*, size_t> positions_;  // in costs_
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_WATCHED_COLLECTIVES_H_
