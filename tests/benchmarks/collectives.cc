// What collectives cost beyond the memory traffic that they cannot avoid.
//
// In process, each is compared with loops that do the same on the same threads, one for each device, with a barrier
// before and after: sums in the order of the group, stored to where each device wants them. The two take turns, and the
// medians of their times are compared.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "backends/backend.h"
#include "backends/host/local_collectives.h"
#include "backends/literal_execution.h"
#include "tests/benchmarks/figures.h"
#include "xla_core/evaluator/element_combiner.h"
#include "xla_core/support/check.h"
#include "xla_core/support/look_until.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using Action = CollectiveCall::Action;

constexpr int64_t kKiB = int64_t{1} << 10;
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int kRounds = 15;

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  CHECK(value.ok());
  return *std::move(value);
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// ---- The same work in plain loops

class Barrier {
 public:
  explicit Barrier(int64_t threads) : threads_(threads) {}

  void Wait() {
    const int64_t turn = turn_.load();
    if (come_.fetch_add(1) + 1 == threads_) {
      come_ = 0;
      ++turn_;
      return;
    }
    while (!LookUntil(threads_, [&] { return turn_.load() != turn; })) sched_yield();
  }

 private:
  const int64_t threads_;
  std::atomic<int64_t> come_{0};
  std::atomic<int64_t> turn_{0};
};

// results[r][i] = the sum of all operands[m][i], from the left.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3")))
#endif
void PlainSum(const std::vector<const float*>& operands, const std::vector<float*>& results, int64_t begin,
              int64_t end) {
  constexpr int64_t kChunk = 2048;
  float sum[kChunk];
  for (; begin < end; begin += kChunk) {
    const int64_t count = std::min(kChunk, end - begin);
    const float* const first = operands[0] + begin;
    const float* const second = operands[1] + begin;
    for (int64_t i = 0; i < count; ++i) sum[i] = first[i] + second[i];
    for (size_t m = 2; m < operands.size(); ++m) {
      const float* const next = operands[m] + begin;
      for (int64_t i = 0; i < count; ++i) sum[i] += next[i];
    }
    for (float* const result : results) std::memcpy(result + begin, sum, count * sizeof(float));
  }
}

// ---- A collective in both ways

constexpr char kModule[] = R"(HloModule collectives, replica_count=$0
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[$1] parameter(0)
  all-reduce = f32[$1] all-reduce(x), replica_groups={}, to_apply=sum
  all-gather = f32[$2] all-gather(x), replica_groups={}, dimensions={0}
  reduce-scatter = f32[$3] reduce-scatter(x), replica_groups={}, dimensions={0}, to_apply=sum
  all-to-all = f32[$1] all-to-all(x), replica_groups={}, dimensions={0}
  collective-permute = f32[$1] collective-permute(x), source_target_pairs={$4}
  ROOT t = tuple(all-reduce, all-gather, reduce-scatter, all-to-all, collective-permute) })";

class SumOfElements : public CollectiveReducer {
 public:
  explicit SumOfElements(const HloComputation& sum) : combiner_(OrDie(ElementCombiner::Create(sum))) {}
  PrimitiveType type() const override { return combiner_->type(); }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    combiner_->Combine(count, a, b, result);
  }

 private:
  const std::unique_ptr<ElementCombiner> combiner_;
};

// The devices of a program with arrays for one collective.
class Devices {
 public:
  // `elements`: of each device's operand.
  Devices(int64_t count, int64_t elements, const std::string& opcode, bool in_place)
      : count_(count), elements_(elements), pool_(UsableCpuCount()), barrier_(count), local_(count, &pool_, &memory_) {
    std::string ring;
    for (int64_t d = 0; d < count; ++d) absl::StrAppend(&ring, d == 0 ? "" : ",", "{", d, ",", (d + 1) % count, "}");
    module_ =
        OrDie(ParseHloModule(absl::Substitute(kModule, count, elements, count * elements, elements / count, ring)));
    for (const auto& instruction : module_->entry()->instructions()) {
      if (instruction->name() == opcode) instruction_ = instruction.get();
    }
    CHECK(instruction_ != nullptr);
    if (!instruction_->called_computations().empty()) {
      sum_ = std::make_unique<SumOfElements>(*instruction_->called_computation(0));
    }
    const int64_t results = instruction_->shape().ElementCount();
    for (int64_t d = 0; d < count; ++d) {
      operands_.emplace_back(elements, 1.0f);
      results_.emplace_back(in_place ? 0 : results, 0.0f);
      operand_data_.push_back(operands_[d].data());
      result_data_.push_back(in_place ? operands_[d].data() : results_[d].data());
    }
  }

