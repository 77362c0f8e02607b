// Buffers: host memory of every form, references from outside, copies, transfers in parts.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bindings/pjrt/test_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A function that makes a buffer of floats from memory, as jaxlib describes it.
struct HostArrayOfTest {
  const void* data;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  PJRT_HostBufferSemantics semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
};

absl::StatusOr<PJRT_Buffer*> FromHost(TestClient& client, const HostArrayOfTest& array, PJRT_Event** done) {
  auto make = client.Make<PJRT_Client_BufferFromHostBuffer_Args>();
  make->client = client.client();
  make->data = array.data;
  make->type = PJRT_Buffer_Type_F32;
  make->dims = array.dims.data();
  make->num_dims = array.dims.size();
  make->byte_strides = array.strides.data();
  make->num_byte_strides = array.strides.size();
  make->host_buffer_semantics = array.semantics;
  make->device = nullptr;
  make->memory = nullptr;
  make->device_layout = nullptr;
  const absl::Status status = client.Call(client.api().PJRT_Client_BufferFromHostBuffer, make);
  if (!status.ok()) return status;
  *done = make->done_with_host_buffer;
  return make->buffer;
}

bool IsReady(TestClient& client, PJRT_Event* event) {
  auto ask = client.Make<PJRT_Event_IsReady_Args>();
  ask->event = event;
  EXPECT_TRUE(client.Call(client.api().PJRT_Event_IsReady, ask).ok());
  return ask->is_ready;
}

TEST(FromHost, ReadsStridesOfAllSigns) {
  TestClient client;
  const float values[] = {0, 1, 2, 3, 4, 5};
  PJRT_Event* done;
  const struct {
    HostArrayOfTest array;
    std::vector<float> expected;
  } cases[] = {
      {{values, {2, 3}, {12, 4}}, {0, 1, 2, 3, 4, 5}},
      {{values, {3, 2}, {4, 12}}, {0, 3, 1, 4, 2, 5}},
      {{values + 5, {3}, {-8}}, {5, 3, 1}},
      {{values + 1, {2, 2}, {0, 0}}, {1, 1, 1, 1}},
      {{values, {0, 2}, {0, 0}}, {}},
      {{values + 2, {}, {}}, {2}},
  };
  for (const auto& test : cases) {
    const absl::StatusOr<PJRT_Buffer*> buffer = FromHost(client, test.array, &done);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ(client.Values(*buffer), test.expected);
    client.Destroy(*buffer);
    EXPECT_TRUE(client.Await(done).ok());
  }
}

// Memory that is aligned to 64 bytes is borrowed until the buffer ends; other memory is copied at once.
TEST(FromHost, BorrowsAlignedMemory) {
  TestClient client;
  alignas(64) float values[32] = {1, 2, 3, 4};
  PJRT_Event* done;
  absl::StatusOr<PJRT_Buffer*> buffer = FromHost(client, {values, {32}, {4}}, &done);
  ASSERT_TRUE(buffer.ok());
  EXPECT_FALSE(IsReady(client, done));
  auto pin = client.Make<PJRT_Buffer_IncreaseExternalReferenceCount_Args>();
  pin->buffer = *buffer;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_IncreaseExternalReferenceCount, pin).ok());
  auto address = client.Make<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>();
  address->buffer = *buffer;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer, address).ok());
  EXPECT_EQ(address->device_memory_ptr, values);
  auto remove = client.Make<PJRT_Buffer_Delete_Args>();
  remove->buffer = *buffer;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_Delete, remove).ok());
  EXPECT_FALSE(IsReady(client, done));  // it still has a reader
  client.Destroy(*buffer);
  EXPECT_TRUE(IsReady(client, done));
  EXPECT_TRUE(client.Await(done).ok());

  buffer = FromHost(client, {values + 1, {2}, {4}}, &done);
  ASSERT_TRUE(buffer.ok());
  EXPECT_TRUE(IsReady(client, done));
  EXPECT_TRUE(client.Await(done).ok());
  values[1] = 9;
  EXPECT_THAT(client.Values(*buffer), ElementsAre(2, 3));
  client.Destroy(*buffer);
}

