// What the backend vulkan adds to what it asks of Vulkan: its executables beside the same commands recorded by hand, in
// turns, on the first device.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/backend.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/pipeline.h"
#include "backends/vulkan/device/vulkan_device.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "tests/benchmarks/figures.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace vulkan {
namespace {

constexpr uint64_t kBytes = 4096;

// y[i] = x[i] + x[i] of words, by `count` invocations; 0: it does nothing.
std::vector<uint32_t> DoubleWords(uint32_t count) {
  SpirvBuilder b;
  const Id word = b.IntType(32);
  const Id array = b.RuntimeArrayType(word, 4);
  const Id x = b.StorageBuffer(array, 0, 0, SpirvBuilder::BufferUse::kRead);
  const Id y = b.StorageBuffer(array, 0, 1, SpirvBuilder::BufferUse::kWrite);
  b.BeginMain({std::max(count, 1u), 1, 1});
  if (count > 0) {
    constexpr auto kStorage = spv::StorageClass::StorageBuffer;
    const Id i = b.Op(spv::Op::OpCompositeExtract, word, {b.BuiltIn3(spv::BuiltIn::GlobalInvocationId), 0});
    const Id value = b.Load(word, b.AccessChain(kStorage, word, x, {b.Word(0), i}));
    b.Store(b.AccessChain(kStorage, word, y, {b.Word(0), i}), b.Op(spv::Op::OpIAdd, word, {value, value}));
  }
  return b.Finish();
}

// Dispatches of one kernel, each with a barrier after it, that take turns with two buffers.
class ByHand {
 public:
  static absl::StatusOr<std::unique_ptr<ByHand>> Record(uint32_t count, int dispatches) {
    auto result = std::make_unique<ByHand>();
    ASSIGN_OR_RETURN(const std::shared_ptr<VulkanInstance> instance, VulkanInstance::Create({}));
    ASSIGN_OR_RETURN(result->device_, VulkanDevice::Create(instance, 0));
    result->memory_ = std::make_unique<DeviceMemory>(result->device_);
    for (MemoryRange& range : result->ranges_) {
      ASSIGN_OR_RETURN(range, result->memory_->Allocate(MemoryKind::kDevice, kBytes));
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Pipeline> pipeline,
                     Pipeline::Create(result->device_, DoubleWords(count), 2));
    ASSIGN_OR_RETURN(result->commands_, Commands::Create(result->device_));
    for (int i = 0; i < dispatches; ++i) {
      const MemoryRange& from = result->ranges_[i % 2];
      const MemoryRange& to = result->ranges_[1 - i % 2];
      RETURN_IF_ERROR(result->commands_->Dispatch(
          pipeline, {{from.buffer(), from.offset(), kBytes}, {to.buffer(), to.offset(), kBytes}}, {1, 1, 1}));
      result->commands_->Barrier();
    }
    RETURN_IF_ERROR(result->commands_->End());
    return result;
  }

  absl::Status Run() {
    ASSIGN_OR_RETURN(const uint64_t ticket, device_->Submit(commands_->handle()));
    return device_->Wait(ticket);
  }

 private:
  std::shared_ptr<VulkanDevice> device_;
  std::unique_ptr<DeviceMemory> memory_;
  MemoryRange ranges_[2];
  std::unique_ptr<Commands> commands_;
};

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The median time of the program as a multiple of that of `runs_by_hand` runs by hand. Its parameters are zeros, but the
// last one is `last`, unless that is empty.
absl::StatusOr<double> CompareRuns(benchmark::State& state, const std::string& text, size_t kernels, ByHand& by_hand,
                                   int runs_by_hand = 1, const std::vector<int32_t>& last = {}) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, GetClient("vulkan"));
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(text));
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client->Compile(std::move(module)));
  if (program->planned_steps().size() != kernels) {
    return absl::InternalError(absl::StrCat("the program has ", program->planned_steps().size(), " steps, not ",
                                            kernels, ": passes have changed it"));
  }
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<Buffer*> arguments;
  for (const Shape& shape : program->program_shape().parameters) {
    ASSIGN_OR_RETURN(Literal argument, Literal::Zeros(shape));
    const bool is_last = buffers.size() + 1 == program->program_shape().parameters.size();
    if (is_last && !last.empty()) std::copy(last.begin(), last.end(), argument.mutable_data<int32_t>());
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client->BufferFromLiteral(std::move(argument)));
    buffers.push_back(std::move(buffer));
    arguments.push_back(buffers.back().get());
  }
  std::vector<double> ours;
  std::vector<double> theirs;
  for (auto _ : state) {
    const absl::Time start = absl::Now();
    ASSIGN_OR_RETURN(const BufferList results, program->Execute(arguments));
    const absl::Time between = absl::Now();
    for (int run = 0; run < runs_by_hand; ++run) RETURN_IF_ERROR(by_hand.Run());
    ours.push_back(absl::ToDoubleMicroseconds(between - start));
    theirs.push_back(absl::ToDoubleMicroseconds(absl::Now() - between));
  }
  state.counters["us"] = Median(ours);
  state.counters["us by hand"] = Median(theirs);
  return Median(ours) / Median(theirs);
}

