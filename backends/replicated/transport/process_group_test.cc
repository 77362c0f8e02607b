// Groups of forked processes: what they compute together, and what they say when one of them fails.
#include "backends/replicated/process_group.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backends/host/local_collectives.h"
#include "backends/replicated/transport/forked_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace transport {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::Duration kEnough = absl::Seconds(60);

absl::Status KeepWaiting() { return absl::OkStatus(); }

// Not associative: its bits tell the order.
class Sum : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<float*>(result)[i] = static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
    }
  }
};

constexpr char kProgram[] = R"(HloModule m, replica_count=8
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[8] parameter(0) tok = token[] after-all()
  all-reduce.7 = f32[8] all-reduce(x), replica_groups={}, to_apply=sum
  y = f32[4] slice(x), slice={[0:4]}
  all-gather.3 = f32[32] all-gather(y), replica_groups={}, dimensions={0}
  scatter = f32[1] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=sum
  all-to-all = f32[8] all-to-all(x), replica_groups={}, dimensions={0}
  permute = f32[8] collective-permute(x), source_target_pairs={{0,1}}
  broadcast = f32[8] collective-broadcast(x), replica_groups={}
  one = f32[8] all-reduce(x), replica_groups={}, to_apply=sum, channel_id=5
  other = f32[4] all-reduce(y), replica_groups={}, to_apply=sum, channel_id=5
  recv = (f32[8], u32[], token[]) recv(tok), channel_id=3
  ROOT done = (f32[8], token[]) recv-done(recv), channel_id=3 })";

// What one process of a test has.
struct Process {
  explicit Process(int threads = 2) : pool(threads) {
    auto parsed = ParseHloModule(kProgram);
    CHECK(parsed.ok());
    module = *std::move(parsed);
  }

  const HloInstruction& Named(absl::string_view name) const {
    for (const auto& instruction : module->entry()->instructions()) {
      if (instruction->name() == name) return *instruction;
    }
    CHECK(false);
    return *module->entry()->root();
  }

  LaunchDescription Launch(int64_t id, std::vector<int64_t> process_of_device) {
    LaunchDescription launch;
    launch.launch_id = id;
    launch.fingerprint = "program 1";
    launch.process_of_device = std::move(process_of_device);
    launch.module = module.get();
    launch.collective_timeout = timeout;
    launch.pool = &pool;
    launch.memory = &memory;
    return launch;
  }

  absl::Duration timeout = absl::Seconds(30);
  Sum sum;
  ThreadPool pool;
  MemoryBudget memory;
  std::unique_ptr<HloModule> module;
};

ProcessGroupOptions Options(int rank, int count, const std::string& rendezvous) {
  ProcessGroupOptions options;
  options.process_index = rank;
  options.process_count = count;
  options.rendezvous = rendezvous;
  options.launch_token = "secret";
  options.host_name = "localhost";
  options.connect_timeout = absl::Seconds(20);
  return options;
}

std::shared_ptr<ProcessGroup> Connect(int rank, int count, const std::string& rendezvous, std::string* error) {
  auto group = ProcessGroup::Connect(Options(rank, count, rendezvous), &KeepWaiting);
  if (group.ok()) return *group;
  *error = group.status().ToString();
  return nullptr;
}

// Values of a device whose sum depends on the order.
std::vector<float> Values(int64_t device, int64_t count) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = (device % 2 == 0 ? 1.0e7f : -1.0e7f) + static_cast<float>(device) * 0.37f + static_cast<float>(i % 97);
  }
  return values;
}