TEST(FromHost, RefusesWhatIsNoArray) {
  TestClient client;
  const float value = 1;
  PJRT_Event* done;
  EXPECT_EQ(FromHost(client, {&value, {2, 2}, {4}}, &done).status().message(),
            "PJRT_Client_BufferFromHostBuffer: num_byte_strides is 1, the array has 2 dimensions");
  EXPECT_THAT(std::string(FromHost(client, {&value, {-1}, {4}}, &done).status().message()),
              HasSubstr("PJRT_Client_BufferFromHostBuffer: "));
  EXPECT_FALSE(FromHost(client, {&value, {int64_t{1} << 62, 4}, {4, 4}}, &done).ok());
  EXPECT_FALSE(FromHost(client, {nullptr, {2}, {4}}, &done).ok());
  EXPECT_EQ(FromHost(client, {&value, {1}, {4}, static_cast<PJRT_HostBufferSemantics>(9)}, &done).status().message(),
            "PJRT_Client_BufferFromHostBuffer: host_buffer_semantics is 9, expected 0 to 3");
}

TEST(Buffer, IsCopiedToOtherDevicesAndMemories) {
  TestClient client(112, {{"device_count", "2"}});
  PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
  auto copy = client.Make<PJRT_Buffer_CopyToMemory_Args>();
  copy->buffer = x;
  copy->dst_memory = client.memory(1, 1);
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_CopyToMemory, copy).ok());
  auto memory = client.Make<PJRT_Buffer_Memory_Args>();
  memory->buffer = copy->dst_buffer;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_Memory, memory).ok());
  EXPECT_EQ(memory->memory, client.memory(1, 1));
  EXPECT_THAT(client.Values(copy->dst_buffer), ElementsAre(1, 2));
  client.Destroy(x);
  client.Destroy(copy->dst_buffer);
}

TEST(Buffer, IsCopiedInParts) {
  TestClient client;
  PJRT_Buffer* const x = client.BufferOf({1, 2, 3, 4}, {4});
  float part[2] = {};
  auto copy = client.Make<PJRT_Buffer_CopyRawToHost_Args>();
  copy->buffer = x;
  copy->dst = part;
  copy->offset = 4;
  copy->transfer_size = 8;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_CopyRawToHost, copy).ok());
  EXPECT_TRUE(client.Await(copy->event).ok());
  EXPECT_THAT(part, ElementsAre(2, 3));
  copy->offset = 12;
  EXPECT_EQ(client.Call(client.api().PJRT_Buffer_CopyRawToHost, copy).message(),
            "PJRT_Buffer_CopyRawToHost: offset 12 and transfer_size 8 do not lie in the 16 bytes of f32[4]");
  auto later = client.Make<PJRT_Buffer_CopyRawToHostFuture_Args>();
  later->buffer = x;
  later->offset = 0;
  later->transfer_size = 8;
  ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_CopyRawToHostFuture, later).ok());
  EXPECT_FALSE(IsReady(client, later->event));
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args there = {
      sizeof(there), later->callback_data, PJRT_Error_Code_OK, nullptr, 0, part};
  later->future_ready_callback(&there);
  EXPECT_TRUE(client.Await(later->event).ok());
  EXPECT_THAT(part, ElementsAre(1, 2));
  client.Destroy(x);
}

TEST(Buffer, ViewsMemoryOfOthersUntilItEnds) {
  TestClient client;
  alignas(64) float values[2] = {1, 2};
  int ended = 0;
  const int64_t dims[] = {2};
  auto view = client.Make<PJRT_Client_CreateViewOfDeviceBuffer_Args>();
  view->client = client.client();
  view->device_buffer_ptr = values;
  view->dims = dims;
  view->num_dims = 1;
  view->element_type = PJRT_Buffer_Type_F32;
  view->layout = nullptr;
  view->device = client.device();
  view->on_delete_callback = [](void*, void* arg) { ++*static_cast<int*>(arg); };
  view->on_delete_callback_arg = &ended;
  view->stream = 0;
  if (client.minor() >= 100) view->memory = nullptr;
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_CreateViewOfDeviceBuffer, view).ok());
  EXPECT_THAT(client.Values(view->buffer), ElementsAre(1, 2));
  EXPECT_EQ(ended, 0);
  client.Destroy(view->buffer);
  EXPECT_EQ(ended, 1);
}

