#include "tests/faults/measured_links.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/transport/forked_processes.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

// Sums are compiled here, and should be as fast as they are in use.
#pragma GCC optimize("O3")

namespace xla {
namespace {

// Each measurement takes about so long, and at least some rounds.
constexpr absl::Duration kMeasuredFor = absl::Milliseconds(1500);
constexpr int kMinRounds = 3;
constexpr int64_t kSmallBytes = 64;
// That each process sends in all.
constexpr int64_t kStreamBytes = int64_t{1} << 30;
constexpr int64_t kSeriesBytes = 16 << 20, kSmallestInSeries = 256 << 10;
constexpr absl::Duration kGivenUpAfter = absl::Minutes(5);

constexpr char kProgram[] = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[8] parameter(0) ROOT r = f32[8] all-reduce(x), replica_groups={}, to_apply=sum })";

absl::Status KeepWaiting() { return absl::OkStatus(); }

void AddUp(int64_t count, const float* a, const float* b, float* sum) {
  for (int64_t i = 0; i < count; ++i) sum[i] = a[i] + b[i];
}

class SumOfFloats : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    AddUp(count, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(result));
  }
};

// All-reduces of one rank.
class MeasuredRank {
 public:
  MeasuredRank(int rank, int processes, int64_t bytes) : rank_(rank), processes_(processes), values_(bytes / 4) {}

  absl::Status Connect(const std::string& folder, const std::string& host) {
    ASSIGN_OR_RETURN(module_, ParseHloModule(kProgram));
    ProcessGroupOptions options;
    options.process_index = rank_;
    options.process_count = processes_;
    options.rendezvous = "file:" + folder;
    options.host_name = host;
    ASSIGN_OR_RETURN(group_, ProcessGroup::Connect(options, &KeepWaiting));
    LaunchDescription launch;
    launch.fingerprint = "sum";
    for (int r = 0; r < processes_; ++r) launch.process_of_device.push_back(r);
    launch.module = module_.get();
    launch.pool = &pool_;
    launch.memory = &memory_;
    launch.collective_timeout = kGivenUpAfter;
    ASSIGN_OR_RETURN(collectives_, group_->Begin(launch, &KeepWaiting));
    return absl::OkStatus();
  }

  absl::Status AllReduce(int64_t bytes) {
    const Shape shape = Shape::Array(F32, {bytes / 4});
    CollectiveCall call;
    call.action = CollectiveCall::Action::kReduce;
    call.instruction = module_->entry()->root();
    for (int r = 0; r < processes_; ++r) call.group.push_back(r);
    call.position = rank_;
    call.operands = {{&shape, values_.data()}};
    call.results = {{&shape, values_.data()}};
    call.reducer = &sum_;
    return collectives_->Start(std::move(call))->Await(&KeepWaiting);
  }

  // Seconds of the quickest of some series of all-reduces, of one. A series is so long that what links let through at
  // once after a rest does not count. Rank 0 says how often, by a sum.
  absl::StatusOr<double> Quickest(int64_t bytes) {
    const int64_t series = std::max<int64_t>(1, kSeriesBytes / std::max(bytes, kSmallestInSeries));
    double quickest = 0;
    const absl::Time end = absl::Now() + kMeasuredFor;
    for (int round = 0;; ++round) {
      const absl::Time start = absl::Now();
      for (int64_t i = 0; i < series; ++i) RETURN_IF_ERROR(AllReduce(bytes));
      const double seconds = absl::ToDoubleSeconds(absl::Now() - start) / static_cast<double>(series);
      if (round == 0 || seconds < quickest) quickest = seconds;
      values_[0] = rank_ == 0 && round >= kMinRounds && absl::Now() > end ? 1 : 0;
      RETURN_IF_ERROR(AllReduce(kSmallBytes));
      const bool is_over = values_[0] > 0;
      std::fill(values_.begin(), values_.end(), 0.0f);
      if (is_over) return quickest;
    }
  }

  // The quickest of some sums of arrays.
  double SumBandwidth() {
    const auto count = static_cast<int64_t>(values_.size());
    std::vector<float> a(values_.size()), b(values_.size());
    double quickest = 0;
    const absl::Time end = absl::Now() + kMeasuredFor / 3;
    for (int round = 0; round < kMinRounds || absl::Now() < end; ++round) {
      const absl::Time start = absl::Now();
      AddUp(count, a.data(), b.data(), round % 2 == 0 ? a.data() : b.data());
      const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
      if (round == 0 || seconds < quickest) quickest = seconds;
    }
    return 3.0 * static_cast<double>(count) * sizeof(float) / quickest;
  }

  void End() {
    collectives_->DeviceEnded(rank_, absl::OkStatus());
    collectives_.reset();
  }

 private:
  const int rank_, processes_;
  std::vector<float> values_;
  const SumOfFloats sum_;
  ThreadPool pool_{1};
  MemoryBudget memory_;
  std::unique_ptr<HloModule> module_;
  std::shared_ptr<ProcessGroup> group_;
  std::unique_ptr<Collectives> collectives_;
};

// What a rank has to say: three numbers, or an error.
absl::StatusOr<std::string> RunRank(int rank, int processes, int64_t bytes, const std::string& folder,
                                    const Network* network) {
  if (network != nullptr) CHECK(setns(network->namespace_of(rank), CLONE_NEWNET) == 0);
  MeasuredRank measured(rank, processes, bytes);
  RETURN_IF_ERROR(measured.Connect(folder, network == nullptr ? "127.0.0.1" : Network::Address(rank)));
  ASSIGN_OR_RETURN(const double small, measured.Quickest(kSmallBytes));
  const double sum = measured.SumBandwidth();
  ASSIGN_OR_RETURN(const double large, measured.Quickest(bytes));
  measured.End();
  return absl::StrCat(large, " ", small, " ", sum);
}

