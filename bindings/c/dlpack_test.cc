#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "bindings/c/dlpack_tensor.h"
#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A tensor as a producer makes it, which counts the calls of its deleter.
template <typename Tensor>
struct Produced {
  Produced(HaloDLDataType type, void* data, std::vector<int64_t> dimensions, std::vector<int64_t> strides = {})
      : shape(std::move(dimensions)), strides(std::move(strides)) {
    tensor.dl_tensor.data = data;
    tensor.dl_tensor.device = {1, 0};
    tensor.dl_tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dl_tensor.dtype = type;
    tensor.dl_tensor.shape = shape.data();
    tensor.dl_tensor.strides = this->strides.empty() ? nullptr : this->strides.data();
    tensor.manager_ctx = this;
    tensor.deleter = [](Tensor* self) { ++static_cast<Produced*>(self->manager_ctx)->deleted; };
  }

  Tensor tensor = {};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int deleted = 0;
};
using ProducedTensor = Produced<DLManagedTensor>;
using ProducedVersioned = Produced<DLManagedTensorVersioned>;

constexpr HaloDLDataType kFloat32 = {2, 32, 1};

class DlpackTest : public ::testing::Test {
 protected:
  OwnedBuffer Import(ProducedTensor& produced, halo_memory_use use) {
    halo_buffer* buffer = nullptr;
    EXPECT_EQ(Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, &produced.tensor, use, &buffer)), "");
    return OwnedBuffer(buffer);
  }
  std::string ImportError(ProducedTensor& produced) {
    halo_buffer* buffer = reinterpret_cast<halo_buffer*>(1);
    const std::string outcome =
        Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, &produced.tensor, HALO_MEMORY_BORROW, &buffer));
    EXPECT_EQ(buffer, nullptr);
    EXPECT_EQ(produced.deleted, 1);
    return outcome;
  }

  const OwnedClient client_ = ClientOrDie();
};

TEST_F(DlpackTest, BorrowsDenseMemoryUntilTheBufferEnds) {
  float values[] = {1, 2, 3, 4, 5, 6};
  ProducedTensor produced(kFloat32, values, {2, 3}, {3, 1});
  OwnedBuffer buffer = Import(produced, HALO_MEMORY_BORROW);
  EXPECT_EQ(produced.deleted, 0);
  EXPECT_EQ(TextOf(buffer.get()), "f32[2,3]{1,0} { { 1, 2, 3 }, { 4, 5, 6 } }");
  // Out again it is the same memory, which lives until the tensor does not need it any more either.
  DLManagedTensor* out = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_to_dlpack(buffer.get(), &out)), "");
  EXPECT_EQ(out->dl_tensor.data, values);
  buffer.reset();
  EXPECT_EQ(produced.deleted, 0);
  out->deleter(out);
  EXPECT_EQ(produced.deleted, 1);
}

TEST_F(DlpackTest, CopiesIfAsked) {
  float values[] = {1, 2};
  ProducedTensor produced(kFloat32, values, {2});
  const OwnedBuffer buffer = Import(produced, HALO_MEMORY_COPY);
  EXPECT_EQ(produced.deleted, 1);
  values[0] = 7;
  EXPECT_EQ(TextOf(buffer.get()), "f32[2]{0} {1, 2}");
}

TEST_F(DlpackTest, ReadsStridesAndOffsets) {
  float values[] = {1, 2, 3, 4, 5, 6};
  ProducedTensor transposed(kFloat32, values, {3, 2}, {1, 3});
  EXPECT_EQ(TextOf(Import(transposed, HALO_MEMORY_BORROW).get()), "f32[3,2]{1,0} { { 1, 4 }, { 2, 5 }, { 3, 6 } }");
  EXPECT_EQ(transposed.deleted, 1);
  ProducedTensor backwards(kFloat32, values, {3}, {-2});
  backwards.tensor.dl_tensor.byte_offset = 20;
  EXPECT_EQ(TextOf(Import(backwards, HALO_MEMORY_BORROW).get()), "f32[3]{0} {6, 4, 2}");
  EXPECT_EQ(backwards.deleted, 1);
  // The stride of a dimension with one index says nothing.
  ProducedTensor row(kFloat32, values, {1, 6}, {77, 1});
  EXPECT_EQ(TextOf(Import(row, HALO_MEMORY_BORROW).get()), "f32[1,6]{1,0} { { 1, 2, 3, 4, 5, 6 } }");
  ProducedTensor empty(kFloat32, nullptr, {0, 3});
  EXPECT_EQ(halo_buffer_size_on_device(Import(empty, HALO_MEMORY_BORROW).get()), 0u);
  ProducedTensor scalar(kFloat32, values, {});
  EXPECT_EQ(TextOf(Import(scalar, HALO_MEMORY_BORROW).get()), "f32[] 1");
}

