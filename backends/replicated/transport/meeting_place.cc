#include "backends/replicated/transport/meeting_place.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gloo/rendezvous/file_store.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// Anything longer is not an address.
constexpr size_t kMaxAddress = 256;
// Within it a host answers to whoever connects.
constexpr int kProbeMs = 1000;

class Store : public gloo::rendezvous::FileStore {
 public:
  using FileStore::FileStore;
  std::string PathOf(const std::string& key) { return objectPath(key); }
};

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;
  int family() const { return address.ss_family; }
};

absl::StatusOr<Endpoint> Resolve(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(WithoutBrackets(host).c_str(), nullptr, &hints, &found);
  if (error != 0 || found == nullptr) {
    return absl::NotFoundError(absl::StrCat("host ", host, " has no address: ", gai_strerror(error)));
  }
  const addrinfo* best = found;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    if (a->ai_family != AF_INET) continue;
    best = a;
    break;
  }
  Endpoint endpoint;
  endpoint.size = best->ai_addrlen;
  std::memcpy(&endpoint.address, best->ai_addr, best->ai_addrlen);
  freeaddrinfo(found);
  if (endpoint.family() == AF_INET) reinterpret_cast<sockaddr_in&>(endpoint.address).sin_port = htons(port);
  if (endpoint.family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(endpoint.address).sin6_port = htons(port);
  return endpoint;
}

std::string Numeric(const Endpoint& endpoint) {
  char text[NI_MAXHOST];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, text, sizeof(text), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "";
  }
  return endpoint.family() == AF_INET6 ? absl::StrCat("[", text, "]") : std::string(text);
}

class Socket {
 public:
  Socket(int family, int type) : descriptor_(socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

bool SomebodyListensAt(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port;
  if (!absl::StartsWith(address, "tcp://") || colon == std::string::npos ||
      !absl::SimpleAtoi(address.substr(colon + 1), &port)) {
    return false;
  }
  const auto endpoint = Resolve(address.substr(6, colon - 6), port);
  if (!endpoint.ok()) return false;
  const Socket probe(endpoint->family(), SOCK_STREAM);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&endpoint->address), endpoint->size) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd waited = {probe.get(), POLLOUT, 0};
  if (poll(&waited, 1, kProbeMs) != 1) return false;
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(probe.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
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
  const std::string key = absl::StrCat("halo control channel ", launch_token);
  struct stat status = {};
  try {
    const std::string path = Store(folder).PathOf(key);
    if (stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return AddressFile(folder, key, path);
  } catch (const std::exception&) {
    // It has gone meanwhile.
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cannot meet in ", folder, ": it is not a folder; name one that all processes can write to"));
}

absl::Status AddressFile::Write(const std::string& address) const {
  const std::string old = Read();
  if (!old.empty() && SomebodyListensAt(old)) {
    return absl::AlreadyExistsError(absl::StrCat("rank 0 of another run listens at ", old, " and meets in ", folder_,
                                                 ", too; give each run a folder or a launch token of its own"));
  }
  Remove();
  try {
    Store(folder_).set(key_, std::vector<char>(address.begin(), address.end()));
  } catch (const std::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write to ", folder_, ": ", e.what(), "; name a folder that all processes can write to"));
  }
  return absl::OkStatus();
}

std::string AddressFile::Read() const {
  // The store would wait for it, and tell those apart that are empty by an exception.
  if (access(path_.c_str(), R_OK) != 0) return "";
  try {
    const std::vector<char> bytes = Store(folder_).get(key_);
    return bytes.size() > kMaxAddress ? "" : std::string(bytes.begin(), bytes.end());
  } catch (const std::exception&) {
    return "";
  }
}

void AddressFile::Remove() const { unlink(path_.c_str()); }

absl::StatusOr<std::string> NumericAddress(const std::string& host) {
  ASSIGN_OR_RETURN(const Endpoint endpoint, Resolve(host, 0));
  return Numeric(endpoint);
}

bool IsLocalAddress(const std::string& numeric) {
  const auto endpoint = Resolve(numeric, 0);
  if (!endpoint.ok()) return false;
  const Socket probe(endpoint->family(), SOCK_DGRAM);
  return bind(probe.get(), reinterpret_cast<const sockaddr*>(&endpoint->address), endpoint->size) == 0;
}

bool IsLoopback(const std::string& numeric) { return absl::StartsWith(numeric, "127.") || numeric == "[::1]"; }

absl::StatusOr<std::string> AddressToward(const std::string& numeric) {
  // Nothing is sent: connecting only chooses a route.
  ASSIGN_OR_RETURN(Endpoint endpoint, Resolve(numeric, 9));
  const Socket probe(endpoint.family(), SOCK_DGRAM);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size) != 0 ||
      getsockname(probe.get(), reinterpret_cast<sockaddr*>(&endpoint.address), &endpoint.size) != 0) {
    return absl::UnavailableError(absl::StrCat("there is no way to ", numeric, ": ", std::strerror(errno)));
  }
  return Numeric(endpoint);
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
