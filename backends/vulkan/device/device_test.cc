// The device layer on whatever device is first, lavapipe where there is no other; and its errors, by functions that
// fail.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/device_facts.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/pipeline.h"
#include "backends/vulkan/device/pipeline_cache.h"
#include "backends/vulkan/device/retired_work.h"
#include "backends/vulkan/device/vulkan_device.h"
#include "backends/vulkan/device/vulkan_instance.h"
#include "backends/vulkan/spirv/spirv_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kStorageBuffer = spv::StorageClass::StorageBuffer;

// z[i] = x[i] + word, one group for 64 elements.
std::vector<uint32_t> AddWord() {
  SpirvBuilder b;
  const Id word = b.IntType(32);
  const Id array = b.RuntimeArrayType(word, 4);
  const Id x = b.StorageBuffer(array, 0, 0, SpirvBuilder::BufferUse::kRead);
  const Id z = b.StorageBuffer(array, 0, 1, SpirvBuilder::BufferUse::kWrite);
  const Id push = b.PushConstants(1);
  b.BeginMain({64, 1, 1});
  const Id i = b.Op(spv::Op::OpCompositeExtract, word, {b.BuiltIn3(spv::BuiltIn::GlobalInvocationId), 0});
  const Id added = b.Load(word, b.AccessChain(spv::StorageClass::PushConstant, word, push, {b.Word(0)}));
  const Id value = b.Load(word, b.AccessChain(kStorageBuffer, word, x, {b.Word(0), i}));
  b.Store(b.AccessChain(kStorageBuffer, word, z, {b.Word(0), i}), b.Op(spv::Op::OpIAdd, word, {value, added}));
  return b.Finish();
}

BufferPart PartOf(const MemoryRange& range) { return {range.buffer(), range.offset(), range.bytes()}; }

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    InstanceOptions options;
    options.validation = true;
    auto instance = VulkanInstance::Create(options);
    if (absl::IsUnavailable(instance.status())) GTEST_SKIP() << instance.status().message();
    ASSERT_TRUE(instance.ok()) << instance.status();
    instance_ = *std::move(instance);
    auto device = VulkanDevice::Create(instance_, 0);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }
  void TearDown() override {
    if (instance_ == nullptr) return;
    device_ = nullptr;
    const absl::Status messages = instance_->TakeValidationMessages();
    EXPECT_TRUE(messages.ok()) << messages;
  }

  // A device whose functions `change` has replaced.
  absl::StatusOr<std::shared_ptr<VulkanDevice>> DeviceWith(void (*change)(VulkanFunctions&)) {
    // What an instance is made with is replaced again by what the loader finds; so on the copy in the instance.
    auto instance = VulkanInstance::Create({});
    if (!instance.ok()) return instance.status();
    change(const_cast<VulkanFunctions&>((*instance)->functions()));
    return VulkanDevice::Create(*instance, 0);
  }

  std::shared_ptr<VulkanInstance> instance_;
  std::shared_ptr<VulkanDevice> device_;
};

// Copies numbers to the device, adds, and copies them back.
absl::StatusOr<std::vector<uint32_t>> RunAddWord(const std::shared_ptr<VulkanDevice>& device, uint32_t added) {
  constexpr uint32_t kCount = 256;
  constexpr uint64_t kBytes = kCount * sizeof(uint32_t);
  DeviceMemory memory(device);
  ASSIGN_OR_RETURN(MemoryRange x, memory.Allocate(MemoryKind::kDevice, kBytes));
  ASSIGN_OR_RETURN(MemoryRange z, memory.Allocate(MemoryKind::kDevice, kBytes));
  ASSIGN_OR_RETURN(MemoryRange staging, memory.Allocate(MemoryKind::kStaging, kBytes));
  std::vector<uint32_t> numbers(kCount);
  for (uint32_t i = 0; i < kCount; ++i) numbers[i] = 3 * i;
  std::memcpy(staging.mapped(), numbers.data(), kBytes);
  ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline, Pipeline::Create(device, AddWord(), 2, sizeof(uint32_t)));
  ASSIGN_OR_RETURN(auto commands, Commands::Create(device, 2));
  commands->WriteTimestamp(0);
  commands->Copy(PartOf(staging), PartOf(x));
  commands->Barrier();
  RETURN_IF_ERROR(commands->Dispatch(pipeline, {PartOf(x), PartOf(z)}, {kCount / 64, 1, 1}, {added}));
  commands->Barrier();
  commands->Copy(PartOf(z), PartOf(staging));
  commands->Barrier();
  commands->WriteTimestamp(1);
  RETURN_IF_ERROR(commands->End());
  ASSIGN_OR_RETURN(const uint64_t ticket, device->Submit(commands->handle()));
  RETURN_IF_ERROR(device->Wait(ticket));
  std::memcpy(numbers.data(), staging.mapped(), kBytes);
  if (device->facts().timestamp_bits > 0) {
    ASSIGN_OR_RETURN(const std::vector<double> times, commands->Timestamps());
    EXPECT_LE(times[0], times[1]);
  }
  return numbers;
}