// Runs `body` for each device on a thread of its own, and tells the launch how it ended.
std::string OnDevices(Collectives& launch, const std::vector<int64_t>& devices,
                      const std::function<absl::Status(int64_t)>& body) {
  std::vector<std::string> errors(devices.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < devices.size(); ++i) {
    threads.emplace_back([&, i] {
      const absl::Status status = body(devices[i]);
      launch.DeviceEnded(devices[i], status);
      errors[i] = status.ok() ? "" : status.ToString();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) {
    if (!error.empty()) return error;
  }
  return "";
}

// One collective of every kind, of `count` elements for each device.
struct Case {
  const char* instruction;
  CollectiveCall::Action action;
  int64_t result_factor;  // elements of the result: count times this, or divided by the group's size if 0
};

constexpr Case kCases[] = {
    {"all-reduce.7", CollectiveCall::Action::kReduce, 1},
    {"scatter", CollectiveCall::Action::kReduce, 0},
    {"all-gather.3", CollectiveCall::Action::kMove, -1},
    {"all-to-all", CollectiveCall::Action::kMove, 1},
    {"permute", CollectiveCall::Action::kMove, 1},
    {"broadcast", CollectiveCall::Action::kMove, 1},
    {"all-gather.3", CollectiveCall::Action::kGatherAll, -2},
};

absl::Status RunCase(Process& process, Collectives& launch, const Case& c, const std::vector<int64_t>& group,
                     int64_t device, int64_t count, std::string* bits) {
  const auto members = static_cast<int64_t>(group.size());
  std::vector<float> operand = Values(device, count);
  const Shape shape = Shape::Array(F32, {count});
  const int64_t result_count = c.result_factor > 0 ? count : c.result_factor == 0 ? count / members : count * members;
  const Shape result_shape = Shape::Array(F32, {result_count});
  std::vector<float> result(result_count);
  CollectiveCall call;
  call.action = c.action;
  call.instruction = &process.Named(c.instruction);
  call.group = group;
  call.position = std::find(group.begin(), group.end(), device) - group.begin();
  call.operands = {{&shape, operand.data()}};
  call.reducer = &process.sum;
  if (c.result_factor == -2) {
    for (int64_t m = 0; m < members; ++m) call.results.push_back({&shape, result.data() + m * count});
  } else {
    call.results = {{&result_shape, result.data()}};
  }
  if (call.instruction->opcode() == HloOpcode::kCollectivePermute) call.source = (call.position + 1) % members;
  absl::Status status = launch.Start(std::move(call))->Await(&KeepWaiting);
  if (!status.ok()) return status;
  bits->append(reinterpret_cast<const char*>(result.data()), result.size() * sizeof(float));
  return absl::OkStatus();
}

std::string Digest(const std::string& bytes) { return absl::StrCat(std::hash<std::string>()(bytes)); }

// All cases on all devices of a process; what each device got, as numbers.
std::string AllCases(Process& process, Collectives& launch, const std::vector<int64_t>& group,
                     const std::vector<int64_t>& mine, int64_t count) {
  std::vector<std::string> bits(group.size());
  const std::string error = OnDevices(launch, mine, [&](int64_t device) -> absl::Status {
    const int64_t position = std::find(group.begin(), group.end(), device) - group.begin();
    for (const Case& c : kCases) {
      absl::Status status = RunCase(process, launch, c, group, device, count, &bits[position]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
  if (!error.empty()) return error;
  std::string said;
  for (size_t p = 0; p < group.size(); ++p) {
    if (!bits[p].empty()) absl::StrAppend(&said, group[p], ":", Digest(bits[p]), " ");
  }
  return said;
}

// In one process, of a process of its own, because this one must stay without threads.
std::string InOneProcess(const std::vector<int64_t>& group, int64_t count) {
  ForkedProcesses forked(1, [&](int) {
    Process process;
    LocalCollectives local(static_cast<int64_t>(group.size()), &process.pool, &process.memory);
    return AllCases(process, local, group, group, count);
  });
  return forked.Await(kEnough)[0];
}

class Splits : public ::testing::TestWithParam<std::tuple<std::vector<int64_t>, int64_t>> {};

TEST_P(Splits, GiveTheBitsOfOneProcess) {
  const auto& [process_of_device, count] = GetParam();
  const int processes = static_cast<int>(*std::max_element(process_of_device.begin(), process_of_device.end())) + 1;
  std::vector<int64_t> group;
  // Not in ascending order.
  for (size_t d = 0; d < process_of_device.size(); ++d) group.insert(group.begin() + d / 2, static_cast<int64_t>(d));
  const std::string folder = NewFolder();
  ForkedProcesses forked(processes, [&, count = count, process_of_device = process_of_device](int rank) {
    Process process(1 + rank);
    std::string error;
    const auto connected = Connect(rank, processes, "file:" + folder, &error);
    if (connected == nullptr) return error;
    std::vector<int64_t> mine;
    for (size_t d = 0; d < process_of_device.size(); ++d) {
      if (process_of_device[d] == rank) mine.push_back(static_cast<int64_t>(d));
    }
    auto launch = connected->Begin(process.Launch(1, process_of_device), &KeepWaiting);
    if (!launch.ok()) return launch.status().ToString();
    std::string said = AllCases(process, **launch, group, mine, count);
    launch->reset();
    // All at rank 0.
    auto gathered = connected->GatherToFirst(said, &KeepWaiting);
    if (!gathered.ok()) return gathered.status().ToString();
    return rank == 0 ? absl::StrJoin(*gathered, "") : std::string("fine");
  });
  const std::vector<std::string> said = forked.Await(kEnough);
  const auto sorted = [](const std::string& text) {
    std::vector<std::string> words = absl::StrSplit(text, ' ');
    std::sort(words.begin(), words.end());
    return words;
  };
  EXPECT_EQ(sorted(said[0]), sorted(InOneProcess(group, count)));
  for (size_t r = 1; r < said.size(); ++r) EXPECT_EQ(said[r], "fine");
}

INSTANTIATE_TEST_SUITE_P(All, Splits,
                         ::testing::Combine(::testing::Values(std::vector<int64_t>{0, 1},
                                                              std::vector<int64_t>{0, 1, 2, 3},
                                                              std::vector<int64_t>{0, 0, 1, 1},
                                                              std::vector<int64_t>{0, 1, 1, 1, 0, 2, 2, 1}),
                                            ::testing::Values(8, 80, 40000, 1600000)));

// ---- Coming together

std::string ConnectWith(const ProcessGroupOptions& options, absl::Duration stay = absl::ZeroDuration()) {
  auto group = ProcessGroup::Connect(options, &KeepWaiting);
  if (!group.ok()) return group.status().ToString();
  absl::SleepFor(stay);
  return "connected";
}

TEST(ComingTogether, NamesTheRanksThatAreMissing) {
  const std::string folder = NewFolder();
  ForkedProcesses forked(2, [&](int rank) {
    ProcessGroupOptions options = Options(rank, 4, "file:" + folder);
    options.connect_timeout = absl::Seconds(2);
    return ConnectWith(options);
  });
  EXPECT_THAT(
      forked.Await(kEnough),
      Each("DEADLINE_EXCEEDED: ranks 2, 3 of 4 have not come within 2s; start all ranks with the same rendezvous "
           "and launch token"));
}

TEST(ComingTogether, NeedsRank0) {
  ForkedProcesses forked(1, [&](int) {
    ProcessGroupOptions options = Options(1, 2, "tcp:localhost:29417");
    options.connect_timeout = absl::Seconds(1);
    return ConnectWith(options);
  });
  EXPECT_EQ(forked.Await(kEnough)[0],
            "DEADLINE_EXCEEDED: rank 0 was not found at tcp:localhost:29417 within 1s (nothing answers at "
            "tcp://127.0.0.1:29417); start it with the same rendezvous and launch token");
}

// The network of a host is down, as far as the others can tell, if the process stops: its connections stand.
TEST(ComingTogether, SaysWhoIsSilentWhileOthersAreAwaited) {
  for (const int victim : {0, 1}) {
    const std::string folder = NewFolder();
    ForkedProcesses forked(2, [&](int rank) {
      ProcessGroupOptions options = Options(rank, 3, "file:" + folder);
      options.connect_timeout = absl::Seconds(7);
      return ConnectWith(options);
    });
    absl::SleepFor(absl::Seconds(2));  // so that both have come
    forked.Signal(victim, SIGSTOP);
    EXPECT_THAT(
        forked.Await(kEnough, victim)[1 - victim],
        ::testing::MatchesRegex(
            victim == 0 ? "DEADLINE_EXCEEDED: rank 0 has not been heard of for [3-6] s .is it stopped, or the network "
                          "of localhost, where this rank 1 runs, down..; when it was heard last, rank 2 of 3 has not "
                          "come within 7s; start all ranks with the same rendezvous and launch token"
                        : "DEADLINE_EXCEEDED: rank 1 has come, but not been heard of for 2 s or more .no other rank "
                          "is: is the network of localhost, where this rank 0 runs, down.., and rank 2 of 3 has not "
                          "come within 7s; start all ranks with the same rendezvous and launch token"));
  }
}

TEST(ComingTogether, RefusesAnotherLaunchToken) {
  ForkedProcesses forked(2, [&](int rank) {
    ProcessGroupOptions options = Options(rank, 2, "tcp:localhost:29418");
    options.connect_timeout = absl::Seconds(3);
    if (rank == 1) options.launch_token = "another";
    return ConnectWith(options);
  });
  const std::vector<std::string> said = forked.Await(kEnough);
  EXPECT_EQ(
      said[0],
      "DEADLINE_EXCEEDED: rank 1 of 2 has not come within 3s, and one with another launch token was refused; start "
      "all ranks with the same rendezvous and launch token");
  EXPECT_EQ(
      said[1],
      "PERMISSION_DENIED: the processes here have another launch token than rank 1; give all processes of a run the "
      "same, or meet at another place");
}

TEST(ComingTogether, RefusesARankThatIsThere) {
  const std::string folder = NewFolder();
  ForkedProcesses forked(3, [&](int i) {
    if (i == 2) absl::SleepFor(absl::Seconds(1));
    return ConnectWith(Options(std::min(i, 1), 2, "file:" + folder), absl::Seconds(2));
  });
  const std::vector<std::string> said = forked.Await(kEnough);
  EXPECT_EQ(said[0], "connected");
  EXPECT_EQ(said[1], "connected");
  EXPECT_THAT(said[2], AllOf(HasSubstr("ALREADY_EXISTS: rank 1 on host localhost is there already, as process "),
                             HasSubstr("; give each process a rank of its own")));
}

TEST(ComingTogether, RefusesAnotherNumberOfProcesses) {
  const std::string folder = NewFolder();
  ForkedProcesses forked(2, [&](int rank) { return ConnectWith(Options(rank, 2 + rank, "file:" + folder)); });
  EXPECT_THAT(
      forked.Await(kEnough),
      Each("INVALID_ARGUMENT: rank 1 on host localhost was started as one of 3 processes, rank 0 as one of 2; give "
           "all processes of a run the same number"));
}

TEST(ComingTogether, NamesAPortThatIsTaken) {
  ForkedProcesses forked(2, [&](int i) {
    ProcessGroupOptions options = Options(0, 2, "tcp:localhost:29419");
    options.connect_timeout = absl::Seconds(3);
    if (i == 1) absl::SleepFor(absl::Seconds(1));
    return ConnectWith(options);
  });
  EXPECT_EQ(forked.Await(kEnough)[1],
            "ALREADY_EXISTS: the port of tcp://127.0.0.1:29419 is taken by another process; choose another port");
}

TEST(ComingTogether, MeetsInAFolderThatAnotherRunHasLeft) {
  const std::string folder = NewFolder();
  const auto connect = [&](int rank) { return ConnectWith(Options(rank, 2, "file:" + folder), absl::Seconds(1)); };
  {
    ForkedProcesses forked(2, [&](int rank) {
      Options(rank, 2, "file:" + folder);
      std::string said = connect(rank);
      kill(getpid(), SIGKILL);
      return said;
    });
    EXPECT_THAT(forked.Await(kEnough), Each("ended by signal 9"));
  }
  ForkedProcesses late(2, [&](int rank) {
    if (rank == 0) absl::SleepFor(absl::Seconds(1));
    return connect(rank);
  });
  EXPECT_THAT(late.Await(kEnough), Each("connected"));
  // One that is still in use is not taken over.
  ForkedProcesses twice(3, [&](int i) {
    if (i == 2) absl::SleepFor(absl::Milliseconds(500));
    return ConnectWith(Options(i % 2, 2, "file:" + folder), absl::Seconds(2));
  });
  EXPECT_THAT(twice.Await(kEnough)[2], HasSubstr("ALREADY_EXISTS: rank 0 of another run listens at tcp://127.0.0.1:"));
}

TEST(ComingTogether, ChecksOptions) {
  const auto error = [](int rank, int count, const std::string& rendezvous) {
    return ProcessGroup::Connect(Options(rank, count, rendezvous), &KeepWaiting).status();
  };
  EXPECT_EQ(error(2, 2, "file:x"), absl::InvalidArgumentError("ranks of 2 processes are 0 to 1, not 2"));
  EXPECT_EQ(error(0, 0, "file:x"), absl::InvalidArgumentError("a group has 1 to 4096 processes, not 0"));
  for (const char* wrong : {"", "file:", "tcp:host", "tcp::1", "tcp:host:0", "tcp:host:65536", "udp:host:1"}) {
    EXPECT_EQ(error(0, 2, wrong),
              absl::InvalidArgumentError(absl::StrCat(
                  "the rendezvous is file:DIR or tcp:HOST:PORT with a port of 1 to 65535, not '", wrong, "'")));
  }
  EXPECT_THAT(error(1, 2, "file:/dev/null").ToString(), HasSubstr("cannot meet in /dev/null: it is not a folder"));
  EXPECT_THAT(error(0, 2, "tcp:no.such.host.:5000").ToString(), HasSubstr("host no.such.host. has no address"));
}

TEST(ComingTogether, DoesNotListenToStrangers) {
  ForkedProcesses forked(3, [&](int i) -> std::string {
    if (i < 2) return ConnectWith(Options(i, 2, "tcp:localhost:29420"), absl::Seconds(i == 0 ? 2 : 1));
    // Says what is not the protocol, and what looks like the beginning of a huge message of it.
    for (int n = 0; n < 20; ++n) {
      absl::SleepFor(absl::Milliseconds(50));
      const int stranger = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_port = htons(29420);
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (connect(stranger, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
        std::string bytes(4000, static_cast<char>(n * 13));
        if (n % 2 == 0) bytes = "haloctl1" + std::string(4, n % 4 == 0 ? '\x7f' : '\1') + bytes;
        send(stranger, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        absl::SleepFor(absl::Milliseconds(20));
      }
      close(stranger);
    }
    return "connected";
  });
  EXPECT_THAT(forked.Await(kEnough), Each("connected"));
}

// ---- Launches and failures

// What a rank does with its group; what it says is what comes back.
using Rank = std::function<std::string(Process&, ProcessGroup&, int)>;

std::unique_ptr<ForkedProcesses> RunRanks(int count, const Rank& body) {
  const std::string folder = NewFolder();
  return std::make_unique<ForkedProcesses>(count, [=](int rank) {
    Process process;
    std::string error;
    const auto group = Connect(rank, count, "file:" + folder, &error);
    return group == nullptr ? error : body(process, *group, rank);
  });
}

// Devices 0, 1, ..., one of each rank.
std::vector<int64_t> OneOfEach(const ProcessGroup& group) {
  std::vector<int64_t> ranks(group.process_count());
  for (size_t r = 0; r < ranks.size(); ++r) ranks[r] = static_cast<int64_t>(r);
  return ranks;
}

// An all-reduce of all devices, or another collective of the program.
absl::Status Meet(Process& process, Collectives& launch, const char* instruction, int64_t device, int64_t devices,
                  int64_t count, std::vector<float>* result, absl::FunctionRef<absl::Status()> check = &KeepWaiting) {
  std::vector<float> x = Values(device, count);
  const Shape shape = Shape::Array(F32, {count});
  CollectiveCall call;
  call.instruction = &process.Named(instruction);
  const bool gathers = call.instruction->opcode() == HloOpcode::kAllGather;
  const Shape result_shape = Shape::Array(F32, {gathers ? count * devices : count});
  result->resize(result_shape.ElementCount());
  call.action = gathers ? CollectiveCall::Action::kMove : CollectiveCall::Action::kReduce;
  for (int64_t d = 0; d < devices; ++d) call.group.push_back(d);
  call.position = device;
  call.operands = {{&shape, x.data()}};
  call.results = {{&result_shape, result->data()}};
  call.reducer = &process.sum;
  return launch.Start(std::move(call))->Await(check);
}

// A launch in which each rank's device does `body`; what went wrong, or "fine".
std::string RunLaunch(Process& process, ProcessGroup& group, int64_t id,
                      const std::function<absl::Status(Collectives&, int64_t)>& body) {
  auto launch = group.Begin(process.Launch(id, OneOfEach(group)), &KeepWaiting);
  if (!launch.ok()) return launch.status().ToString();
  const int64_t device = group.process_index();
  const absl::Status status = body(**launch, device);
  (*launch)->DeviceEnded(device, status);
  return status.ok() ? "fine" : status.ToString();
}

std::string Reduce(Process& process, ProcessGroup& group, int64_t id, int64_t count, int64_t times = 1) {
  return RunLaunch(process, group, id, [&](Collectives& launch, int64_t device) {
    std::vector<float> result;
    for (int64_t n = 0; n < times; ++n) {
      absl::Status status = Meet(process, launch, "all-reduce.7", device, group.process_count(), count, &result);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

TEST(Launches, FollowEachOther) {
  const auto ranks = RunRanks(3, [](Process& process, ProcessGroup& group, int) -> std::string {
    for (int64_t id = 1; id <= 30; ++id) {
      std::string said = Reduce(process, group, id, id % 2 == 0 ? 10 : 100000, 3);
      if (said != "fine") return said;
    }
    return process.memory.used() == 0 ? "fine" : "memory is still counted";
  });
  EXPECT_THAT(ranks->Await(kEnough), Each("fine"));
}

TEST(Launches, OfDifferentProgramsNameTheirRanks) {
  const auto ranks = RunRanks(3, [](Process& process, ProcessGroup& group, int rank) {
    LaunchDescription launch = process.Launch(1, OneOfEach(group));
    if (rank == 2) launch.fingerprint = "program 2";
    const std::string said = group.Begin(launch, &KeepWaiting).status().ToString();
    // The group goes on.
    const std::string next = Reduce(process, group, 2, 10);
    return next == "fine" ? said : next;
  });
  for (const std::string& said : ranks->Await(kEnough)) {
    EXPECT_THAT(said, AllOf(HasSubstr("FAILED_PRECONDITION: rank "),
                            HasSubstr("rank 2 on host localhost run different "
                                      "programs: their fingerprints are "),
                            HasSubstr("program 1 on devices of ranks 0,1,2"), HasSubstr("program 2 on devices")));
  }
}

TEST(Launches, MustBeTheSame) {
  const auto ranks =
      RunRanks(2, [](Process& process, ProcessGroup& group, int rank) { return Reduce(process, group, 1 + rank, 10); });
  EXPECT_THAT(ranks->Await(kEnough),
              Each("FAILED_PRECONDITION: rank 0 on host localhost begins launch 1, but rank 1 on host localhost begins "
                   "launch 2; all processes must run the same programs in the same order"));
}

TEST(Launches, WaitNoLongerThanTheTimeout) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int rank) -> std::string {
    process.timeout = absl::Seconds(1);
    if (rank == 1) {
      absl::SleepFor(absl::Seconds(2));
      return "late";
    }
    return Reduce(process, group, 1, 10);
  });
  EXPECT_EQ(ranks->Await(kEnough)[0],
            "DEADLINE_EXCEEDED: launch 1 has not been begun within 1 s by rank 1 on host localhost; see what they do, "
            "or set a "
            "longer collective timeout");
}

TEST(Failures, OfADeviceEndTheLaunchOfAll) {
  const auto ranks = RunRanks(3, [](Process& process, ProcessGroup& group, int) {
    const std::string said = RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      if (device == 1) return absl::InternalError("no luck");
      std::vector<float> result;
      return Meet(process, launch, "all-reduce.7", device, 3, 100000, &result);
    });
    // The next one makes new connections.
    for (int64_t id = 2; id < 5; ++id) {
      const std::string next = Reduce(process, group, id, 100000);
      if (next != "fine") return next;
    }
    return said;
  });
  const std::vector<std::string> said = ranks->Await(kEnough);
  EXPECT_EQ(said[1], "INTERNAL: no luck");
  EXPECT_EQ(said[0], "ABORTED: stopped because device 1 (rank 1 on host localhost) failed: no luck");
  EXPECT_EQ(said[2], said[0]);
}

// Takes its time for each array.
class SlowSum : public Sum {
 public:
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    absl::SleepFor(absl::Milliseconds(2));
    Sum::Combine(count, a, b, result);
    combined_ += count;
  }
  int64_t combined() const { return combined_; }

 private:
  mutable std::atomic<int64_t> combined_{0};
};

TEST(Failures, AreSeenWhileALargeArrayIsFolded) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int rank) {
    constexpr int64_t kCount = 8 << 20;
    const SlowSum slow;
    const std::string said = RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) -> absl::Status {
      const std::vector<float> x = Values(device, kCount);
      std::vector<float> result(kCount / 2);
      const Shape shape = Shape::Array(F32, {kCount}), result_shape = Shape::Array(F32, {kCount / 2});
      CollectiveCall call;
      call.action = CollectiveCall::Action::kReduce;
      call.instruction = &process.Named("scatter");
      call.group = {0, 1};
      call.position = device;
      call.operands = {{&shape, const_cast<float*>(x.data())}};
      call.results = {{&result_shape, result.data()}};
      if (rank == 0) {
        call.reducer = &slow;
      } else {
        call.reducer = &process.sum;
      }
      absl::Status status = launch.Start(std::move(call))->Await(&KeepWaiting);
      return status.ok() && rank == 1 ? absl::InternalError("no luck") : status;
    });
    return slow.combined() < kCount / 2 ? said : "folded all of it first";
  });
  EXPECT_THAT(
      ranks->Await(kEnough),
      ElementsAre("ABORTED: stopped because device 1 (rank 1 on host localhost) failed: no luck", "INTERNAL: no luck"));
}

TEST(Failures, OfACheckEndTheLaunchOfAll) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) -> absl::Status {
      std::vector<float> result;
      if (device == 1) {
        while (!launch.failed()) absl::SleepFor(absl::Milliseconds(5));
        return absl::CancelledError("seen");
      }
      const absl::Time end = absl::Now() + absl::Milliseconds(200);
      return Meet(process, launch, "all-reduce.7", device, 2, 10, &result,
                  [&] { return absl::Now() < end ? absl::OkStatus() : absl::DeadlineExceededError("enough"); });
    });
  });
  const std::vector<std::string> said = ranks->Await(kEnough);
  EXPECT_EQ(said[0], "DEADLINE_EXCEEDED: enough");
  EXPECT_EQ(said[1], "CANCELLED: seen");
}

