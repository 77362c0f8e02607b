#include "backends/replicated/transport/meeting_place.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/replicated/transport/sockets.h"
#include "xla_core/support/files.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// Anything longer is not an address.
constexpr size_t kMaxAddress = 256;
// Within it a host answers to whoever connects.
constexpr int kProbeMs = 1000;

constexpr char kScheme[] = "tcp://";

// One whose connection only chooses a route: nothing is sent.
Socket MakeProbe(int family) { return Socket(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)); }

bool SomeoneListensAt(const std::string& address) {
  if (!absl::StartsWith(address, kScheme)) return false;
  const auto endpoint = ParseAddress(address.substr(sizeof(kScheme) - 1));
  if (!endpoint.ok()) return false;
  const auto probe = StartConnecting(*endpoint);
  if (!probe.ok()) return false;
  pollfd waited = {probe->descriptor(), POLLOUT, 0};
  return poll(&waited, 1, kProbeMs) == 1 && ConnectError(*probe) == 0;
}

// The file of a launch token, whose characters need not be those of a file's name.
std::string FileOf(const std::string& folder, const std::string& launch_token) {
  uint64_t hash = launch_token.size();
  for (const char c : launch_token) hash = MixHash(hash, static_cast<unsigned char>(c));
  return absl::StrCat(folder, "/halo-", absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace

absl::StatusOr<MeetingPlace> MeetingPlace::Parse(const std::string& text) {
  MeetingPlace place;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "file:") && !rest.empty()) {
    place.folder = std::string(rest);
    return place;
  }
  rest = text;
  if (absl::ConsumePrefix(&rest, "tcp:")) {
    const size_t colon = rest.rfind(':');
    if (colon != absl::string_view::npos && colon > 0 && absl::SimpleAtoi(rest.substr(colon + 1), &place.port) &&
        place.port > 0 && place.port < 65536) {
      place.host = std::string(rest.substr(0, colon));
      return place;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the rendezvous is file:DIR or tcp:HOST:PORT with a port of 1 to 65535, not '", text, "'"));
}

absl::StatusOr<AddressFile> AddressFile::Open(const std::string& folder, const std::string& launch_token) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return absl::InvalidArgumentError(absl::StrCat("cannot make the folder ", folder, " to meet in: ",
                                                   std::strerror(errno), "; name one that all processes can write to"));
  }
  struct stat status = {};
  if (stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return AddressFile(folder, FileOf(folder, launch_token));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cannot meet in ", folder, ": it is not a folder; name one that all processes can write to"));
}

absl::Status AddressFile::Write(const std::string& address) const {
  const std::string old = Read();
  if (!old.empty() && SomeoneListensAt(old)) {
    return absl::AlreadyExistsError(absl::StrCat("rank 0 of another run listens at ", old, " and meets in ", folder_,
                                                 ", too; give each run a folder or a launch token of its own"));
  }
  const absl::Status written = WriteFile(path_, address);
  if (written.ok()) return written;
  return absl::InvalidArgumentError(absl::StrCat("cannot write to ", folder_, ": ", written.message(),
                                                 "; name a folder that all processes can write to"));
}

std::string AddressFile::Read() const {
  struct stat status = {};
  if (stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  const absl::StatusOr<FileContents> file = ReadFile(path_, kMaxAddress);
  return file.ok() ? std::string(file->data()) : "";
}

void AddressFile::Remove() const { unlink(path_.c_str()); }

absl::StatusOr<std::string> AddressOfInterface(const std::string& name) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return absl::UnavailableError(absl::StrCat("getifaddrs: ", std::strerror(errno)));
  const absl::Cleanup free = [all] { freeifaddrs(all); };
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != family || (one->ifa_flags & IFF_UP) == 0) continue;
      if (name.empty() ? (one->ifa_flags & IFF_LOOPBACK) != 0 : name != one->ifa_name) continue;
      Endpoint endpoint;
      endpoint.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
      std::memcpy(&endpoint.address, one->ifa_addr, endpoint.size);
      return NumberOf(endpoint);
    }
  }
  return absl::NotFoundError(absl::StrCat("this host has no network interface '", name, "' with an address"));
}

absl::StatusOr<std::string> AddressOfHost(const std::string& host) {
  absl::StatusOr<std::string> address = AddressOfInterface(host);
  if (!address.ok()) address = NumericAddress(host);
  if (address.ok()) return address;
  return absl::InvalidArgumentError(
      absl::StrCat(address.status().message(), ", and it is not a network interface of this host either"));
}

absl::StatusOr<std::string> NumericAddress(const std::string& host) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(host, 0));
  return NumberOf(endpoint);
}

bool IsLocalAddress(const std::string& numeric) {
  const auto endpoint = Resolve(numeric, 0);
  if (!endpoint.ok()) return false;
  return bind(MakeProbe(endpoint->family()).descriptor(), endpoint->get(), endpoint->size) == 0;
}

bool IsLoopback(const std::string& numeric) { return absl::StartsWith(numeric, "127.") || numeric == "[::1]"; }

absl::StatusOr<std::string> AddressToward(const std::string& numeric) {
  ASSIGN_OR_RETURN(Endpoint endpoint, Resolve(numeric, 9));
  const Socket probe = MakeProbe(endpoint.family());
  if (connect(probe.descriptor(), endpoint.get(), endpoint.size) != 0 ||
      getsockname(probe.descriptor(), reinterpret_cast<sockaddr*>(&endpoint.address), &endpoint.size) != 0) {
    return absl::UnavailableError(absl::StrCat("there is no way to ", numeric, ": ", std::strerror(errno)));
  }
  return NumberOf(endpoint);
}

std::string OwnHostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == 0) return "localhost";
  return name;
}

std::string OwnAddress() {
  const auto address = NumericAddress(OwnHostName());
  return address.ok() && IsLocalAddress(*address) ? *address : "127.0.0.1";
}

std::string WithoutBrackets(const std::string& numeric) {
  absl::string_view bare = numeric;
  if (absl::ConsumePrefix(&bare, "[")) absl::ConsumeSuffix(&bare, "]");
  return std::string(bare);
}

}  // namespace transport
}  // namespace xla
