#include "backends/replicated/transport/mesh_handshake.h"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr int kTickMs = 10;
constexpr size_t kHalf = kMeshSecretBytes / 2;
// Beside the processes that are about to show the secret.
constexpr size_t kMaxStrangers = 256;
constexpr absl::Duration kStrangerTime = absl::Seconds(5);
// Of a rank that closes connections.
constexpr int kMaxCalls = 20;
constexpr absl::Duration kAcceptPause = absl::Milliseconds(200);

// What a caller says; the answer is the other half of the secret.
struct Greeting {
  char magic[8];
  char half[kHalf];
  uint32_t rank;
};
constexpr char kMagic[] = "halomesh";

// Takes as long for any bytes.
bool AreEqual(const char* a, const char* b, size_t size) {
  unsigned char difference = 0;
  for (size_t i = 0; i < size; ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

class Handshake {
 public:
  Handshake(int rank, absl::Span<const std::string> peers, const std::string& secret, const Socket& listener)
      : rank_(rank), peers_(peers), secret_(secret), listener_(listener), connected_(peers.size()) {}

  absl::Status CallOthers() {
    for (int r = 0; r < rank_; ++r) RETURN_IF_ERROR(Call(r, 1));
    return absl::OkStatus();
  }

  absl::Status Run(absl::Time deadline, absl::FunctionRef<absl::Status()> go_on) {
    absl::Time next_question = absl::Now();
    while (!Missing().empty()) {
      const absl::Time now = absl::Now();
      if (now >= deadline) {
        return absl::DeadlineExceededError(
            absl::StrCat("rank ", rank_, " could not be connected with ranks ", absl::StrJoin(Missing(), ", "),
                         " in time; allow the hosts each other's ports in the firewall"));
      }
      if (now >= next_question) {
        next_question = now + absl::Milliseconds(kTickMs);
        RETURN_IF_ERROR(go_on());
      }
      RETURN_IF_ERROR(Look(now));
    }
    return absl::OkStatus();
  }

  std::vector<Socket> TakeConnected() { return std::move(connected_); }

 private:
  // A connection that has not shown its half yet.
  struct Pending {
    Socket socket;
    int rank = -1;             // that was called; -1: one that has called
    int calls = 0;             // of that rank
    bool has_greeted = false;  // one that was called
    size_t expected = sizeof(Greeting);
    char bytes[sizeof(Greeting)];
    size_t received = 0;
    absl::Time since = absl::Now();
  };
  using Connections = std::list<Pending>;

  absl::Status Call(int rank, int calls) {
    const auto endpoint = ParseAddress(peers_[rank]);
    if (!endpoint.ok()) return CannotReach(rank, endpoint.status().message());
    absl::StatusOr<Socket> socket = StartConnecting(*endpoint);
    if (!socket.ok()) return CannotReach(rank, socket.status().message());
    Pending call;
    call.socket = *std::move(socket);
    call.rank = rank;
    call.calls = calls;
    call.expected = kHalf;
    pending_.push_back(std::move(call));
    return absl::OkStatus();
  }

  absl::Status CannotReach(int rank, absl::string_view why) const {
    return absl::UnavailableError(absl::StrCat("rank ", rank, " cannot be reached at ", peers_[rank], ": ", why));
  }

  std::vector<int> Missing() const {
    std::vector<int> missing;
    for (size_t r = 0; r < connected_.size(); ++r) {
      if (static_cast<int>(r) != rank_ && !connected_[r].is_open()) missing.push_back(static_cast<int>(r));
    }
    return missing;
  }

  absl::Status Look(absl::Time now) {
    std::vector<pollfd> waited = {{now < next_accept_ ? -1 : listener_.descriptor(), POLLIN, 0}};
    std::vector<Connections::iterator> waiting;
    for (auto it = pending_.begin(); it != pending_.end(); ++it) {
      const bool is_calling = it->rank >= 0 && !it->has_greeted;
      waited.push_back({it->socket.descriptor(), static_cast<short>(is_calling ? POLLOUT : POLLIN), 0});
      waiting.push_back(it);
    }
    if (poll(waited.data(), waited.size(), kTickMs) <= 0) return absl::OkStatus();
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waited[i + 1].revents != 0) RETURN_IF_ERROR(GoOnWith(waiting[i]));
    }
    if (waited[0].revents != 0) AcceptAll(now);
    DropStrangers(now);
    return absl::OkStatus();
  }

  absl::Status GoOnWith(Connections::iterator it) {
    if (it->rank >= 0 && !it->has_greeted) {
      if (const int error = ConnectError(it->socket)) return CannotReach(it->rank, std::strerror(error));
      Greeting greeting = {};
      std::memcpy(greeting.magic, kMagic, sizeof(greeting.magic));
      std::memcpy(greeting.half, secret_.data(), kHalf);
      greeting.rank = static_cast<uint32_t>(rank_);
      if (!Say(it->socket, &greeting, sizeof(greeting))) return CannotReach(it->rank, "it does not listen");
      it->has_greeted = true;
      return absl::OkStatus();
    }
    std::string gone;
    const int64_t count =
        ReceiveSome(it->socket, it->bytes + it->received, static_cast<int64_t>(it->expected - it->received), &gone);
    if (count > 0) it->received += static_cast<size_t>(count);
    const bool is_complete = it->received == it->expected;
    if (!is_complete && gone.empty()) return absl::OkStatus();
    Pending whole = std::move(*it);
    pending_.erase(it);
    if (whole.rank < 0) {
      if (is_complete) Answer(std::move(whole));
      return absl::OkStatus();
    }
    // Among many strangers it may have been counted as one of them.
    if (!is_complete)
      return whole.calls < kMaxCalls ? Call(whole.rank, whole.calls + 1) : CannotReach(whole.rank, gone);
    if (!AreEqual(whole.bytes, secret_.data() + kHalf, kHalf))
      return CannotReach(whole.rank, "another program answers");
    connected_[whole.rank] = std::move(whole.socket);
    return absl::OkStatus();
  }

  void Answer(Pending caller) {
    Greeting greeting;
    std::memcpy(&greeting, caller.bytes, sizeof(greeting));
    const bool is_member =
        AreEqual(greeting.magic, kMagic, sizeof(greeting.magic)) & AreEqual(greeting.half, secret_.data(), kHalf);
    if (!is_member || greeting.rank >= connected_.size() || static_cast<int>(greeting.rank) <= rank_) return;
    if (connected_[greeting.rank].is_open()) return;
    if (Say(caller.socket, secret_.data() + kHalf, kHalf)) connected_[greeting.rank] = std::move(caller.socket);
  }

  // So few bytes go at once, or the connection is lost.
  static bool Say(const Socket& socket, const void* data, size_t bytes) {
    iovec part = {const_cast<void*>(data), bytes};
    std::string error;
    return SendSome(socket, absl::MakeSpan(&part, 1), &error) == static_cast<int64_t>(bytes);
  }

  void AcceptAll(absl::Time now) {
    while (true) {
      bool is_exhausted;
      Pending caller;
      caller.socket = Accept(listener_, &is_exhausted);
      if (is_exhausted) next_accept_ = now + kAcceptPause;
      if (!caller.socket.is_open()) return;
      pending_.push_back(std::move(caller));
    }
  }

  // The oldest of them first.
  void DropStrangers(absl::Time now) {
    const auto has_called = [](const Pending& p) { return p.rank < 0; };
    auto strangers = static_cast<size_t>(std::count_if(pending_.begin(), pending_.end(), has_called));
    for (auto it = pending_.begin(); it != pending_.end();) {
      const bool is_dropped =
          has_called(*it) && (now - it->since > kStrangerTime || strangers > kMaxStrangers + peers_.size());
      if (is_dropped) --strangers;
      it = is_dropped ? pending_.erase(it) : std::next(it);
    }
  }

  const int rank_;
  const absl::Span<const std::string> peers_;
  const std::string& secret_;
  const Socket& listener_;
  std::vector<Socket> connected_;
  Connections pending_;  // oldest first
  absl::Time next_accept_ = absl::InfinitePast();
};

}  // namespace

absl::StatusOr<std::vector<Socket>> ConnectWithAll(int rank, absl::Span<const std::string> peers,
                                                   const std::string& secret, const Socket& listener,
                                                   absl::Time deadline, absl::FunctionRef<absl::Status()> go_on) {
  if (secret.size() != kMeshSecretBytes)
    return absl::InternalError("the processes have no secret to know each other by");
  Handshake handshake(rank, peers, secret, listener);
  RETURN_IF_ERROR(handshake.CallOthers());
  RETURN_IF_ERROR(handshake.Run(deadline, go_on));
  return handshake.TakeConnected();
}

}  // namespace transport
}  // namespace xla
