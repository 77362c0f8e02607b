#include "backends/replicated/transport/group_address.h"

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {

absl::StatusOr<GroupAddress> GroupAddress::Make(const ProcessGroupOptions& options) {
  ASSIGN_OR_RETURN(MeetingPlace place, MeetingPlace::Parse(options.rendezvous));
  GroupAddress made(options, std::move(place));
  if (!made.place_.folder.empty()) {
    ASSIGN_OR_RETURN(AddressFile file, AddressFile::Open(made.place_.folder, options.launch_token));
    made.file_.emplace(std::move(file));
  }
  return made;
}

absl::StatusOr<std::unique_ptr<ControlServer>> GroupAddress::Serve() {
  std::string address = "tcp://*:0";
  if (!file_.has_value()) {
    ASSIGN_OR_RETURN(const std::string numeric, NumericAddress(place_.host));
    address = absl::StrCat("tcp://", IsLoopback(numeric) ? numeric : "*", ":", place_.port);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ControlServer> server,
                   ControlServer::Start(address, static_cast<int>(options_.process_count), options_.launch_token));
  port_ = server->port();
  if (!file_.has_value()) return server;
  std::string own = OwnAddress();
  if (!options_.host_name.empty()) {
    ASSIGN_OR_RETURN(own, NumericAddress(options_.host_name));
  }
  RETURN_IF_ERROR(file_->Write(absl::StrCat("tcp://", own, ":", port_)));
  has_written_ = true;
  return server;
}

void GroupAddress::Withdraw() const {
  if (has_written_) file_->Remove();
}

absl::StatusOr<std::string> GroupAddress::LookUp() const {
  const bool is_first = options_.process_index == 0;
  if (file_.has_value()) {
    if (is_first) return absl::StrCat("tcp://127.0.0.1:", port_);
    std::string address = file_->Read();
    if (address.empty()) return absl::NotFoundError(absl::StrCat("rank 0 has not come to ", place_.folder));
    return address;
  }
  ASSIGN_OR_RETURN(const std::string numeric, NumericAddress(place_.host));
  return absl::StrCat("tcp://", is_first && !IsLoopback(numeric) ? "127.0.0.1" : numeric, ":", place_.port);
}

absl::StatusOr<std::string> GroupAddress::OwnToward(const std::string& control) const {
  if (!options_.host_name.empty()) return NumericAddress(options_.host_name);
  if (options_.process_index > 0) {
    const size_t begin = sizeof("tcp://") - 1;
    return AddressToward(control.substr(begin, control.rfind(':') - begin));
  }
  if (!file_.has_value()) {
    const absl::StatusOr<std::string> numeric = NumericAddress(place_.host);
    if (numeric.ok() && IsLocalAddress(*numeric)) return numeric;
  }
  return OwnAddress();
}

}  // namespace transport
}  // namespace xla