TEST_F(DlpackTest, EveryTypeGoesInAndOut) {
  int types = 0;
  for (halo_element_type type = 1; type <= HALO_F6E2M3FN; ++type) {
    const absl::optional<HaloDLDataType> dlpack = TypeToDlpack(static_cast<PrimitiveType>(type));
    ASSERT_EQ(dlpack.has_value(), halo_element_type_size(type) > 0) << halo_element_type_name(type);
    if (!dlpack.has_value()) continue;
    ++types;
    EXPECT_EQ(TypeFromDlpack(*dlpack), type);
    alignas(16) unsigned char values[32 * 16] = {};
    values[halo_element_type_size(type)] = type == HALO_S1 ? 0xff : 1;
    ProducedVersioned produced(*dlpack, values, {32});
    produced.tensor.version = {1, 0};
    produced.tensor.flags = kDlpackPadded;
    halo_buffer* made = nullptr;
    ASSERT_EQ(
        Outcome(halo_buffer_from_dlpack_versioned(client_.get(), nullptr, &produced.tensor, HALO_MEMORY_BORROW, &made)),
        "");
    const OwnedBuffer buffer(made);
    EXPECT_EQ(halo_shape_element_type(halo_buffer_shape(made)), type);
    DLManagedTensorVersioned* out = nullptr;
    ASSERT_EQ(Outcome(halo_buffer_to_dlpack_versioned(made, &out)), "");
    EXPECT_EQ(out->version.major, 1u);
    EXPECT_EQ(out->dl_tensor.dtype.code, dlpack->code);
    EXPECT_EQ(out->dl_tensor.dtype.bits, dlpack->bits);
    EXPECT_EQ(out->dl_tensor.dtype.lanes, 1);
    EXPECT_EQ(out->dl_tensor.data, values);
    EXPECT_EQ(out->flags, kDlpackReadOnly | (dlpack->bits < 8 ? kDlpackPadded : 0));
    EXPECT_EQ(out->dl_tensor.device.device_type, 1);
    EXPECT_THAT(absl::MakeConstSpan(out->dl_tensor.shape, 1), ElementsAre(32));
    EXPECT_THAT(absl::MakeConstSpan(out->dl_tensor.strides, 1), ElementsAre(1));
    out->deleter(out);
  }
  EXPECT_EQ(types, 32);
}

TEST_F(DlpackTest, PackedElementsAreUnpacked) {
  uint8_t values[] = {0x21, 0x0f};  // 1, 2, -1
  ProducedTensor produced({0, 4, 1}, values, {3});
  const OwnedBuffer buffer = Import(produced, HALO_MEMORY_BORROW);
  EXPECT_EQ(TextOf(buffer.get()), "s4[3]{0} {1, 2, -1}");
  EXPECT_EQ(produced.deleted, 1);
  DLManagedTensor* out = nullptr;
  EXPECT_THAT(Outcome(halo_buffer_to_dlpack(buffer.get(), &out)),
              AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("halo_buffer_to_dlpack_versioned")));
  ProducedTensor strided({0, 4, 1}, values, {2}, {2});
  EXPECT_THAT(ImportError(strided), AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("strides")));
  ProducedTensor six_bits({15, 6, 1}, values, {2});
  EXPECT_THAT(ImportError(six_bits), StartsWith("UNIMPLEMENTED: "));
}

