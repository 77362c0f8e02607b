// Values of buffers on the device: they stay there between runs, are written in place where they were donated, and come
// to the host when they are asked for.
#include <sys/mman.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/backend.h"
#include "backends/device_roof.h"
#include "backends/exported_memory.h"
#include "backends/testing/test_programs.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/vulkan_device.h"
#include "backends/vulkan/device/vulkan_instance.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using testing::Each;
using vulkan::Commands;
using vulkan::DeviceFacts;
using vulkan::DeviceMemory;
using vulkan::MemoryKind;
using vulkan::MemoryRange;
using vulkan::ToStatus;
using vulkan::VulkanDevice;
using vulkan::VulkanInstance;

constexpr int64_t kCount = 5000;  // more bytes than those that come to the host with the end of a run

constexpr char kDoubled[] = "HloModule m\nENTRY e { x = f32[5000] parameter(0) ROOT y = f32[5000] add(x, x) }";
// Writes to its argument.
constexpr char kFirstIsSeven[] = R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[5000] parameter(0) s = f32[1] constant({7}) i = s32[] constant(0)
  ROOT r = f32[5000] dynamic-update-slice(x, s, i) })";

Literal Filled(float value) {
  return Literal::FromValues<float>({kCount}, std::vector<float>(static_cast<size_t>(kCount), value));
}

class DeviceValuesTest : public testing::TestWithParam<BackendSettings> {
 protected:
  void SetUp() override {
    ClientOptions options;
    options.settings = GetParam();
    options.settings["validation"] = "true";
    auto client = GetClient("vulkan", options);
    if (!client.ok()) {
      options.settings = GetParam();
      client = GetClient("vulkan", options);
    }
    client_ = OrDie(std::move(client));
  }
  std::unique_ptr<Buffer> BufferOf(float value) { return OrDie(client_->BufferFromLiteral(Filled(value))); }
  static std::unique_ptr<Buffer> Run(Executable& program, Buffer& argument, const ExecuteOptions& options = {}) {
    return std::move(OrDie(program.Execute({&argument}, options))[0]);
  }
  static void ExpectAll(const Buffer& buffer, float value) {
    EXPECT_THAT(OrDie(buffer.ToLiteral()).span<float>(), Each(value));
  }

  std::shared_ptr<Client> client_;
};

TEST_P(DeviceValuesTest, StayForTheNextRun) {
  const auto program = CompileText(*client_, kDoubled);
  std::unique_ptr<Buffer> value = BufferOf(1);
  for (int i = 0; i < 10; ++i) value = Run(*program, *value);
  ExpectAll(*value, 1024);
}

TEST_P(DeviceValuesTest, AreApartWhileTheyLive) {
  const auto program = CompileText(*client_, kDoubled);
  std::vector<std::unique_ptr<Buffer>> values;
  values.push_back(BufferOf(1));
  for (int i = 0; i < 8; ++i) values.push_back(Run(*program, *values.back()));
  for (size_t i = 0; i < values.size(); ++i) ExpectAll(*values[i], static_cast<float>(1 << i));
}

TEST_P(DeviceValuesTest, AreWrittenInPlaceOnceDonated) {
  const auto program = CompileText(*client_, kFirstIsSeven);
  const auto value = BufferOf(1);
  const void* const place = OrDie(value->AcquireExternalReference())->data();
  const auto result = Run(*program, *value);
  EXPECT_EQ(value->state(), Buffer::State::kDonated);
  EXPECT_EQ(OrDie(result->AcquireExternalReference())->data(), place);
  const Literal literal = OrDie(result->ToLiteral());
  EXPECT_EQ(literal.data<float>()[0], 7);
  EXPECT_EQ(literal.data<float>()[1], 1);
}

TEST_P(DeviceValuesTest, StayAsTheyAreUnlessDonated) {
  const auto program = CompileText(*client_, kFirstIsSeven);
  const auto value = BufferOf(1);
  ExecuteOptions options;
  options.non_donatable_parameters = {0};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(OrDie(Run(*program, *value, options)->ToLiteral()).data<float>()[0], 7);
  ExpectAll(*value, 1);
}

