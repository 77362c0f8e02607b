#include "tests/faults/network.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kOwnNamespace[] = "/proc/self/ns/net";
constexpr char kDevice[] = "eth0";
constexpr size_t kPacketBytes = 65536;
// Of an IPv4 header.
constexpr size_t kDestination = 16, kHeaderBytes = 20;
// What is on its way in all, as much as a gigabit per second for half a second.
constexpr size_t kMaxBytesUnderWay = 64 << 20;

// `what` could not be done: "cannot make a network namespace: Operation not permitted; run it as root".
absl::Status SystemError(absl::string_view what, absl::string_view advice) {
  return absl::UnavailableError(absl::StrCat("cannot ", what, ": ", std::strerror(errno), "; ", advice));
}

// Lives in the namespace of the descriptor.
class InNamespace {
 public:
  explicit InNamespace(int descriptor) : own_(open(kOwnNamespace, O_RDONLY | O_CLOEXEC)) {
    CHECK(own_ >= 0 && setns(descriptor, CLONE_NEWNET) == 0);
  }
  ~InNamespace() {
    CHECK(setns(own_, CLONE_NEWNET) == 0);
    close(own_);
  }
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  const int own_;
};

absl::StatusOr<int> NewNamespace() {
  const int own = open(kOwnNamespace, O_RDONLY | O_CLOEXEC);
  if (own < 0) return SystemError("look at the network namespace", "mount /proc");
  const auto close_own = absl::MakeCleanup([own] { close(own); });
  if (unshare(CLONE_NEWNET) != 0) return SystemError("make a network namespace", "run it as root");
  const int made = open(kOwnNamespace, O_RDONLY | O_CLOEXEC);
  CHECK(made >= 0 && setns(own, CLONE_NEWNET) == 0);
  return made;
}

// Runs a program of the system in a namespace. Its first line of errors is part of the message.
absl::Status RunIn(int network, const std::vector<std::string>& command, absl::string_view package) {
  int errors[2];
  CHECK(pipe2(errors, O_CLOEXEC) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    // Debian keeps these programs where the PATH of a user does not lead.
    const std::string path =
        absl::StrCat("PATH=/usr/sbin:/sbin:", std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    putenv(const_cast<char*>(path.c_str()));
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    if (setns(network, CLONE_NEWNET) == 0 && dup2(errors[1], 1) >= 0 && dup2(errors[1], 2) >= 0) {
      execvp(arguments[0], arguments.data());
    }
    _exit(127);
  }
  close(errors[1]);
  std::string text;
  char buffer[512];
  ssize_t got;
  while ((got = read(errors[0], buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(got));
  close(errors[0]);
  int status = 0;
  while (waitpid(child, &status, 0) != child) CHECK(errno == EINTR);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return absl::UnavailableError(absl::StrCat("there is no ", command[0], "; install ", package));
  }
  return absl::UnavailableError(
      absl::StrCat("'", absl::StrJoin(command, " "), "' failed: ", text.substr(0, text.find('\n'))));
}

absl::Status Ip(int network, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "ip");
  return RunIn(network, arguments, "iproute2");
}

absl::Status SetUp(int network, const std::string& device) { return Ip(network, {"link", "set", device, "up"}); }

absl::Status GiveAddress(int network, int host) {
  RETURN_IF_ERROR(Ip(network, {"addr", "add", absl::StrCat(Network::Address(host), "/24"), "dev", kDevice}));
  return SetUp(network, kDevice);
}

// A descriptor of the device, which is in the namespace.
absl::StatusOr<int> MakeTun(int network) {
  const InNamespace inside(network);
  const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0) return SystemError("open /dev/net/tun", "run it as root where the kernel has TUN devices");
  ifreq request = {};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, kDevice, sizeof(request.ifr_name) - 1);
  if (ioctl(tun, TUNSETIFF, &request) == 0) return tun;
  close(tun);
  return SystemError("make a TUN device", "run it as root");
}

// Carries packets between the devices, until it is killed.
class SlowCarrier {
 public:
  SlowCarrier(std::vector<int> devices, absl::Duration delay) : devices_(std::move(devices)), delay_(delay) {}

  [[noreturn]] void Run() {
    std::vector<pollfd> waited;
    for (const int device : devices_) waited.push_back({device, POLLIN, 0});
    while (true) {
      // poll counts in milliseconds and must not wake up too early, over and over.
      const absl::Duration rest = under_way_.empty() ? absl::Seconds(1) : under_way_.front().due - absl::Now();
      poll(waited.data(), waited.size(), static_cast<int>(std::max<int64_t>(0, absl::ToInt64Milliseconds(rest) + 1)));
      for (const pollfd& device : waited) TakeFrom(device.fd);
      Deliver();
    }
  }

 private:
  struct Packet {
    absl::Time due;
    int device;
    std::string bytes;
  };