// A kernel that does next to nothing, beside vkQueueSubmit and a wait.
void BM_EmptyKernel(benchmark::State& state) {
  auto by_hand = ByHand::Record(/*count=*/0, /*dispatches=*/1);
  if (!by_hand.ok()) return state.SkipWithError(by_hand.status().ToString().c_str());
  const absl::StatusOr<double> ratio =
      CompareRuns(state, "HloModule m\nENTRY e { x = s32[1] parameter(0) ROOT y = s32[1] negate(x) }",
                  /*kernels=*/1, **by_hand);
  if (!ratio.ok()) return state.SkipWithError(ratio.status().ToString().c_str());
  ReportAmount(state, *ratio, "x of a bare submission", 1.3);
}

// Sums of neighbors, which passes leave apart because each kernel needs what others of the one before have written.
void BM_Chain(benchmark::State& state) {
  constexpr int kKernels = 1000;
  constexpr uint32_t kWords = 64;
  auto by_hand = ByHand::Record(kWords, kKernels);
  if (!by_hand.ok()) return state.SkipWithError(by_hand.status().ToString().c_str());
  std::string text = absl::StrCat(R"(HloModule m
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
ENTRY e { zero = s32[] constant(0) x0 = s32[)",
                                  kWords, "] parameter(0)\n");
  for (int i = 1; i <= kKernels; ++i) {
    absl::StrAppend(&text, i == kKernels ? "ROOT " : "", "x", i, " = s32[", kWords, "] reduce-window(x", i - 1,
                    ", zero), window={size=3 pad=1_1}, to_apply=add\n");
  }
  text += "}";
  const absl::StatusOr<double> ratio = CompareRuns(state, text, kKernels, **by_hand);
  if (!ratio.ok()) return state.SkipWithError(ratio.status().ToString().c_str());
  ReportAmount(state, *ratio, "x of the same by hand", 1.2);
}

// A loop whose end an argument says, beside a submission and a wait for each of its iterations.
void BM_Loop(benchmark::State& state) {
  constexpr int kIterations = 100;
  constexpr int kKernels = 4;  // of an iteration: a condition, a counter, sums of neighbors, and a copy of them
  constexpr uint32_t kWords = 64;
  auto by_hand = ByHand::Record(kWords, kKernels);
  if (!by_hand.ok()) return state.SkipWithError(by_hand.status().ToString().c_str());
  const absl::StatusOr<double> ratio = CompareRuns(state, R"(HloModule m
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
body { t = (s32[], s32[64], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = s32[64] get-tuple-element(t), index=1 end = s32[] get-tuple-element(t), index=2
  zero = s32[] constant(0) y = s32[64] reduce-window(x, zero), window={size=3 pad=1_1}, to_apply=add
  ROOT r = (s32[], s32[64], s32[]) tuple(n, y, end) }
condition { t = (s32[], s32[64], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0
  end = s32[] get-tuple-element(t), index=2 ROOT c = pred[] compare(i, end), direction=LT }
ENTRY e { x = s32[64] parameter(0) end = s32[] parameter(1) zero = s32[] constant(0)
  s = (s32[], s32[64], s32[]) tuple(zero, x, end)
  w = (s32[], s32[64], s32[]) while(s), condition=condition, body=body ROOT y = s32[64] get-tuple-element(w), index=1 })",
                                                   /*kernels=*/6, **by_hand, kIterations, {kIterations});
  if (!ratio.ok()) return state.SkipWithError(ratio.status().ToString().c_str());
  ReportAmount(state, *ratio, "x of waiting for each iteration", 1.0);
}

const bool kVulkanRegistered = [] {
  benchmark::RegisterBenchmark("vulkan: an executable of one empty kernel", BM_EmptyKernel)->Iterations(2000);
  benchmark::RegisterBenchmark("vulkan: a chain of 1000 small kernels", BM_Chain)->Iterations(50);
  benchmark::RegisterBenchmark("vulkan: a loop that ends by itself", BM_Loop)->Iterations(50);
  return true;
}();

}  // namespace
}  // namespace vulkan
}  // namespace xla