// The result of the first program is the argument itself, which the second one must not write to.
TEST_P(DeviceValuesTest, AreNotWrittenWhileAnotherBufferHasThem) {
  const auto same = CompileText(*client_, "HloModule m\nENTRY e { ROOT x = f32[5000] parameter(0) }");
  const auto program = CompileText(*client_, kFirstIsSeven);
  const auto value = BufferOf(1);
  const auto other = Run(*same, *value);
  EXPECT_EQ(OrDie(Run(*program, *other)->ToLiteral()).data<float>()[0], 7);
  ExpectAll(*value, 1);
}

TEST_P(DeviceValuesTest, AreReadByWhatTheInterpreterRuns) {
  const auto doubled = CompileText(*client_, kDoubled);
  const auto spectrum = CompileText(*client_, R"(HloModule m
ENTRY e { x = f32[5000] parameter(0) f = c64[2501] fft(x), fft_type=RFFT, fft_length={5000}
  ROOT r = f32[2501] real(f) })");
  const auto value = BufferOf(1);
  EXPECT_EQ(OrDie(Run(*spectrum, *Run(*doubled, *value))->ToLiteral()).data<float>()[0], 2 * kCount);
  // No plan has a view of bytes as predicates: the program runs there as a whole.
  const auto whole = CompileText(*client_, R"(HloModule m
ENTRY e { x = f32[5000] parameter(0) zero = f32[] constant(0) z = f32[5000] broadcast(zero), dimensions={}
  p = pred[5000] compare(x, z), direction=GT u = u8[5000] convert(p) ROOT b = pred[5000] bitcast(u) })");
  const auto result = Run(*whole, *Run(*doubled, *value));
  EXPECT_THAT(OrDie(result->ToLiteral()).span<bool>(), Each(true));
}

// Whether the device reads memory of the host where it is.
bool ImportsMemory() {
  const auto instance = OrDie(VulkanInstance::Create({}));
  const DeviceFacts& facts = instance->devices()[0].facts;
  return facts.has_host_memory_import && facts.has_unified_memory && facts.kind != "discrete";
}

TEST_P(DeviceValuesTest, MayBeInMemoryOfTheCaller) {
  constexpr int64_t kMany = int64_t{1} << 19;
  const auto doubled = CompileText(*client_,
                                   "HloModule m\nENTRY e { x = f32[524288] parameter(0) "
                                   "ROOT y = f32[524288] add(x, x) }");
  const auto same = CompileText(*client_, "HloModule m\nENTRY e { ROOT x = f32[524288] parameter(0) }");
  const auto first_is_seven = CompileText(*client_, R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[524288] parameter(0) s = f32[1] constant({7}) i = s32[] constant(0)
  ROOT r = f32[524288] dynamic-update-slice(x, s, i) })");
  std::vector<float> memory(kMany + 4, 1);
  float* const data = memory.data() + (reinterpret_cast<uintptr_t>(memory.data()) % 16 == 0 ? 0 : 2);
  int released = 0;
  auto value = OrDie(
      client_->BufferFromHost(data, Shape::Array(F32, {kMany}), HostMemoryUse::kBorrow, [&released] { ++released; }));
  const bool is_there = GetParam().empty() && ImportsMemory();
  EXPECT_EQ(released, is_there ? 0 : 1);
  EXPECT_EQ(OrDie(value->AcquireExternalReference())->data() == data, is_there);
  ExpectAll(*Run(*doubled, *value), 2);
  // What is not the client's is neither written to nor part of a result.
  const auto copy = Run(*same, *value);
  EXPECT_EQ(OrDie(Run(*first_is_seven, *value)->ToLiteral()).data<float>()[0], 7);
  EXPECT_EQ(data[0], 1);
  value.reset();
  EXPECT_EQ(released, 1);
  memory.assign(memory.size(), 9);
  ExpectAll(*copy, 1);
}