std::string Said(const absl::StatusOr<std::string>& said) {
  return said.ok() ? *said : std::string(said.status().message());
}

// ---- Sockets alone

// One at which a neighbor may connect, on the loopback.
int Listen(sockaddr_in* address) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *address = {};
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(*address);
  CHECK(listener >= 0 && bind(listener, reinterpret_cast<sockaddr*>(address), size) == 0);
  CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(address), &size) == 0 && listen(listener, 1) == 0);
  return listener;
}

// Sends an array to one neighbor while it receives one from the other, again and again.
class RingStream {
 public:
  explicit RingStream(int64_t bytes) : sent_(bytes), received_(bytes) {}

  absl::Status Connect(int listener, const sockaddr_in& next) {
    out_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(out_, reinterpret_cast<const sockaddr*>(&next), sizeof(next)) != 0) return Gone("connect");
    in_ = accept(listener, nullptr, nullptr);
    if (in_ < 0) return Gone("accept");
    for (const int descriptor : {in_, out_}) fcntl(descriptor, F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }

  // The seconds of a round, in the quickest of some series of rounds: in a series it does not count that neighbors may
  // be ahead.
  absl::StatusOr<double> Run() {
    const auto bytes = static_cast<int64_t>(sent_.size());
    const int64_t rounds = std::max<int64_t>(4, kSeriesBytes / bytes);
    const int64_t series = kMinRounds + kStreamBytes / (rounds * bytes);
    double quickest = 0;
    for (int64_t i = 0; i < series; ++i) {
      const absl::Time start = absl::Now();
      for (int64_t round = 0; round < rounds; ++round) RETURN_IF_ERROR(Round());
      const double seconds = absl::ToDoubleSeconds(absl::Now() - start) / static_cast<double>(rounds);
      if (i == 0 || seconds < quickest) quickest = seconds;
    }
    return quickest;
  }

 private:
  static absl::Status Gone(absl::string_view what) {
    return absl::UnavailableError(absl::StrCat("cannot ", what, ": ", std::strerror(errno)));
  }

  absl::Status Round() {
    size_t sent = 0, received = 0;
    while (sent < sent_.size() || received < received_.size()) {
      pollfd waited[] = {{out_, 0, 0}, {in_, 0, 0}};
      if (sent < sent_.size()) waited[0].events = POLLOUT;
      if (received < received_.size()) waited[1].events = POLLIN;
      poll(waited, 2, -1);
      if (waited[1].events != 0 && waited[1].revents != 0) {
        const ssize_t got = read(in_, received_.data() + received, received_.size() - received);
        if (got == 0 || (got < 0 && errno != EAGAIN)) return Gone("receive");
        received += static_cast<size_t>(std::max<ssize_t>(got, 0));
      }
      if (waited[0].events != 0 && waited[0].revents != 0) {
        const ssize_t gone = send(out_, sent_.data() + sent, sent_.size() - sent, MSG_NOSIGNAL);
        if (gone < 0 && errno != EAGAIN) return Gone("send");
        sent += static_cast<size_t>(std::max<ssize_t>(gone, 0));
      }
    }
    return absl::OkStatus();
  }

  std::vector<char> sent_, received_;
  int out_ = -1, in_ = -1;
};

absl::StatusOr<std::string> RunStream(int listener, const sockaddr_in& next, int64_t bytes) {
  RingStream stream(bytes);
  RETURN_IF_ERROR(stream.Connect(listener, next));
  ASSIGN_OR_RETURN(const double seconds, stream.Run());
  return absl::StrCat(seconds);
}

absl::StatusOr<std::vector<double>> Numbers(const std::string& said, size_t count) {
  std::vector<double> numbers;
  for (const absl::string_view word : absl::StrSplit(said, ' ')) {
    double number;
    if (absl::SimpleAtod(word, &number)) numbers.push_back(number);
  }
  if (numbers.size() != count) return absl::UnavailableError(absl::StrCat("a process said: ", said));
  return numbers;
}

}  // namespace

absl::StatusOr<MeasuredAllReduce> MeasureAllReduce(int processes, int64_t bytes, const Network* network) {
  const std::string folder = transport::NewFolder();
  const auto remove = absl::MakeCleanup([&folder] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  transport::ForkedProcesses forked(processes,
                                    [&](int rank) { return Said(RunRank(rank, processes, bytes, folder, network)); });
  MeasuredAllReduce result;
  for (const std::string& said : forked.Await(kGivenUpAfter)) {
    ASSIGN_OR_RETURN(const std::vector<double> numbers, Numbers(said, 3));
    if (result.seconds > 0) continue;
    result = {numbers[0], numbers[1], numbers[2]};
  }
  return result;
}

absl::StatusOr<double> MeasureLoopback(int processes, int64_t bytes) {
  std::vector<sockaddr_in> addresses(processes);
  std::vector<int> listeners;
  const auto close_listeners = absl::MakeCleanup([&listeners] {
    for (const int listener : listeners) close(listener);
  });
  for (int rank = 0; rank < processes; ++rank) listeners.push_back(Listen(&addresses[rank]));
  transport::ForkedProcesses forked(
      processes, [&](int rank) { return Said(RunStream(listeners[rank], addresses[(rank + 1) % processes], bytes)); });
  double sum = 0;
  for (const std::string& said : forked.Await(kGivenUpAfter)) {
    ASSIGN_OR_RETURN(const std::vector<double> numbers, Numbers(said, 1));
    sum += static_cast<double>(bytes) / numbers[0];
  }
  return sum;
}

}  // namespace xla
