// All-reduces across processes, beside those of Gloo.
//
//   process_collectives [--processes 2,4] [--bytes 4096,1048576,67108864] [--seconds S]
//
// For each number of processes and each size, the three variants take turns: ours, which keeps the order of the sum,
// and Gloo's ring and bcube, which do not. Prints the median time of each and the ratio of the better of Gloo's to
// ours; ends with 1 if one is below the floor of 0.8. Times are those of rank 0; every variant sums in place.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/transport/forked_processes.h"
#include "gloo/allreduce.h"
#include "gloo/math.h"
#include "gloo/rendezvous/context.h"
#include "gloo/rendezvous/file_store.h"
#include "gloo/transport/tcp/device.h"
#include "xla_core/text/parser.h"

// Sums are compiled here, for all variants, and should be as fast as they are in use.
#pragma GCC optimize("O3")

namespace xla {
namespace {

constexpr double kFloor = 0.8;
constexpr char kProgram[] = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[8] parameter(0) ROOT r = f32[8] all-reduce(x), replica_groups={}, to_apply=sum })";

absl::Status KeepWaiting() { return absl::OkStatus(); }

class Sum : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    const auto* x = static_cast<const float*>(a);
    const auto* y = static_cast<const float*>(b);
    auto* z = static_cast<float*>(result);
    for (int64_t i = 0; i < count; ++i) z[i] = x[i] + y[i];
  }
};

void SumOfGloo(void* result, const void* a, const void* b, size_t count) {
  gloo::sum<float>(static_cast<float*>(result), static_cast<const float*>(a), static_cast<const float*>(b), count);
}

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::_Exit(1);
}

struct Options {
  std::vector<int> processes = {2, 4};
  std::vector<int64_t> bytes = {4 << 10, 1 << 20, 64 << 20};
  double seconds = 6;  // of each line
};

// The median times of rank 0, in microseconds: "ours ring bcube".
std::string Measure(int rank, int processes, int64_t bytes, double seconds, const std::string& folder) {
  auto module = ParseHloModule(kProgram);
  ProcessGroupOptions options;
  options.process_index = rank;
  options.process_count = processes;
  options.rendezvous = "file:" + folder;
  options.host_name = "localhost";
  auto group = ProcessGroup::Connect(options, &KeepWaiting);
  if (!module.ok() || !group.ok()) Fail(group.status().ToString());
  ThreadPool pool(1);
  MemoryBudget memory;
  LaunchDescription launch;
  launch.fingerprint = "sum";
  for (int r = 0; r < processes; ++r) launch.process_of_device.push_back(r);
  launch.module = module->get();
  launch.pool = &pool;
  launch.memory = &memory;
  auto collectives = (*group)->Begin(launch, &KeepWaiting);
  if (!collectives.ok()) Fail(collectives.status().ToString());

  const auto context = std::make_shared<gloo::rendezvous::Context>(rank, processes);
  gloo::rendezvous::FileStore store(folder);
  auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("localhost"));
  context->connectFullMesh(store, device);

  const int64_t count = bytes / 4;
  const Shape shape = Shape::Array(F32, {count});
  std::vector<float> values(count, 0);
  const Sum sum;
  const auto ours = [&] {
    CollectiveCall call;
    call.action = CollectiveCall::Action::kReduce;
    call.instruction = (*module)->entry()->root();
    for (int r = 0; r < processes; ++r) call.group.push_back(r);
    call.position = rank;
    call.operands = {{&shape, values.data()}};
    call.results = {{&shape, values.data()}};
    call.reducer = &sum;
    const absl::Status status = (*collectives)->Start(std::move(call))->Await(&KeepWaiting);
    if (!status.ok()) Fail(status.ToString());
  };
  uint32_t tag = 0;
  const auto gloos = [&](gloo::AllreduceOptions::Algorithm algorithm) {
    gloo::AllreduceOptions reduce(context);
    reduce.setOutput(values.data(), count);
    reduce.setReduceFunction(&SumOfGloo);
    reduce.setAlgorithm(algorithm);
    reduce.setTag(tag++);
    gloo::allreduce(reduce);
  };
  using Algorithm = gloo::detail::AllreduceOptionsImpl::Algorithm;
  const std::vector<std::function<void()>> variants = {ours, [&] { gloos(Algorithm::RING); },
                                                       [&] { gloos(Algorithm::BCUBE); }};
  std::vector<std::vector<double>> times(variants.size());
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto begin = now();
  // Rank 0 says when to stop, by a sum.
  const int64_t at_a_time = std::max<int64_t>(1, (4 << 20) / std::max<int64_t>(bytes, 64 << 10));
  for (size_t round = 0;; ++round) {
    for (size_t turn = 0; turn < variants.size(); ++turn) {
      const size_t v = (round + turn) % variants.size();
      const auto start = now();
      for (int64_t i = 0; i < at_a_time; ++i) variants[v]();
      const double us = std::chrono::duration<double, std::micro>(now() - start).count();
      if (round > 0) times[v].push_back(us / static_cast<double>(at_a_time));
    }
    const bool enough = std::chrono::duration<double>(now() - begin).count() > seconds && round >= 5;
    values[0] = rank == 0 && enough ? 1 : 0;
    ours();
    const bool stop = values[0] > 0;
    values[0] = 0;
    if (stop) break;
  }
  (*collectives)->DeviceEnded(rank, absl::OkStatus());
  collectives->reset();
  std::string said;
  for (std::vector<double>& t : times) {
    std::sort(t.begin(), t.end());
    absl::StrAppend(&said, said.empty() ? "" : " ", t[t.size() / 2]);
  }
  return said;
}

