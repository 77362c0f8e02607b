// Group: the ProcessGroup of several processes. Its sources are named after what they do: group_connecting.cc,
// group_news.cc, group_launches.cc, group_gathering.cc.
#ifndef BACKENDS_REPLICATED_TRANSPORT_GROUP_H_
#define BACKENDS_REPLICATED_TRANSPORT_GROUP_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/transport/background.h"
#include "backends/replicated/transport/control_client.h"
#include "backends/replicated/transport/control_server.h"
#include "backends/replicated/transport/group_address.h"
#include "backends/replicated/transport/mesh.h"
#include "backends/replicated/transport/process_collectives.h"
#include "backends/replicated/transport/sent_keeper.h"

namespace xla {
namespace transport {

class Group : public ProcessGroup {
 public:
  explicit Group(const ProcessGroupOptions& options) : options_(options) {}
  ~Group() override;

  using Check = absl::FunctionRef<absl::Status()>;

  // As ProcessGroup::Connect, of options that have been checked.
  absl::Status Connect(Check check);

  int64_t process_index() const override { return options_.process_index; }
  int64_t process_count() const override { return options_.process_count; }
  absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch, Check check) override;
  absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string mine, Check check) override;

 private:
  struct LaunchState {
    absl::optional<CoordinatorMessage::Begun> begun;
    absl::Status failure;
    std::shared_ptr<LaunchMeetings> meetings;
  };

  static constexpr std::chrono::milliseconds kTick{10};
  // The coordinator keeps all deadlines; one that lives answers a moment later.
  static constexpr absl::Duration kAnswerTime = absl::Seconds(2);

  static absl::Status StatusOf(int code, const std::string& message) {
    return absl::Status(static_cast<absl::StatusCode>(code), message);
  }

  // ---- Coming together

  std::string DisplayName() const;
  // Whether a folder says that rank 0 is where other hosts do not find it.
  bool WasWrittenAsLoopback(const std::string& control) const;
  // Both are called with the lock held.
  std::string WhoIsSilent(absl::Time now) const;
  absl::Status Missing(const std::string& control, const absl::Status& lookup) const;

  // ---- What the coordinator says, and is told

  void Hear(const CoordinatorMessage& message);
  // The coordinator's process has gone.
  void LoseFirst();
  void Tick();
  void Tell(Report report);
  // Waits for an answer, which `take` takes if it is there; it is called with the lock held.
  absl::Status AwaitAnswer(absl::Time deadline, Check check, absl::FunctionRef<bool()> take);

  // ---- Launches

  // The number of the mesh to use.
  absl::StatusOr<int64_t> BeginTogether(const LaunchDescription& launch, Check check);
  // Devices that are elsewhere in another process are another program, too.
  static std::string FingerprintOf(const LaunchDescription& launch);
  void TellFailure(int64_t launch, const absl::Status& status);
  void EndLaunch(int64_t id);
  // The connections of that number, which all processes make at the same time; `go_on` tells of failures elsewhere.
  // Returns when all have all of theirs.
  absl::StatusOr<std::shared_ptr<Mesh>> EnsureMesh(int64_t number, absl::Time deadline, Check go_on);
  absl::StatusOr<std::shared_ptr<Mesh>> MakeMesh(int64_t number, absl::Time deadline, Check go_on);

  const ProcessGroupOptions options_;
  absl::optional<GroupAddress> address_;
  std::string own_address_;

  std::mutex mutex_;
  std::condition_variable changed_;
  absl::Status refusal_;
  absl::Status lost_;  // the coordinator
  bool first_has_left_ = false;
  CoordinatorMessage::Missing missing_;
  std::vector<Member> members_;  // by rank, once all are there
  std::map<int64_t, LaunchState> launches_;
  std::deque<std::pair<absl::Time, Report>> last_reports_;
  std::map<int64_t, CoordinatorMessage::Gathered> gathered_;
  CoordinatorMessage::Peers peers_;
  std::shared_ptr<Mesh> mesh_;
  int64_t mesh_number_ = 0;
  int64_t ready_mesh_ = 0;  // all processes have it
  int64_t dead_mesh_ = 0;
  absl::Status dead_mesh_why_;
  absl::Duration patience_ = absl::Seconds(60);  // with a silent coordinator: the collective timeout

  std::mutex mesh_mutex_;    // of who makes one
  std::mutex gather_mutex_;  // of who gathers
  int64_t next_gathering_ = 0;

  std::unique_ptr<ControlServer> server_;
  std::unique_ptr<Background> background_ = std::make_unique<Background>();
  std::unique_ptr<SentKeeper> keeper_ = std::make_unique<SentKeeper>();
  std::unique_ptr<ControlClient> client_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_GROUP_H_