TEST(Transfers, ComeInParts) {
  TestClient client;
  const PJRT_Api& api = client.api();
  const int64_t dims[] = {4};
  PJRT_ShapeSpec specs[2] = {};
  for (PJRT_ShapeSpec& spec : specs) {
    spec.struct_size = 36;
    spec.dims = dims;
    spec.num_dims = 1;
    spec.element_type = PJRT_Buffer_Type_F32;
  }
  auto make = client.Make<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
  make->client = client.client();
  make->shape_specs = specs;
  make->num_shape_specs = 2;
  make->device_layouts = nullptr;
  make->num_device_layouts = 0;
  make->memory = client.memory(0, 0);
  ASSERT_TRUE(client.Call(api.PJRT_Client_CreateBuffersForAsyncHostToDevice, make).ok());
  PJRT_Buffer* buffers[2];
  for (int i = 0; i < 2; ++i) {
    auto take = client.Make<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
    take->transfer_manager = make->transfer_manager;
    take->buffer_index = i;
    ASSERT_TRUE(client.Call(api.PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, take).ok());
    buffers[i] = take->buffer_out;
  }
  const float values[] = {1, 2, 3, 4};
  auto part = client.Make<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
  part->transfer_manager = make->transfer_manager;
  part->buffer_index = 0;
  for (int i = 1; i >= 0; --i) {
    part->data = values + 2 * i;
    part->offset = 8 * i;
    part->transfer_size = 8;
    part->is_last_transfer = i == 0;
    ASSERT_TRUE(client.Call(api.PJRT_AsyncHostToDeviceTransferManager_TransferData, part).ok());
    EXPECT_TRUE(client.Await(part->done_with_h2d_transfer).ok());
  }
  EXPECT_THAT(client.Values(buffers[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(client.Call(api.PJRT_AsyncHostToDeviceTransferManager_TransferData, part).message(),
            "PJRT_AsyncHostToDeviceTransferManager_TransferData: the last part of the buffer was given before");
  // What is never given fails when the manager ends.
  auto destroy = client.Make<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>();
  destroy->transfer_manager = make->transfer_manager;
  ASSERT_TRUE(client.Call(api.PJRT_AsyncHostToDeviceTransferManager_Destroy, destroy).ok());
  EXPECT_FALSE(client.Ready(buffers[1]).ok());
  for (PJRT_Buffer* const buffer : buffers) client.Destroy(buffer);
}

TEST(AliasBuffer, GetsItsValueLater) {
  TestClient client;
  const int64_t dims[] = {2};
  auto make = client.Make<PJRT_Client_CreateAliasBuffer_Args>();
  make->client = client.client();
  make->memory = client.memory(0, 0);
  make->shape_dims = dims;
  make->shape_num_dims = 1;
  make->shape_element_type = PJRT_Buffer_Type_F32;
  make->shape_layout = nullptr;
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_CreateAliasBuffer, make).ok());
  PJRT_Buffer* const value = client.BufferOf({5, 6}, {2});
  auto fulfill = client.Make<PJRT_Client_FulfillAliasBuffer_Args>();
  fulfill->client = client.client();
  fulfill->buffer = value;
  fulfill->status_code = PJRT_Error_Code_OK;
  fulfill->error_message = nullptr;
  fulfill->error_message_size = 0;
  fulfill->fulfill_alias_buffer_cb = make->fulfill_alias_buffer_cb;
  ASSERT_TRUE(client.Call(client.api().PJRT_Client_FulfillAliasBuffer, fulfill).ok());
  EXPECT_THAT(client.Values(make->alias_buffer), ElementsAre(5, 6));
  client.Destroy(make->alias_buffer);
  client.Destroy(value);
}

TEST(Event, OfAClientHappensWhenItSays) {
  TestClient client;
  auto create = client.Make<PJRT_Event_Create_Args>();
  ASSERT_TRUE(client.Call(client.api().PJRT_Event_Create, create).ok());
  EXPECT_FALSE(IsReady(client, create->event));
  const std::string text = "stopped";
  auto set = client.Make<PJRT_Event_Set_Args>();
  set->event = create->event;
  set->error_code = PJRT_Error_Code_ABORTED;
  set->error_message = text.data();
  set->error_message_size = text.size();
  ASSERT_TRUE(client.Call(client.api().PJRT_Event_Set, set).ok());
  EXPECT_EQ(client.Call(client.api().PJRT_Event_Set, set).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(client.Await(create->event).message(), "stopped");
}

}  // namespace
}  // namespace pjrt
}  // namespace xla
