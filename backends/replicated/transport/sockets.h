// Sockets: TCP between the processes of a group. None of them waits; whoever writes to one that the other side has
// closed gets an error and no signal.
#ifndef BACKENDS_REPLICATED_TRANSPORT_SOCKETS_H_
#define BACKENDS_REPLICATED_TRANSPORT_SOCKETS_H_

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace xla {
namespace transport {

// Owns a descriptor.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    if (this != &other) {
      Close();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }
  ~Socket() { Close(); }

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  void Close();

 private:
  int descriptor_ = -1;
};

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;

  int family() const { return address.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// The first IPv4 address of a host, else its first IPv6 address, which may be in brackets. NotFound if there is none.
absl::StatusOr<Endpoint> Resolve(const std::string& host, int port);
// Of "10.0.0.1:29500", "tcp://[::1]:29500".
absl::StatusOr<Endpoint> ParseAddress(const std::string& text);
// "10.0.0.1", "[::1]"
std::string NumberOf(const Endpoint& endpoint);

// Listens there; port 0: at any. AlreadyExists if the port is taken, InvalidArgument if the address is not one of this
// host; both name `address`.
absl::StatusOr<Socket> Listen(const Endpoint& endpoint, const std::string& address);
// Listens at all addresses of this host.
absl::StatusOr<Socket> ListenEverywhere(int port, const std::string& address);
int PortOf(const Socket& listener);

// Not open if there is no caller, or if there are no descriptors left, which `is_exhausted` says.
Socket Accept(const Socket& listener, bool* is_exhausted);
// Begins to connect: when it can be written to, ConnectError says how it went.
absl::StatusOr<Socket> StartConnecting(const Endpoint& endpoint);
// 0 or an errno.
int ConnectError(const Socket& socket);

// Sends and receives what goes at once. -1: nothing does; a lost connection sets `error` to why.
int64_t SendSome(const Socket& socket, absl::Span<iovec> parts, std::string* error);
int64_t ReceiveSome(const Socket& socket, void* data, int64_t bytes, std::string* error);

// Waits until the other hosts have got all that was sent, but not beyond `deadline`: closing a socket at which bytes
// have come that were not read discards what is still on its way. Reads and drops what comes meanwhile.
void AwaitDelivery(absl::Span<const Socket* const> sockets, absl::Time deadline);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_SOCKETS_H_