  void TakeFrom(int device) {
    ssize_t got;
    while ((got = read(device, buffer_, sizeof(buffer_))) > 0) {
      const auto size = static_cast<size_t>(got);
      if (size < kHeaderBytes || (buffer_[0] & 0xf0) != 0x40) continue;  // not IPv4
      // Address gives the hosts the last bytes 1, 2, ...
      const int host = static_cast<unsigned char>(buffer_[kDestination + 3]) - 1;
      if (host < 0 || host >= static_cast<int>(devices_.size()) || bytes_under_way_ + size > kMaxBytesUnderWay)
        continue;
      bytes_under_way_ += size;
      under_way_.push_back({absl::Now() + delay_, devices_[host], std::string(buffer_, size)});
    }
  }

  void Deliver() {
    while (!under_way_.empty() && under_way_.front().due <= absl::Now()) {
      const Packet& packet = under_way_.front();
      // What the device does not take is lost, as in any network.
      if (write(packet.device, packet.bytes.data(), packet.bytes.size()) < 0 && errno == EBADFD) _exit(0);
      bytes_under_way_ -= packet.bytes.size();
      under_way_.pop_front();
    }
  }

  const std::vector<int> devices_;
  const absl::Duration delay_;
  std::deque<Packet> under_way_;  // in the order in which they are due
  size_t bytes_under_way_ = 0;
  char buffer_[kPacketBytes];
};

}  // namespace

std::string Network::Address(int host) { return absl::StrCat("10.86.0.", host + 1); }

Network::~Network() {
  for (const int host : hosts_) close(host);
  if (bridge_ >= 0) close(bridge_);
}

absl::Status Network::AddNamespaces(int hosts) {
  for (int host = 0; host < hosts; ++host) {
    ASSIGN_OR_RETURN(const int made, NewNamespace());
    hosts_.push_back(made);
    RETURN_IF_ERROR(SetUp(made, "lo"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Network>> Network::Connect(int hosts) {
  std::unique_ptr<Network> network(new Network());
  RETURN_IF_ERROR(network->AddNamespaces(hosts));
  ASSIGN_OR_RETURN(network->bridge_, NewNamespace());
  const int bridge = network->bridge_;
  RETURN_IF_ERROR(Ip(bridge, {"link", "add", "bridge", "type", "bridge"}));
  RETURN_IF_ERROR(SetUp(bridge, "bridge"));
  for (int host = 0; host < hosts; ++host) {
    const std::string cable = absl::StrCat("host", host);
    const std::string place = absl::StrCat("/proc/", getpid(), "/fd/", network->hosts_[host]);
    RETURN_IF_ERROR(
        Ip(bridge, {"link", "add", "name", cable, "type", "veth", "peer", "name", kDevice, "netns", place}));
    RETURN_IF_ERROR(Ip(bridge, {"link", "set", cable, "master", "bridge"}));
    RETURN_IF_ERROR(SetUp(bridge, cable));
    RETURN_IF_ERROR(GiveAddress(network->hosts_[host], host));
  }
  return network;
}

absl::StatusOr<std::unique_ptr<Network>> Network::ConnectSlowly(int hosts, absl::Duration delay,
                                                                ProcessSet& processes) {
  std::unique_ptr<Network> network(new Network());
  RETURN_IF_ERROR(network->AddNamespaces(hosts));
  std::vector<int> devices;
  const auto close_devices = absl::MakeCleanup([&devices] {
    for (const int device : devices) close(device);
  });
  for (int host = 0; host < hosts; ++host) {
    ASSIGN_OR_RETURN(const int device, MakeTun(network->hosts_[host]));
    devices.push_back(device);
    RETURN_IF_ERROR(GiveAddress(network->hosts_[host], host));
  }
  processes.StartWork([&] { SlowCarrier(devices, delay).Run(); });
  return network;
}

absl::Status Network::LosePackets(int percent) const {
  for (const int host : hosts_) {
    // Otherwise the kernel passes many packets on as one.
    RETURN_IF_ERROR(Ip(host, {"link", "set", kDevice, "gso_max_segs", "1"}));
    for (const std::string& line :
         {std::string("add table inet faults"),
          std::string("add chain inet faults arriving { type filter hook input priority 0; }"),
          absl::StrCat("add rule inet faults arriving iif ", kDevice, " meta l4proto tcp numgen random mod 100 < ",
                       percent, " drop")}) {
      RETURN_IF_ERROR(RunIn(host, {"nft", line}, "nftables"));
    }
  }
  return absl::OkStatus();
}

absl::Status Network::LimitRate(int megabits_per_second) const {
  for (const int host : hosts_) {
    // A burst of more than the largest packet that is cut into smaller ones later.
    RETURN_IF_ERROR(RunIn(host,
                          {"tc", "qdisc", "add", "dev", kDevice, "root", "tbf", "rate",
                           absl::StrCat(megabits_per_second, "mbit"), "burst", "128kb", "latency", "100ms"},
                          "iproute2"));
  }
  return absl::OkStatus();
}

absl::Status Network::CutOff(int host) const {
  return Ip(bridge_, {"link", "set", absl::StrCat("host", host), "down"});
}

}  // namespace xla