TEST(Failures, NameTwoThatMeetAtDifferentCollectives) {
  const auto ranks = RunRanks(3, [](Process& process, ProcessGroup& group, int) {
    const std::string said = RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      std::vector<float> result;
      return Meet(process, launch, device == 2 ? "all-gather.3" : "all-reduce.7", device, 3, device == 2 ? 4 : 8,
                  &result);
    });
    const std::string next = Reduce(process, group, 2, 100000);
    return next == "fine" ? said : next;
  });
  EXPECT_THAT(
      ranks->Await(kEnough),
      Each("FAILED_PRECONDITION: deadlock: no device can go on; all-reduce.7 f32[8] on replica 0 meets all-gather.3 "
           "f32[4] "
           "on replica 2; device 0 (rank 0 on host localhost) waits at all-reduce.7 f32[8] with devices {0,1,2}; "
           "device 1 "
           "(rank 1 on host localhost) waits at all-reduce.7 f32[8] with devices {0,1,2}; device 2 (rank 2 on host "
           "localhost) waits at all-gather.3 f32[4] with devices {0,1,2}"));
}

TEST(Failures, NameTwoThatMeetWithDifferentShapes) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      std::vector<float> result;
      return Meet(process, launch, device == 0 ? "one" : "other", device, 2, device == 0 ? 100000 : 4, &result);
    });
  });
  const std::vector<std::string> said = ranks->Await(kEnough);
  EXPECT_THAT(said[0], HasSubstr("INVALID_ARGUMENT: "));
  // The first to notice speaks.
  EXPECT_THAT(said[0],
              AnyOf(HasSubstr("one f32[100000] on replica 0 (rank 0) meets other f32[4] on replica 1 (rank 1)"),
                    HasSubstr("other f32[4] on replica 1 (rank 1) meets one f32[100000] on replica 0 (rank 0)")));
  EXPECT_THAT(said[1], HasSubstr("INVALID_ARGUMENT: "));
}