std::string Size(int64_t bytes) {
  return bytes >= 1 << 20 ? absl::StrCat(bytes >> 20, " MB") : absl::StrCat(bytes >> 10, " KB");
}

bool MeasureAll(const Options& options) {
  bool reached = true;
  std::printf("all-reduce of f32 across processes, us; ratio: the better of Gloo's to ours, at least %.1f\n", kFloor);
  std::printf("%-9s %-6s %10s %10s %10s %6s\n", "processes", "bytes", "ours", "ring", "bcube", "ratio");
  for (const int processes : options.processes) {
    for (const int64_t bytes : options.bytes) {
      const std::string folder = transport::NewFolder();
      transport::ForkedProcesses forked(
          processes, [&](int rank) { return Measure(rank, processes, bytes, options.seconds, folder); });
      const std::string said = forked.Await(absl::Seconds(30 + 10 * options.seconds))[0];
      const std::vector<std::string> words = absl::StrSplit(said, ' ');
      double ours, ring, bcube;
      if (words.size() != 3 || !absl::SimpleAtod(words[0], &ours) || !absl::SimpleAtod(words[1], &ring) ||
          !absl::SimpleAtod(words[2], &bcube)) {
        Fail(absl::StrCat(processes, " processes, ", Size(bytes), ": ", said));
      }
      const double ratio = std::min(ring, bcube) / ours;
      std::printf("%-9d %-6s %10.1f %10.1f %10.1f %6.2f%s\n", processes, Size(bytes).c_str(), ours, ring, bcube, ratio,
                  ratio < kFloor ? " MISSED" : "");
      std::fflush(stdout);
      reached = reached && ratio >= kFloor;
    }
  }
  return reached;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  xla::Options options;
  const auto usage = [] {
    std::fprintf(stderr, "usage: process_collectives [--processes 2,4] [--bytes 4096,1048576] [--seconds S]\n");
    return 2;
  };
  const auto read_list = [](const std::string& text, auto* list) {
    list->clear();
    for (const auto& word : absl::StrSplit(text, ',')) {
      int64_t number;
      if (!absl::SimpleAtoi(word, &number) || number < 1) return false;
      list->push_back(number);
    }
    return true;
  };
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    bool is_right = false;
    if (name == "--processes") is_right = read_list(argv[i + 1], &options.processes);
    if (name == "--bytes") is_right = read_list(argv[i + 1], &options.bytes);
    if (name == "--seconds") is_right = absl::SimpleAtod(argv[i + 1], &options.seconds);
    if (!is_right) return usage();
  }
  if (argc % 2 == 0) return usage();
  return xla::MeasureAll(options) ? 0 : 1;
}
