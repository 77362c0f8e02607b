#include "backends/replicated/transport/sockets.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/meeting_place.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr int kWaitingCallers = 1024;
constexpr int kDropsAtATime = 64;
constexpr char kClosed[] = "the other side has closed it";

Socket MakeSocket(int family) { return Socket(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

void SetOption(const Socket& socket, int level, int name, int value) {
  setsockopt(socket.descriptor(), level, name, &value, sizeof(value));
}

absl::StatusOr<Socket> ListenOn(Socket listener, const Endpoint& endpoint, const std::string& address) {
  // A port whose earlier connections have not quite ended can be used again; one at which a process listens cannot.
  if (listener.is_open()) SetOption(listener, SOL_SOCKET, SO_REUSEADDR, 1);
  if (listener.is_open() && bind(listener.descriptor(), endpoint.get(), endpoint.size) == 0 &&
      listen(listener.descriptor(), kWaitingCallers) == 0) {
    return listener;
  }
  if (errno == EADDRINUSE) {
    return absl::AlreadyExistsError(
        absl::StrCat("the port of ", address, " is taken by another process; choose another port"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cannot listen at ", address, ": ", std::strerror(errno),
                   "; name an address of this host and a port that this user may listen at"));
}

// What a call of send or recv that has failed means.
int64_t Failed(std::string* error) {
  if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) *error = std::strerror(errno);
  return -1;
}

}  // namespace

void Socket::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

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

absl::StatusOr<Endpoint> ParseAddress(const std::string& text) {
  const std::string address(absl::StripPrefix(text, "tcp://"));
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == std::string::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", address, "' is not an address, expected a host and a port such as 10.0.0.1:29500"));
  }
  return Resolve(address.substr(0, colon), port);
}

std::string NumberOf(const Endpoint& endpoint) {
  char text[NI_MAXHOST];
  if (getnameinfo(endpoint.get(), endpoint.size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return endpoint.family() == AF_INET6 ? absl::StrCat("[", text, "]") : std::string(text);
}

absl::StatusOr<Socket> Listen(const Endpoint& endpoint, const std::string& address) {
  return ListenOn(MakeSocket(endpoint.family()), endpoint, address);
}

absl::StatusOr<Socket> ListenEverywhere(int port, const std::string& address) {
  Endpoint everywhere;
  Socket both = MakeSocket(AF_INET6);
  if (both.is_open()) {
    SetOption(both, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    auto& ip6 = reinterpret_cast<sockaddr_in6&>(everywhere.address);
    ip6.sin6_family = AF_INET6;
    ip6.sin6_addr = in6addr_any;
    ip6.sin6_port = htons(static_cast<uint16_t>(port));
    everywhere.size = sizeof(ip6);
    absl::StatusOr<Socket> listener = ListenOn(std::move(both), everywhere, address);
    // A host without IPv6 addresses says so here.
    if (listener.ok() || absl::IsAlreadyExists(listener.status())) return listener;
  }
  everywhere = Endpoint();
  auto& ip4 = reinterpret_cast<sockaddr_in&>(everywhere.address);
  ip4.sin_family = AF_INET;
  ip4.sin_addr.s_addr = htonl(INADDR_ANY);
  ip4.sin_port = htons(static_cast<uint16_t>(port));
  everywhere.size = sizeof(ip4);
  return Listen(everywhere, address);
}

int PortOf(const Socket& listener) {
  Endpoint endpoint;
  endpoint.size = sizeof(endpoint.address);
  if (getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&endpoint.address), &endpoint.size) != 0) return 0;
  return ntohs(endpoint.family() == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(endpoint.address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(endpoint.address).sin_port);
}

Socket Accept(const Socket& listener, bool* is_exhausted) {
  Socket accepted(accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  *is_exhausted = !accepted.is_open() && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  // Small messages leave at once.
  if (accepted.is_open()) SetOption(accepted, IPPROTO_TCP, TCP_NODELAY, 1);
  return accepted;
}

absl::StatusOr<Socket> StartConnecting(const Endpoint& endpoint) {
  Socket socket = MakeSocket(endpoint.family());
  if (!socket.is_open()) return absl::ResourceExhaustedError(absl::StrCat("socket: ", std::strerror(errno)));
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (connect(socket.descriptor(), endpoint.get(), endpoint.size) == 0 || errno == EINPROGRESS || errno == EINTR) {
    return socket;
  }
  return absl::UnavailableError(std::strerror(errno));
}

int ConnectError(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int64_t SendSome(const Socket& socket, absl::Span<iovec> parts, std::string* error) {
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t sent = sendmsg(socket.descriptor(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent >= 0 ? sent : Failed(error);
}

int64_t ReceiveSome(const Socket& socket, void* data, int64_t bytes, std::string* error) {
  const ssize_t received = recv(socket.descriptor(), data, static_cast<size_t>(bytes), MSG_DONTWAIT);
  if (received > 0) return received;
  if (received < 0) return Failed(error);
  *error = kClosed;
  return -1;
}

void AwaitDelivery(absl::Span<const Socket* const> sockets, absl::Time deadline) {
  std::string ignored;
  char dropped[4096];
  const auto is_on_its_way = [&](const Socket* socket) {
    for (int i = 0; i < kDropsAtATime && ReceiveSome(*socket, dropped, sizeof(dropped), &ignored) > 0; ++i) {
    }
    int unsent = 0;
    return socket->is_open() && ioctl(socket->descriptor(), SIOCOUTQ, &unsent) == 0 && unsent > 0;
  };
  while (std::any_of(sockets.begin(), sockets.end(), is_on_its_way) && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(1));
  }
}

}  // namespace transport
}  // namespace xla