TEST(Failures, SayWhoHasEnded) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      std::vector<float> result;
      for (int64_t trip = 0; trip < 3 + device; ++trip) {
        absl::Status status = Meet(process, launch, "all-reduce.7", device, 2, 8, &result);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
  });
  const std::vector<std::string> said = ranks->Await(kEnough);
  EXPECT_EQ(said[0], "fine");
  EXPECT_EQ(
      said[1],
      "FAILED_PRECONDITION: deadlock: no device can go on; device 0 (rank 0 on host localhost) has ended; device 1 "
      "(rank 1 on host localhost) waits at all-reduce.7 f32[8] with devices {0,1}");
}

// Three ranks that meet again and again, at collectives of `count` elements, until one of them gets a signal.
class InterruptedRanks {
 public:
  // They go on for a while if nothing ends them.
  InterruptedRanks(int64_t count, absl::Duration timeout) : folder_(NewFolder()) {
    const std::string folder = folder_;
    ranks_ = RunRanks(3, [=](Process& process, ProcessGroup& group, int rank) -> std::string {
      process.timeout = timeout;
      absl::Time last = absl::Now();
      const std::string said = RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
        const absl::Time end = absl::Now() + absl::Milliseconds(2500);
        for (int64_t trip = 0;; ++trip) {
          bool go_on = absl::Now() < end;
          absl::Status status = AgreeWithDevice0(process, launch, device, &go_on);
          if (!status.ok() || !go_on) return status;
          std::vector<float> result;
          status = Meet(process, launch, "all-reduce.7", device, 3, count, &result);
          if (!status.ok()) return status;
          last = absl::Now();
          if (trip == 0) std::ofstream(absl::StrCat(folder, "/runs", rank));
        }
      });
      return absl::StrCat(absl::Now() - last < absl::Milliseconds(2000) ? "soon: " : "later: ", said);
    });
  }

  void AwaitAllAtWork() const {
    const absl::Time end = absl::Now() + kEnough;
    for (int r = 0; r < 3; ++r) {
      const std::string mark = absl::StrCat(folder_, "/runs", r);
      while (access(mark.c_str(), F_OK) != 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(10));
    }
  }
  void Signal(int rank, int signal) const { ranks_->Signal(rank, signal); }
  // Of all but one that stays as it is.
  std::vector<std::string> Await(int but = -1) { return ranks_->Await(kEnough, but); }

 private:
  // All leave the loop together: device 0 says when.
  static absl::Status AgreeWithDevice0(Process& process, Collectives& launch, int64_t device, bool* go_on) {
    float mine = *go_on ? 1 : 0;
    std::vector<float> all(3);
    const Shape shape = Shape::Array(F32, {1}), all_shape = Shape::Array(F32, {3});
    CollectiveCall call;
    call.action = CollectiveCall::Action::kMove;
    call.instruction = &process.Named("all-gather.3");
    call.group = {0, 1, 2};
    call.position = device;
    call.operands = {{&shape, &mine}};
    call.results = {{&all_shape, all.data()}};
    absl::Status status = launch.Start(std::move(call))->Await(&KeepWaiting);
    *go_on = all[0] > 0;
    return status;
  }

  const std::string folder_;
  std::unique_ptr<ForkedProcesses> ranks_;
};

