// ProcessThreads: a group of processes for tests, which are threads of one process. Their devices meet in the memory of
// this process; what travels between real processes is //backends/replicated/transport's.
#ifndef BACKENDS_REPLICATED_TESTING_PROCESS_THREADS_H_
#define BACKENDS_REPLICATED_TESTING_PROCESS_THREADS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/host/local_collectives.h"
#include "backends/replicated/process_group.h"

namespace xla {

// The object outlives the groups that it gives.
class ProcessThreads {
 public:
  explicit ProcessThreads(int64_t process_count) : process_count_(process_count) {}

  // That of process `index`.
  std::shared_ptr<ProcessGroup> Group(int64_t index) { return std::make_shared<Member>(this, index); }

 private:
  // A launch that has begun in some process.
  struct Launch {
    std::string fingerprint;
    bool fingerprints_differ = false;
    const HloModule* module = nullptr;  // of the first to come
    std::unique_ptr<LocalCollectives> meetings;
    int64_t begun = 0;
  };

  // The devices of one process meet the others by the instructions of the first one's module.
  class Meetings : public Collectives {
   public:
    Meetings(Collectives* all, const HloModule& mine, const HloModule& first) : all_(all) {
      for (size_t c = 0; c < mine.computations().size(); ++c) {
        const auto& own = mine.computations()[c]->instructions();
        const auto& theirs = first.computations()[c]->instructions();
        for (size_t i = 0; i < own.size(); ++i) places_[own[i].get()] = theirs[i].get();
      }
    }

    std::shared_ptr<StartedCollective> Start(CollectiveCall call) override {
      if (call.instruction != nullptr) call.instruction = places_.at(call.instruction);
      return all_->Start(std::move(call));
    }
    void DeviceEnded(int64_t device, const absl::Status& status) override { all_->DeviceEnded(device, status); }
    bool failed() const override { return all_->failed(); }
    bool shares_values() const override { return false; }

   private:
    Collectives* const all_;
    absl::flat_hash_map<const HloInstruction*, const HloInstruction*> places_;
  };

  class Member : public ProcessGroup {
   public:
    Member(ProcessThreads* all, int64_t index) : all_(all), index_(index) {}

    int64_t process_index() const override { return index_; }
    int64_t process_count() const override { return all_->process_count_; }

    absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch,
                                                       absl::FunctionRef<absl::Status()> check) override {
      Launch& shared = all_->Join(launch);
      const absl::Time deadline = absl::Now() + launch.collective_timeout;
      while (!all_->HaveAllBegun(shared)) {
        const absl::Status status = check();
        if (!status.ok()) return status;
        if (absl::Now() > deadline) return absl::DeadlineExceededError("not all processes have begun the launch");
        absl::SleepFor(absl::Milliseconds(1));
      }
      if (shared.fingerprints_differ) return absl::FailedPreconditionError("another process runs another program");
      return std::unique_ptr<Collectives>(
          std::make_unique<Meetings>(shared.meetings.get(), *launch.module, *shared.module));
    }

    absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string, absl::FunctionRef<absl::Status()>) override {
      return absl::UnimplementedError("no test asks for it");
    }

   private:
    ProcessThreads* const all_;
    const int64_t index_;
  };

  Launch& Join(const LaunchDescription& description) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Launch& launch = launches_[description.launch_id];
    if (launch.begun++ == 0) {
      launch.fingerprint = description.fingerprint;
      launch.module = description.module;
      launch.meetings = std::make_unique<LocalCollectives>(static_cast<int64_t>(description.process_of_device.size()),
                                                           &pool_, &memory_);
    } else if (launch.fingerprint != description.fingerprint) {
      launch.fingerprints_differ = true;
    }
    return launch;
  }
  bool HaveAllBegun(const Launch& launch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return launch.begun == process_count_;
  }

  const int64_t process_count_;
  ThreadPool pool_{2};
  MemoryBudget memory_;
  std::mutex mutex_;
  std::map<int64_t, Launch> launches_;  // by launch_id
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_TESTING_PROCESS_THREADS_H_
