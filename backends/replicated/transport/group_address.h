// GroupAddress: where a group's control channel is, and by which address the others reach this process.
#ifndef BACKENDS_REPLICATED_TRANSPORT_GROUP_ADDRESS_H_
#define BACKENDS_REPLICATED_TRANSPORT_GROUP_ADDRESS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/transport/control_server.h"
#include "backends/replicated/transport/meeting_place.h"

namespace xla {
namespace transport {

class GroupAddress {
 public:
  static absl::StatusOr<GroupAddress> Make(const ProcessGroupOptions& options);

  // Of rank 0: the coordinator, which the others find at the meeting place from now on.
  absl::StatusOr<std::unique_ptr<ControlServer>> Serve();
  // Of rank 0: they find it no more.
  void Withdraw() const;
  // The address of the control channel, as far as it is known.
  absl::StatusOr<std::string> LookUp() const;
  // Of this process, for one that has found the control channel there.
  absl::StatusOr<std::string> OwnToward(const std::string& control) const;

 private:
  absl::StatusOr<Socket> ListenAt(const std::string& numeric);
  bool IsLoopbackForOthers(const std::string& numeric) const;
  GroupAddress(const ProcessGroupOptions& options, MeetingPlace place) : options_(options), place_(std::move(place)) {}

  ProcessGroupOptions options_;
  MeetingPlace place_;
  absl::optional<AddressFile> file_;
  std::string own_control_;  // of rank 0: where it reaches the coordinator itself
  bool has_written_ = false;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_GROUP_ADDRESS_H_