TEST(Failures, OfAProcessThatIsKilledAreKnownSoon) {
  for (const int victim : {0, 1}) {
    for (const int64_t count : {10, 3000000}) {
      InterruptedRanks ranks(count, absl::Seconds(30));
      ranks.AwaitAllAtWork();
      ranks.Signal(victim, SIGKILL);
      const std::vector<std::string> said = ranks.Await();
      for (int r = 0; r < 3; ++r) {
        if (r == victim) continue;
        EXPECT_THAT(said[r], AllOf(::testing::StartsWith(absl::StrCat("soon: UNAVAILABLE: rank ", victim,
                                                                      " on host localhost has died (process ")),
                                   HasSubstr("); see what it said last")));
      }
    }
  }
}

TEST(Failures, OfAProcessThatIsStoppedAreKnownAtTheDeadline) {
  for (const int victim : {0, 1}) {
    InterruptedRanks ranks(100000, absl::Seconds(3));
    ranks.AwaitAllAtWork();
    ranks.Signal(victim, SIGSTOP);
    const std::vector<std::string> said = ranks.Await(victim);
    for (int r = 0; r < 3; ++r) {
      if (r == victim) continue;
      EXPECT_THAT(said[r], AllOf(HasSubstr("DEADLINE_EXCEEDED: device "), HasSubstr(absl::StrCat("rank ", victim)),
                                 HasSubstr("has not been heard of for "), HasSubstr("is it stopped")));
    }
  }
}

