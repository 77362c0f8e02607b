// Groups of forked processes: what they compute together, and what they say when one of them fails.
#include "backends/replicated/process_group.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
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
using ::testing::Each;
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

}  // namespace
}  // namespace transport
}  // namespace xla