TEST_F(DeviceTest, RunsAKernelBetweenCopies) {
  const auto numbers = RunAddWord(device_, 5);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  for (uint32_t i = 0; i < numbers->size(); ++i) ASSERT_EQ((*numbers)[i], 3 * i + 5);
}

TEST_F(DeviceTest, RunsFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const auto numbers = RunAddWord(device_, t);
      ASSERT_TRUE(numbers.ok()) << numbers.status();
      EXPECT_EQ((*numbers)[7], 21 + t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeviceTest, DescribesLimitsAndFeatures) {
  const std::string text = DescribeDevices(*instance_);
  EXPECT_THAT(text, HasSubstr("vulkan device 0: "));
  EXPECT_THAT(text, HasSubstr("  shared memory: "));
  EXPECT_THAT(text, HasSubstr("  f32 arithmetic: "));
  EXPECT_THAT(text, HasSubstr("  arrays of f64, c128: "));
}

TEST_F(DeviceTest, HidesWhatTheLowestProfileLacks) {
  const DeviceFacts lowest = LowestProfile(device_->facts());
  EXPECT_LE(lowest.max_invocations, 128u);
  EXPECT_LE(lowest.storage_buffers, 4u);
  EXPECT_LE(lowest.shared_memory_bytes, 16384u);
  EXPECT_EQ(lowest.storage_range_bytes, uint64_t{128} << 20);
  EXPECT_FALSE(lowest.has_f64 || lowest.has_int64 || lowest.has_int8 || lowest.has_storage8);
  EXPECT_FALSE(lowest.has_subgroup_arithmetic || lowest.has_buffer_addresses);
  InstanceOptions options;
  options.validation = true;
  options.lowest_profile = true;
  const auto instance = VulkanInstance::Create(options);
  ASSERT_TRUE(instance.ok()) << instance.status();
  const auto device = VulkanDevice::Create(*instance, 0);
  ASSERT_TRUE(device.ok()) << device.status();
  const auto numbers = RunAddWord(*device, 1);
  EXPECT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(LowestProfile(lowest).storage_buffers, lowest.storage_buffers);
}

TEST_F(DeviceTest, MemoryComesInFewAllocations) {
  DeviceMemory memory(device_);
  std::vector<MemoryRange> ranges;
  for (int i = 0; i < 100; ++i) {
    auto range = memory.Allocate(MemoryKind::kDevice, 1000 + i);
    ASSERT_TRUE(range.ok()) << range.status();
    EXPECT_EQ(range->offset() % device_->facts().storage_alignment, 0u);
    EXPECT_GE(range->bytes(), 1000u + i);
    for (const MemoryRange& other : ranges) {
      EXPECT_TRUE(range->offset() >= other.offset() + other.bytes() ||
                  other.offset() >= range->offset() + range->bytes());
    }
    ranges.push_back(*std::move(range));
  }
  EXPECT_EQ(memory.allocation_count(), 1u);
  // What is freed is merged, and used again.
  ranges.clear();
  const uint64_t all = memory.allocated_bytes();
  const auto half = memory.Allocate(MemoryKind::kDevice, all / 2);
  ASSERT_TRUE(half.ok()) << half.status();
  EXPECT_EQ(memory.allocation_count(), 1u);
  EXPECT_EQ(half->offset(), 0u);
}

TEST_F(DeviceTest, ReadsMemoryOfTheHostWhereItIs) {
  const DeviceFacts& facts = device_->facts();
  if (!facts.has_host_memory_import) GTEST_SKIP() << facts.name << " cannot";
  constexpr size_t kWords = 3000;
  std::vector<uint32_t> words(2 * facts.host_import_alignment + kWords);
  const auto address = reinterpret_cast<uintptr_t>(words.data());
  // The largest alignment of a storage buffer's place, in words, behind the beginning of a page.
  const size_t begin = (facts.host_import_alignment - address % facts.host_import_alignment) / sizeof(uint32_t) + 64;
  for (size_t i = 0; i < kWords; ++i) words[begin + i] = static_cast<uint32_t>(i);
  DeviceMemory memory(device_);
  const auto imported = memory.Import(&words[begin], kWords * sizeof(uint32_t));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->mapped(), reinterpret_cast<char*>(&words[begin]));
  EXPECT_EQ(memory.allocation_count(), 0u);
  const auto copy = memory.Allocate(MemoryKind::kStaging, kWords * sizeof(uint32_t));
  ASSERT_TRUE(copy.ok()) << copy.status();
  const auto commands = Commands::Create(device_);
  ASSERT_TRUE(commands.ok()) << commands.status();
  (*commands)->Copy(PartOf(*imported), PartOf(*copy));
  (*commands)->Barrier();
  ASSERT_TRUE((*commands)->End().ok());
  const auto ticket = device_->Submit((*commands)->handle());
  ASSERT_TRUE(ticket.ok() && device_->Wait(*ticket).ok());
  EXPECT_EQ(std::memcmp(copy->mapped(), &words[begin], kWords * sizeof(uint32_t)), 0);
  EXPECT_TRUE(absl::IsUnimplemented(memory.Import(&words[begin + 1], 4096).status())) << "it is not aligned";
}