TEST(Failures, AreNoneIfAProcessStopsForAWhile) {
  for (const int victim : {0, 1}) {
    InterruptedRanks ranks(100000, absl::Seconds(20));
    ranks.AwaitAllAtWork();
    ranks.Signal(victim, SIGSTOP);
    // It says nothing for longer than a process whose connection has gone would be waited for.
    absl::SleepFor(absl::Milliseconds(1200));
    ranks.Signal(victim, SIGCONT);
    EXPECT_THAT(ranks.Await(), Each("soon: fine"));
  }
}

// ---- Transfers, and what no device waits for

absl::Status Transfer(Process& process, Collectives& launch, bool sends, std::vector<float>* x, int64_t from,
                      int64_t to) {
  const Shape shape = Shape::Array(F32, {static_cast<int64_t>(x->size())});
  CollectiveCall call;
  call.action = sends ? CollectiveCall::Action::kSend : CollectiveCall::Action::kReceive;
  call.instruction = sends ? nullptr : &process.Named("recv");
  call.channel = 3;
  call.group = {from, to};
  call.position = sends ? 0 : 1;
  (sends ? call.operands : call.results) = {{&shape, x->data()}};
  return launch.Start(std::move(call))->Await(&KeepWaiting);
}

TEST(Transfers, LetASenderGoOn) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) -> absl::Status {
      for (const int64_t count : {10, 3000000}) {
        for (float n = 0; n < 4; ++n) {
          std::vector<float> x(count, device == 0 ? n : -1);
          absl::Status status = Transfer(process, launch, device == 0, &x, 0, 1);
          if (!status.ok()) return status;
          if (device == 0) x.assign(count, 100);
          if (device == 1 && x != std::vector<float>(count, n)) return absl::InternalError("other values");
        }
        // The receiver is late.
        absl::SleepFor(absl::Milliseconds(50 * device));
      }
      return absl::OkStatus();
    });
  });
  EXPECT_THAT(ranks->Await(kEnough), Each("fine"));
}

