#include "backends/replicated/transport/group_address.h"

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr char kScheme[] = "tcp://";

}  // namespace

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
  std::string numeric = OwnAddress();
  if (!file_.has_value()) {
    ASSIGN_OR_RETURN(numeric, NumericAddress(place_.host));
  } else if (!options_.host_name.empty()) {
    ASSIGN_OR_RETURN(numeric, AddressOfHost(options_.host_name));
  }
  ASSIGN_OR_RETURN(Socket listener, ListenAt(numeric));
  auto server = std::make_unique<ControlServer>(std::move(listener), static_cast<int>(options_.process_count),
                                                options_.launch_token);
  if (!file_.has_value()) return server;
  RETURN_IF_ERROR(file_->Write(absl::StrCat(kScheme, numeric, ":", server->port())));
  has_written_ = true;
  return server;
}

// There alone, so that no more strangers than necessary can call. An address that is not of this host is that of
// something that passes connections to it, and a name may lead elsewhere on other hosts than here.
absl::StatusOr<Socket> GroupAddress::ListenAt(const std::string& numeric) {
  const std::string address = absl::StrCat(kScheme, numeric, ":", place_.port);
  const bool there = IsLocalAddress(numeric) && !IsLoopbackForOthers(numeric);
  absl::StatusOr<Socket> listener = absl::UnknownError("");
  if (there) {
    ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(numeric, place_.port));
    listener = Listen(endpoint, address);
  } else {
    listener = ListenEverywhere(place_.port, address);
  }
  if (listener.ok()) own_control_ = absl::StrCat(kScheme, there ? numeric : "127.0.0.1", ":", PortOf(*listener));
  return listener;
}

// Whether the place is the name of this host, which many systems give an address of the loopback.
bool GroupAddress::IsLoopbackForOthers(const std::string& numeric) const {
  return !file_.has_value() && IsLoopback(numeric) && place_.host != "localhost" && place_.host != numeric &&
         place_.host != WithoutBrackets(numeric);
}

void GroupAddress::Withdraw() const {
  if (has_written_) file_->Remove();
}

absl::StatusOr<std::string> GroupAddress::LookUp() const {
  if (options_.process_index == 0) return own_control_;
  if (file_.has_value()) {
    std::string address = file_->Read();
    if (address.empty()) return absl::NotFoundError(absl::StrCat("rank 0 has not come to ", place_.folder));
    return address;
  }
  ASSIGN_OR_RETURN(const std::string numeric, NumericAddress(place_.host));
  return absl::StrCat(kScheme, numeric, ":", place_.port);
}

absl::StatusOr<std::string> GroupAddress::OwnToward(const std::string& control) const {
  if (!options_.host_name.empty()) return AddressOfHost(options_.host_name);
  if (options_.process_index > 0) {
    const size_t begin = sizeof(kScheme) - 1;
    return AddressToward(control.substr(begin, control.rfind(':') - begin));
  }
  if (file_.has_value()) return OwnAddress();
  ASSIGN_OR_RETURN(const std::string numeric, NumericAddress(place_.host));
  if (IsLocalAddress(numeric) && !IsLoopbackForOthers(numeric)) return numeric;
  const absl::StatusOr<std::string> of_interface = AddressOfInterface("");
  return of_interface.ok() ? of_interface : OwnAddress();
}

}  // namespace transport
}  // namespace xla