// Of more arrays than a kernel has bindings, in memory that is protected from writes.
TEST_P(DeviceValuesTest, MayBeInMemoryThatIsOnlyRead) {
  constexpr int kArrays = 32;  // as many as a kernel puts together
  constexpr size_t kBytes = size_t{1} << 20;
  void* const memory =
      mmap(nullptr, kArrays * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  ASSERT_NE(memory, MAP_FAILED);
  std::string text = "HloModule m\nENTRY e {\n";
  std::vector<std::string> names;
  for (int i = 0; i < kArrays; ++i) {
    static_cast<char*>(memory)[i * kBytes + 5] = static_cast<char>(i);
    absl::StrAppend(&text, "x", i, " = s8[1048576] parameter(", i, ")\n");
    names.push_back(absl::StrCat("x", i));
  }
  absl::StrAppend(&text, "ROOT r = s8[", kArrays * kBytes, "] concatenate(", absl::StrJoin(names, ", "),
                  "), dimensions={0} }");
  ASSERT_EQ(mprotect(memory, kArrays * kBytes, PROT_READ), 0);
  const auto program = CompileText(*client_, text);
  std::vector<std::unique_ptr<Buffer>> values;
  std::vector<Buffer*> arguments;
  for (int i = 0; i < kArrays; ++i) {
    values.push_back(OrDie(client_->BufferFromHost(static_cast<char*>(memory) + i * kBytes, Shape::Array(S8, {kBytes}),
                                                   HostMemoryUse::kBorrow, [] {})));
    arguments.push_back(values.back().get());
  }
  const BufferList results = OrDie(program->Execute(arguments));
  const Literal result = OrDie(results[0]->ToLiteral());
  for (int i = 0; i < kArrays; ++i) EXPECT_EQ(result.data<int8_t>()[i * kBytes + 5], i);
  values.clear();
  munmap(memory, kArrays * kBytes);
}

TEST_P(DeviceValuesTest, MayBeTuplesWithSmallParts) {
  const auto program = CompileText(*client_, R"(HloModule m
ENTRY e { t = (f32[5000], (s32[], f32[0])) parameter(0) x = f32[5000] get-tuple-element(t), index=0
  u = (s32[], f32[0]) get-tuple-element(t), index=1 n = s32[] get-tuple-element(u), index=0
  e = f32[0] get-tuple-element(u), index=1 m = s32[] negate(n) y = f32[5000] negate(x)
  v = (s32[], f32[0]) tuple(m, e) ROOT r = (f32[5000], (s32[], f32[0])) tuple(y, v) })");
  ExecuteOptions options;
  options.untuple_result = false;
  std::unique_ptr<Buffer> value = OrDie(client_->BufferFromLiteral(Literal::Tuple(
      {Filled(3), Literal::Tuple({Literal::Scalar(4), OrDie(Literal::Zeros(Shape::Array(F32, {0})))})})));
  for (int i = 0; i < 3; ++i) value = Run(*program, *value, options);
  const Literal literal = OrDie(value->ToLiteral());
  EXPECT_THAT(literal.element(0).span<float>(), Each(-3));
  EXPECT_EQ(*literal.element(1).element(0).data<int32_t>(), -4);
}

// What another program would do with memory that it is given: its elements, by a device of its own.
class Receiver {
 public:
  absl::StatusOr<std::vector<float>> Read(const ExportedMemory& exported) {
    ASSIGN_OR_RETURN(const std::shared_ptr<VulkanInstance> instance, VulkanInstance::Create({}));
    ASSIGN_OR_RETURN(device_, VulkanDevice::Create(instance, 0));
    absl::StatusOr<std::vector<float>> elements = Copy(exported);
    device_->vk().DestroyBuffer(device_->handle(), buffer_, nullptr);
    device_->vk().FreeMemory(device_->handle(), memory_, nullptr);
    return elements;
  }

 private:
  absl::Status Import(const ExportedMemory& exported) {
    VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkBufferCreateInfo buffer = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    buffer.pNext = &external;
    buffer.size = exported.allocation_bytes;
    buffer.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    RETURN_IF_ERROR(
        ToStatus(device_->vk().CreateBuffer(device_->handle(), &buffer, nullptr, &buffer_), "make a buffer"));
    VkImportMemoryFdInfoKHR imported = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
    imported.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    imported.fd = exported.file_descriptor;
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.pNext = &imported;
    allocation.allocationSize = exported.allocation_bytes;
    allocation.memoryTypeIndex = exported.memory_type;
    RETURN_IF_ERROR(
        ToStatus(device_->vk().AllocateMemory(device_->handle(), &allocation, nullptr, &memory_), "import memory"));
    return ToStatus(device_->vk().BindBufferMemory(device_->handle(), buffer_, memory_, 0), "bind memory");
  }
  absl::StatusOr<std::vector<float>> Copy(const ExportedMemory& exported) {
    RETURN_IF_ERROR(Import(exported));
    DeviceMemory memory(device_);
    ASSIGN_OR_RETURN(const MemoryRange staging, memory.Allocate(MemoryKind::kStaging, exported.bytes));
    ASSIGN_OR_RETURN(const auto commands, Commands::Create(device_));
    commands->Copy({buffer_, exported.offset, exported.bytes}, {staging.buffer(), staging.offset(), staging.bytes()});
    commands->Barrier();
    RETURN_IF_ERROR(commands->End());
    ASSIGN_OR_RETURN(const uint64_t ticket, device_->Submit(commands->handle()));
    RETURN_IF_ERROR(device_->Wait(ticket));
    const auto* const begin = reinterpret_cast<const float*>(staging.mapped());
    return std::vector<float>(begin, begin + exported.bytes / sizeof(float));
  }

  std::shared_ptr<VulkanDevice> device_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

absl::StatusOr<ExportedMemory> ExportedFrom(Buffer& buffer) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ExternalReference> reference, buffer.AcquireExternalReference());
  return dynamic_cast<const ExportsMemory&>(*reference).Export();
}