  // Seconds of one, of each way: the median, each round measuring some of both.
  std::pair<double, double> Measure() {
    const int64_t bytes = count_ * elements_ * static_cast<int64_t>(sizeof(float));
    const int repeats = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(500, 16 * kMiB / bytes)));
    std::vector<double> ours, plain;
    const auto run = [&](int64_t d) {
      for (int round = 0; round <= kRounds; ++round) {
        const double first = Time([&] {
          for (int i = 0; i < repeats; ++i) Collective(d);
        });
        const double second = Time([&] {
          for (int i = 0; i < repeats; ++i) Plain(d);
        });
        if (d > 0 || round == 0) continue;  // the first round touches memory and wakes threads
        ours.push_back(first / repeats);
        plain.push_back(second / repeats);
      }
      local_.DeviceEnded(d, absl::OkStatus());
    };
    std::vector<std::thread> threads;
    for (int64_t d = 1; d < count_; ++d) threads.emplace_back(run, d);
    run(0);
    for (std::thread& thread : threads) thread.join();
    return {Median(ours), Median(plain)};
  }

 private:
  double Time(const std::function<void()>& work) {
    barrier_.Wait();
    const double start = Seconds();
    work();
    barrier_.Wait();
    return Seconds() - start;
  }

  void Collective(int64_t d) {
    CollectiveCall call;
    call.action = sum_ != nullptr ? Action::kReduce : Action::kMove;
    call.instruction = instruction_;
    for (int64_t member = 0; member < count_; ++member) call.group.push_back(member);
    call.position = d;
    call.source = (d + count_ - 1) % count_;
    call.operands = {{&instruction_->operand(0)->shape(), operand_data_[d]}};
    call.results = {{&instruction_->shape(), result_data_[d]}};
    call.reducer = sum_.get();
    CHECK(local_.Start(std::move(call))->Await([] { return absl::OkStatus(); }).ok());
  }

  void Plain(int64_t d) {
    barrier_.Wait();
    const int64_t shard = elements_ / count_;
    const auto copy = [&](int64_t from, int64_t first, int64_t to, int64_t count) {
      std::memcpy(result_data_[d] + to, operand_data_[from] + first, count * sizeof(float));
    };
    const std::vector<const float*> operands(operand_data_.begin(), operand_data_.end());
    switch (instruction_->opcode()) {
      case HloOpcode::kAllReduce:
        PlainSum(operands, result_data_, d * shard, d + 1 == count_ ? elements_ : (d + 1) * shard);
        break;
      case HloOpcode::kReduceScatter:
        PlainSum(operands, {result_data_[d] - d * shard}, d * shard, (d + 1) * shard);
        break;
      case HloOpcode::kAllGather:
        for (int64_t m = 0; m < count_; ++m) copy(m, 0, m * elements_, elements_);
        break;
      case HloOpcode::kAllToAll:
        for (int64_t m = 0; m < count_; ++m) copy(m, d * shard, m * shard, shard);
        break;
      default:
        copy((d + count_ - 1) % count_, 0, 0, elements_);
    }
    barrier_.Wait();
  }

  const int64_t count_;
  const int64_t elements_;
  ThreadPool pool_;
  MemoryBudget memory_;
  Barrier barrier_;
  LocalCollectives local_;
  std::unique_ptr<HloModule> module_;
  const HloInstruction* instruction_ = nullptr;
  std::unique_ptr<SumOfElements> sum_;
  std::vector<std::vector<float>> operands_;
  std::vector<std::vector<float>> results_;
  std::vector<float*> operand_data_;
  std::vector<float*> result_data_;
};