TEST(Transfers, ArriveAfterTheSenderHasLeft) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      std::vector<float> x(1000000, device == 0 ? 7 : 0);
      if (device == 1) absl::SleepFor(absl::Milliseconds(500));
      absl::Status status = Transfer(process, launch, device == 0, &x, 0, 1);
      return x[999999] == 7 ? status : absl::InternalError("other values");
    });
  });
  EXPECT_THAT(ranks->Await(kEnough), Each("fine"));
}

TEST(Transfers, OfOtherShapesAreNotReceived) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) {
      std::vector<float> x(device == 0 ? 3 : 2);
      absl::Status status = Transfer(process, launch, device == 0, &x, 0, 1);
      while (device == 0 && !launch.failed()) absl::SleepFor(absl::Milliseconds(5));
      return status;
    });
  });
  EXPECT_EQ(ranks->Await(kEnough)[1], "INVALID_ARGUMENT: recv: expected f32[2], but device 0 sent f32[3]");
}

TEST(Collectives, EndWhileNobodyWaits) {
  const auto ranks = RunRanks(2, [](Process& process, ProcessGroup& group, int) {
    return RunLaunch(process, group, 1, [&](Collectives& launch, int64_t device) -> absl::Status {
      constexpr int64_t kCount = 500000;
      const Shape shape = Shape::Array(F32, {kCount});
      std::vector<std::vector<float>> x(3, Values(device, kCount)), results(3, std::vector<float>(kCount));
      std::vector<std::shared_ptr<StartedCollective>> started;
      for (int i = 0; i < 3; ++i) {
        CollectiveCall call;
        call.action = CollectiveCall::Action::kReduce;
        call.instruction = &process.Named("all-reduce.7");
        call.group = {0, 1};
        call.position = device;
        call.operands = {{&shape, x[i].data()}};
        call.results = {{&shape, results[i].data()}};
        call.reducer = &process.sum;
        started.push_back(launch.Start(std::move(call)));
      }
      const absl::Time deadline = absl::Now() + absl::Seconds(20);
      for (const auto& one : started) {
        if (!one->done().WaitUntil(deadline)) return absl::InternalError("it has not happened");
        if (one->met() == absl::InfinitePast()) return absl::InternalError("it is not known when they met");
      }
      for (int i = 2; i >= 0; --i) {
        absl::Status status = started[i]->Await(&KeepWaiting);
        if (!status.ok()) return status;
        if (results[i] != results[0]) return absl::InternalError("other values");
      }
      return absl::OkStatus();
    });
  });
  EXPECT_THAT(ranks->Await(kEnough), Each("fine"));
}