TEST_P(DeviceValuesTest, AreGivenToOthersAsFileDescriptors) {
  EXPECT_TRUE(absl::IsFailedPrecondition(ExportedFrom(*BufferOf(1)).status())) << "the client is not made for that";
  ClientOptions options;
  options.settings = GetParam();
  options.settings["export"] = "true";
  const auto client = GetClient("vulkan", options);
  if (absl::IsUnavailable(client.status())) GTEST_SKIP() << client.status().message();
  const auto program = CompileText(**client, kDoubled);
  const auto value = OrDie((*client)->BufferFromLiteral(Filled(3)));
  EXPECT_THAT(OrDie(Receiver().Read(OrDie(ExportedFrom(*value)))), Each(3));
  EXPECT_THAT(OrDie(Receiver().Read(OrDie(ExportedFrom(*Run(*program, *value))))), Each(6));
}

class NotedSteps : public ProfileSink {
 public:
  void OnInstruction(const HloInstruction& instruction, int64_t, absl::Time start, absl::Time end) override {
    names.push_back(instruction.name());
    EXPECT_LE(last, start);
    EXPECT_LE(start, end);
    last = end;
  }

  std::vector<std::string> names;
  absl::Time last = absl::Now();
};

TEST_P(DeviceValuesTest, AreComputedByStepsWhoseTimesAreKnown) {
  const auto program = CompileText(*client_, R"(HloModule m
ENTRY e { x = f32[5000] parameter(0) r = f32[5000] reverse(x), dimensions={0} f = c64[2501] fft(r), fft_type=RFFT,
  fft_length={5000} p = f32[2501] real(f) ROOT s = f32[2501] reverse(p), dimensions={0} })");
  const auto value = BufferOf(1);
  for (int run = 0; run < 2; ++run) {
    NotedSteps steps;
    ExecuteOptions options;
    options.profile = &steps;
    Run(*program, *value, options);
    EXPECT_EQ(steps.names.size(), program->planned_steps().size());
    EXPECT_LE(steps.last, absl::Now());
  }
}

TEST_P(DeviceValuesTest, AreOfADeviceThatTellsItsSpeed) {
  const auto* const device = dynamic_cast<const MeasuresDeviceRoof*>(client_.get());
  ASSERT_NE(device, nullptr);
  const DeviceRoof roof = OrDie(device->MeasureDeviceRoof());
  EXPECT_GT(roof.bytes_per_second, 1e6);
  EXPECT_GT(roof.flops_per_second, 1e6);
  EXPECT_NE(roof.name, "");
}

TEST_P(DeviceValuesTest, ServeRunsOfSeveralThreads) {
  const auto program = CompileText(*client_, kDoubled);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const auto value = BufferOf(static_cast<float>(t));
        const auto twice = Run(*program, *value);
        ExpectAll(*Run(*program, *twice), static_cast<float>(4 * t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Device, DeviceValuesTest,
                         testing::Values(BackendSettings{}, BackendSettings{{"memory", "staged"}}),
                         [](const testing::TestParamInfo<BackendSettings>& info) {
                           return std::string(info.param.empty() ? "AsItIs" : "Staged");
                         });

}  // namespace
}  // namespace xla