TEST_F(DeviceTest, SaysHowMuchMemoryIsMissing) {
  DeviceMemory memory(device_);
  const auto range = memory.Allocate(MemoryKind::kDevice, uint64_t{1} << 62);
  EXPECT_TRUE(absl::IsResourceExhausted(range.status()));
  EXPECT_THAT(range.status().message(), HasSubstr("cannot allocate 4611686018427387904 bytes"));
}

int allocations_left = 0;

TEST_F(DeviceTest, TellsThatTheDeviceIsOutOfMemory) {
  auto device = DeviceWith([](VulkanFunctions& vk) {
    static PFN_vkAllocateMemory allocate = nullptr;
    allocate = vk.AllocateMemory;
    vk.AllocateMemory = [](VkDevice handle, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* callbacks,
                           VkDeviceMemory* result) -> VkResult {
      return allocations_left-- > 0 ? allocate(handle, info, callbacks, result) : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    };
  });
  ASSERT_TRUE(device.ok()) << device.status();
  for (int k = 0; k < 2; ++k) {
    allocations_left = k;
    const auto numbers = RunAddWord(*device, 1);
    EXPECT_TRUE(absl::IsResourceExhausted(numbers.status())) << numbers.status();
    EXPECT_THAT(numbers.status().message(), HasSubstr("out of memory on "));
    EXPECT_THAT(numbers.status().message(), HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY"));
  }
  allocations_left = 100;
  EXPECT_TRUE(RunAddWord(*device, 1).ok());
}

TEST_F(DeviceTest, TellsThatTheDeviceIsLostFromThenOn) {
  auto device = DeviceWith([](VulkanFunctions& vk) {
    vk.WaitSemaphores = [](VkDevice, const VkSemaphoreWaitInfo*, uint64_t) -> VkResult { return VK_ERROR_DEVICE_LOST; };
  });
  ASSERT_TRUE(device.ok()) << device.status();
  const auto commands = Commands::Create(*device);
  ASSERT_TRUE(commands.ok() && (*commands)->End().ok());
  const auto ticket = (*device)->Submit((*commands)->handle());
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  EXPECT_TRUE(absl::IsAborted((*device)->Wait(*ticket)));
  EXPECT_TRUE(absl::IsAborted((*device)->Submit((*commands)->handle()).status()));
  (*device)->vk().DeviceWaitIdle((*device)->handle());
  // Another client works.
  EXPECT_TRUE(RunAddWord(device_, 2).ok());
}

TEST_F(DeviceTest, TellsThatASubmissionFails) {
  auto device = DeviceWith([](VulkanFunctions& vk) {
    vk.QueueSubmit = [](VkQueue, uint32_t, const VkSubmitInfo*, VkFence) -> VkResult {
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    };
  });
  ASSERT_TRUE(device.ok()) << device.status();
  const auto numbers = RunAddWord(*device, 1);
  EXPECT_EQ(numbers.status().message(), "cannot submit commands: the Vulkan driver says VK_ERROR_OUT_OF_HOST_MEMORY");
}

TEST_F(DeviceTest, WaitsNoLongerThanTheDeadline) {
  EXPECT_TRUE(absl::IsDeadlineExceeded(device_->Wait(1, absl::Now() + absl::Milliseconds(5))));
  const auto is_done = device_->IsDone(1);
  ASSERT_TRUE(is_done.ok()) << is_done.status();
  EXPECT_FALSE(*is_done);
}

TEST_F(DeviceTest, KeepsWhatIsUsedUntilTheDeviceIsDone) {
  const auto commands = Commands::Create(device_);
  ASSERT_TRUE(commands.ok() && (*commands)->End().ok());
  const auto done = std::make_shared<int>(1), never = std::make_shared<int>(2);
  {
    RetiredWork retired(device_, /*patience=*/absl::Milliseconds(5));
    const auto ticket = device_->Submit((*commands)->handle());
    ASSERT_TRUE(ticket.ok()) << ticket.status();
    retired.Add(*ticket, done);
    retired.Add(*ticket + 1, never);  // which nothing submits
    ASSERT_TRUE(device_->Wait(*ticket).ok());
    EXPECT_EQ(never.use_count(), 2);
    retired.Collect();
    EXPECT_EQ(done.use_count(), 1);
    EXPECT_EQ(never.use_count(), 2);
  }
  EXPECT_EQ(never.use_count(), 2) << "a kernel that never ends must not lose its memory";
}

TEST_F(DeviceTest, ChecksADispatchAgainstTheLimits) {
  const auto pipeline = Pipeline::Create(device_, AddWord(), 2, 4);
  ASSERT_TRUE(pipeline.ok()) << pipeline.status();
  const auto commands = Commands::Create(device_);
  ASSERT_TRUE(commands.ok()) << commands.status();
  EXPECT_THAT((*commands)->Dispatch(*pipeline, {}, {1, 1, 1}).message(), HasSubstr("has 2 buffers, got 0"));
  DeviceMemory memory(device_);
  const auto x = memory.Allocate(MemoryKind::kDevice, 1024);
  ASSERT_TRUE(x.ok());
  const BufferPart part = PartOf(*x);
  const uint32_t most = device_->facts().max_groups[1];
  if (most < UINT32_MAX) {
    EXPECT_THAT((*commands)->Dispatch(*pipeline, {part, part}, {1, most + 1, 1}).message(),
                HasSubstr("groups in dimension 1"));
  }
  EXPECT_THAT(Pipeline::Create(device_, AddWord(), 2, 1 << 20).status().message(),
              HasSubstr("bytes of push constants"));
  EXPECT_THAT(VulkanDevice::Create(instance_, 99).status().message(), HasSubstr("there is no Vulkan device 99"));
}

TEST_F(DeviceTest, KeepsCompiledPipelinesAndIgnoresForeignOnes) {
  const auto cache = PipelineCache::Create(device_);
  ASSERT_TRUE(cache.ok()) << cache.status();
  ASSERT_TRUE(Pipeline::Create(device_, AddWord(), 2, 4, cache->get()).ok());
  const auto data = (*cache)->Data();
  ASSERT_TRUE(data.ok()) << data.status();
  const auto again = PipelineCache::Create(device_, *data);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(Pipeline::Create(device_, AddWord(), 2, 4, again->get()).ok());
  std::string foreign = *data;
  foreign[20] = static_cast<char>(foreign[20] + 1);
  EXPECT_EQ(PipelineCache::Create(device_, foreign).status(), absl::DataLossError("it is of another device or driver"));
  EXPECT_EQ(PipelineCache::Create(device_, "short").status(), absl::DataLossError("it is too short"));
  std::string damaged = *data;
  damaged[4] = 77;
  EXPECT_EQ(PipelineCache::Create(device_, damaged).status(), absl::DataLossError("it is damaged"));
}

// A copy from a buffer over itself is against the rules.
TEST_F(DeviceTest, TurnsMessagesOfTheValidationLayerIntoErrors) {
  DeviceMemory memory(device_);
  const auto x = memory.Allocate(MemoryKind::kDevice, 1024);
  ASSERT_TRUE(x.ok()) << x.status();
  const auto commands = Commands::Create(device_);
  ASSERT_TRUE(commands.ok()) << commands.status();
  (*commands)->Copy(PartOf(*x), PartOf(*x));
  const absl::Status status = instance_->TakeValidationMessages();
  EXPECT_THAT(status.message(), HasSubstr("Vulkan's validation layer says: "));
  EXPECT_FALSE(instance_->HasValidationMessages());
}

TEST(VulkanInstance, SaysThatThereIsNoDriver) {
  auto functions = LoadVulkan();
  if (!functions.ok()) GTEST_SKIP() << functions.status().message();
  functions->CreateInstance = [](const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance*) -> VkResult {
    return VK_ERROR_INCOMPATIBLE_DRIVER;
  };
  const auto instance = VulkanInstance::Create({}, *functions);
  EXPECT_TRUE(absl::IsUnavailable(instance.status()));
  EXPECT_THAT(instance.status().message(), HasSubstr("finds no driver"));
}

TEST(VulkanInstance, SaysThatTheValidationLayerIsMissing) {
  auto functions = LoadVulkan();
  if (!functions.ok()) GTEST_SKIP() << functions.status().message();
  functions->EnumerateInstanceLayerProperties = [](uint32_t* count, VkLayerProperties*) -> VkResult {
    *count = 0;
    return VK_SUCCESS;
  };
  InstanceOptions options;
  options.validation = true;
  EXPECT_THAT(VulkanInstance::Create(options, *functions).status().message(), HasSubstr("vulkan-validationlayers"));
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