TEST_F(DlpackTest, WhatDoesNotFitIsRefusedAndDeleted) {
  float values[] = {1, 2};
  ProducedTensor on_gpu(kFloat32, values, {2});
  on_gpu.tensor.dl_tensor.device = {2, 1};
  EXPECT_EQ(
      ImportError(on_gpu),
      "UNIMPLEMENTED: the tensor is on cuda:1; only tensors in host memory (cpu) can be taken: copy it there first");
  ProducedTensor lanes({2, 32, 4}, values, {2});
  EXPECT_THAT(ImportError(lanes), HasSubstr("float of 32 bits x 4 lanes, which HLO does not have"));
  ProducedTensor handle({3, 64, 1}, values, {1});
  EXPECT_THAT(ImportError(handle), HasSubstr("opaque handle"));
  ProducedTensor unknown({200, 64, 1}, values, {1});
  EXPECT_THAT(ImportError(unknown), HasSubstr("type code 200"));
  ProducedTensor quad({2, 128, 1}, values, {1});
  EXPECT_THAT(ImportError(quad), HasSubstr("float of 128 bits"));
  ProducedTensor no_data(kFloat32, nullptr, {2});
  EXPECT_THAT(ImportError(no_data), HasSubstr("data is NULL"));
  ProducedTensor negative(kFloat32, values, {-2});
  EXPECT_THAT(ImportError(negative), StartsWith("INVALID_ARGUMENT: "));
  ProducedTensor huge(kFloat32, values, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_THAT(ImportError(huge), StartsWith("INVALID_ARGUMENT: "));
  ProducedTensor far(kFloat32, values, {2}, {int64_t{1} << 62});
  EXPECT_THAT(ImportError(far), HasSubstr("too large"));
  ProducedTensor rank(kFloat32, values, {2});
  rank.tensor.dl_tensor.ndim = -1;
  EXPECT_THAT(ImportError(rank), HasSubstr("ndim is -1"));
  ProducedTensor no_shape(kFloat32, values, {2});
  no_shape.tensor.dl_tensor.shape = nullptr;
  EXPECT_THAT(ImportError(no_shape), HasSubstr("shape is NULL"));
}

TEST_F(DlpackTest, TheTensorIsTakenOverWhateverElseIsWrong) {
  float values[] = {1, 2};
  halo_buffer* buffer = nullptr;
  ProducedTensor no_client(kFloat32, values, {2});
  EXPECT_THAT(Outcome(halo_buffer_from_dlpack(nullptr, nullptr, &no_client.tensor, HALO_MEMORY_COPY, &buffer)),
              HasSubstr("client is NULL"));
  EXPECT_EQ(no_client.deleted, 1);
  ProducedTensor no_result(kFloat32, values, {2});
  EXPECT_THAT(Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, &no_result.tensor, HALO_MEMORY_COPY, nullptr)),
              HasSubstr("buffer is NULL"));
  EXPECT_EQ(no_result.deleted, 1);
  ProducedTensor wrong_use(kFloat32, values, {2});
  EXPECT_THAT(Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, &wrong_use.tensor, 5, &buffer)),
              HasSubstr("use of memory is 5"));
  EXPECT_EQ(wrong_use.deleted, 1);
  EXPECT_THAT(Outcome(halo_buffer_from_dlpack(client_.get(), nullptr, nullptr, HALO_MEMORY_COPY, &buffer)),
              HasSubstr("tensor is NULL"));
  ProducedTensor no_deleter(kFloat32, values, {2});
  no_deleter.tensor.deleter = nullptr;
  EXPECT_NE(Import(no_deleter, HALO_MEMORY_BORROW), nullptr);
  ProducedVersioned newer(kFloat32, values, {2});
  newer.tensor.version = {2, 0};
  EXPECT_THAT(
      Outcome(halo_buffer_from_dlpack_versioned(client_.get(), nullptr, &newer.tensor, HALO_MEMORY_COPY, &buffer)),
      AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("version 2.0")));
  EXPECT_EQ(newer.deleted, 1);
}

TEST_F(DlpackTest, ResultsGoOut) {
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2,3]{1,0} {{1, 2, 3}, {4, 5, 6}}");
  DLManagedTensor* out = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_to_dlpack(x.get(), &out)), "");
  EXPECT_THAT(absl::MakeConstSpan(out->dl_tensor.shape, 2), ElementsAre(2, 3));
  EXPECT_THAT(absl::MakeConstSpan(out->dl_tensor.strides, 2), ElementsAre(3, 1));
  EXPECT_EQ(out->dl_tensor.byte_offset, 0u);
  EXPECT_THAT(absl::MakeConstSpan(static_cast<const float*>(out->dl_tensor.data), 6),
              ElementsAreArray({1, 2, 3, 4, 5, 6}));
  out->deleter(out);
  const OwnedBuffer tuple = BufferOrDie(client_.get(), "(s32[] 1)");
  EXPECT_THAT(Outcome(halo_buffer_to_dlpack(tuple.get(), &out)), StartsWith("UNIMPLEMENTED: "));
  EXPECT_EQ(out, nullptr);
  EXPECT_THAT(Outcome(halo_buffer_to_dlpack(nullptr, &out)), HasSubstr("buffer is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_to_dlpack(tuple.get(), nullptr)), HasSubstr("tensor is NULL"));
}

TEST_F(DlpackTest, ABorrowedTensorIsReleasedAfterTheRunThatUsesIt) {
  float values[] = {1, 2};
  ProducedTensor produced(kFloat32, values, {2});
  OwnedBuffer x = Import(produced, HALO_MEMORY_BORROW);
  const OwnedExecutable program = CompileOrDie(client_.get(), kAdd);
  const halo_buffer* const arguments[] = {x.get(), x.get()};
  halo_buffer* result = nullptr;
  ASSERT_EQ(Outcome(halo_executable_execute(program.get(), arguments, 2, &result, 1, nullptr, nullptr)), "");
  x.reset();
  EXPECT_EQ(TextOf(OwnedBuffer(result).get()), "f32[2]{0} {2, 4}");
  EXPECT_EQ(produced.deleted, 1);
}

}  // namespace
}  // namespace xla