// ---- Gathering

TEST(Gathering, BringsBytesOfAllToRank0) {
  const auto ranks = RunRanks(3, [](Process&, ProcessGroup& group, int rank) -> std::string {
    for (const size_t size : {size_t{0}, size_t{5}, size_t{30000}, size_t{9000000}}) {
      const auto bytes = [size](int r) { return std::string(r == 1 ? size : size / 3, static_cast<char>('a' + r)); };
      const auto gathered = group.GatherToFirst(bytes(rank), &KeepWaiting);
      if (!gathered.ok()) return gathered.status().ToString();
      if (rank > 0 && !gathered->empty()) return "others get something";
      if (rank == 0 && *gathered != std::vector<std::string>{bytes(0), bytes(1), bytes(2)}) return "other bytes";
    }
    return "fine";
  });
  EXPECT_THAT(ranks->Await(kEnough), Each("fine"));
}

TEST(Gathering, NamesWhoHasGone) {
  const auto ranks = RunRanks(3, [](Process&, ProcessGroup& group, int rank) -> std::string {
    if (rank == 2) return "leaves";
    if (rank == 1) kill(getpid(), SIGKILL);
    return group.GatherToFirst("x", &KeepWaiting).status().ToString();
  });
  EXPECT_THAT(ranks->Await(kEnough)[0], AnyOf(HasSubstr("UNAVAILABLE: rank 1 on host localhost has died"),
                                              HasSubstr("UNAVAILABLE: rank 2 on host localhost has left")));
}

}  // namespace
}  // namespace transport
}  // namespace xla