// ---- Whole programs

// Seconds of one of the all-reduces that a compiled program runs, one after the other.
double OfProgram(int64_t devices, int64_t elements) {
  constexpr int kTrips = 8;
  ClientOptions client_options;
  client_options.device_count = devices;
  const auto client = OrDie(GetClient("cpu", client_options));
  CompileOptions options;
  options.replica_count = devices;
  const auto program = OrDie(client->Compile(OrDie(ParseHloModule(absl::Substitute(R"(HloModule reduces
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
body { s = (s32[], f32[$0]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[$0] get-tuple-element(s), index=1
  y = f32[$0] all-reduce(x), replica_groups={}, to_apply=sum
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], f32[$0]) tuple(n, y) }
condition { s = (s32[], f32[$0]) parameter(0) n = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] compare(n, s32[] constant($1)), direction=LT }
ENTRY e { trips = s32[] parameter(0) start = s32[] subtract(s32[] constant($1), trips)
  one = f32[] constant(1) x = f32[$0] broadcast(one), dimensions={} t = (s32[], f32[$0]) tuple(start, x)
  w = (s32[], f32[$0]) while(t), condition=condition, body=body
  y = f32[$0] get-tuple-element(w), index=1 ROOT r = f32[1] slice(y), slice={[0:1]} })",
                                                                                   elements, kTrips))),
                                             options));
  const auto run = [&](int32_t trips) {
    const std::vector<std::vector<Literal>> arguments(devices, {Literal::Scalar<int32_t>(trips)});
    const double start = Seconds();
    OrDie(ExecuteOnLiterals(*program, arguments));
    return Seconds() - start;
  };
  std::vector<double> times;
  run(kTrips);
  for (int round = 0; round < kRounds; ++round) times.push_back((run(kTrips) - run(0)) / kTrips);
  return Median(times);
}

std::string SizeText(int64_t bytes) {
  return bytes < kMiB ? absl::StrCat(bytes / kKiB, " KB") : absl::StrCat(bytes / kMiB, " MB");
}

// At 64 MB only the ratio counts, at 4 KB only the time.
bool MeasureInProcess() {
  constexpr double kFloor = 1.3;
  bool all_met = true;
  const auto print = [&](const std::string& name, std::pair<double, double> times, double most_of_plain) {
    all_met &= PrintAmount(name, times.first / times.second, "x the time of plain loops", most_of_plain);
    PrintAmount(absl::StrCat(name, ", time"), times.first * 1e6, "us", 0);
  };
  for (const int64_t devices : {2, 4, 8}) {
    for (const int64_t bytes : {4 * kKiB, kMiB, 64 * kMiB}) {
      const int64_t elements = bytes / static_cast<int64_t>(sizeof(float));
      const double most = bytes == 64 * kMiB ? kFloor : 0;
      const std::string of = absl::StrCat(SizeText(bytes), " over ", devices);
      print(absl::StrCat("all-reduce of ", of), Devices(devices, elements, "all-reduce", false).Measure(), most);
      const auto in_place = Devices(devices, elements, "all-reduce", true).Measure();
      print(absl::StrCat("all-reduce in place of ", of), in_place, most);
      PrintAmount(absl::StrCat("all-reduce in a program of ", of), OfProgram(devices, elements) * 1e6, "us", 0);
    }
  }
  for (const char* opcode : {"all-gather", "reduce-scatter", "all-to-all", "collective-permute"}) {
    const bool gathers = std::string(opcode) == "all-gather";
    const int64_t elements = (gathers ? 16 : 64) * kMiB / static_cast<int64_t>(sizeof(float));
    print(absl::StrCat(opcode, " of 64 MB over 4"), Devices(4, elements, opcode, false).Measure(), kFloor);
  }
  return all_met;
}

}  // namespace
}  // namespace xla

int main() {
  xla::PrintFigureHeader();
  return xla::MeasureInProcess() ? 0 : 1;
}
