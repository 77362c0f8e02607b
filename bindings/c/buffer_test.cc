#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bindings/c/halo.h"
#include "bindings/c/testing.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void CountRelease(void* user) { ++*static_cast<int*>(user); }

class BufferTest : public ::testing::Test {
 protected:
  std::string FromHostError(const halo_array& array, halo_memory_use use = HALO_MEMORY_COPY) {
    int released = 0;
    halo_buffer* buffer = reinterpret_cast<halo_buffer*>(1);
    const std::string outcome =
        Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, use, CountRelease, &released, &buffer));
    EXPECT_EQ(released, 1);
    EXPECT_EQ(buffer, nullptr);
    return outcome;
  }

  const OwnedClient client_ = ClientOrDie(2);
};

TEST_F(BufferTest, CopiesIn) {
  std::vector<int32_t> values = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> dimensions = {2, 3};
  const halo_array array = ArrayOf(HALO_S32, dimensions, values);
  int released = 0;
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), halo_client_device(client_.get(), 1), &array, HALO_MEMORY_COPY,
                                          CountRelease, &released, &made)),
            "");
  const OwnedBuffer buffer(made);
  EXPECT_EQ(released, 1);
  values[0] = 100;
  EXPECT_EQ(halo_device_id(halo_buffer_device(made)), 1);
  EXPECT_EQ(halo_buffer_size_on_device(made), 24u);
  EXPECT_EQ(halo_buffer_is_live(made), 1);
  EXPECT_EQ(halo_shape_element_type(halo_buffer_shape(made)), HALO_S32);
  std::vector<int32_t> out(6);
  ASSERT_EQ(Outcome(halo_buffer_to_host(made, out.data(), 24)), "");
  EXPECT_THAT(out, ElementsAre(1, 2, 3, 4, 5, 6));
  std::vector<int32_t> later(6);
  halo_event* done = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_to_host_async(made, later.data(), 24, &done)), "");
  const OwnedEvent event(done);
  ASSERT_EQ(Outcome(halo_event_wait(done, 60)), "");
  EXPECT_EQ(later, out);
  int64_t sizes[2] = {};
  ASSERT_EQ(Outcome(halo_buffer_dynamic_dimensions(made, sizes, 2)), "");
  EXPECT_THAT(sizes, ElementsAre(2, 3));
}

TEST_F(BufferTest, BorrowsUntilItIsFreed) {
  std::vector<float> values = {1, 2};
  const std::vector<int64_t> dimensions = {2};
  const halo_array array = ArrayOf(HALO_F32, dimensions, values);
  int released = 0;
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_BORROW, CountRelease, &released,
                                          &made)),
            "");
  EXPECT_EQ(released, 0);
  EXPECT_EQ(TextOf(made), "f32[2]{0} {1, 2}");
  halo_buffer_free(made);
  EXPECT_EQ(released, 1);
}

TEST_F(BufferTest, CopiesWhatIsNotAligned) {
  std::vector<char> bytes(9);
  const float values[] = {1, 2};
  std::memcpy(bytes.data() + 1, values, 8);
  const int64_t dimension = 2;
  const halo_array array = {bytes.data() + 1, 8, HALO_F32, 1, &dimension, nullptr};
  int released = 0;
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_BORROW, CountRelease, &released,
                                          &made)),
            "");
  EXPECT_EQ(released, 1);
  EXPECT_EQ(TextOf(OwnedBuffer(made).get()), "f32[2]{0} {1, 2}");
}

TEST_F(BufferTest, ReadsStrides) {
  std::vector<int16_t> values = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> dimensions = {3, 2};
  const int64_t transposed[] = {2, 6};
  halo_array array = ArrayOf(HALO_S16, dimensions, values);
  array.byte_strides = transposed;
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_BORROW, nullptr, nullptr, &made)),
            "");
  EXPECT_EQ(TextOf(OwnedBuffer(made).get()), "s16[3,2]{1,0} { { 1, 4 }, { 2, 5 }, { 3, 6 } }");
  const int64_t repeated[] = {0, 2};
  array.byte_strides = repeated;
  array.byte_size = 4;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_COPY, nullptr, nullptr, &made)),
            "");
  EXPECT_EQ(TextOf(OwnedBuffer(made).get()), "s16[3,2]{1,0} { { 1, 2 }, { 1, 2 }, { 1, 2 } }");
}

TEST_F(BufferTest, ArraysThatDoNotFitAreRefused) {
  std::vector<float> values(6);
  const std::vector<int64_t> dimensions = {2, 3};
  const halo_array good = ArrayOf(HALO_F32, dimensions, values);
  halo_array bad = good;
  bad.byte_size = 20;
  EXPECT_THAT(FromHostError(bad), AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("byte_size is 20, expected 24")));
  bad = good;
  bad.data = nullptr;
  EXPECT_THAT(FromHostError(bad), HasSubstr("data is NULL"));
  bad = good;
  bad.dimensions = nullptr;
  EXPECT_THAT(FromHostError(bad), HasSubstr("dimensions is NULL"));
  for (const int32_t rank : {-1, 1001, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    bad.rank = rank;
    EXPECT_THAT(FromHostError(bad), HasSubstr("rank is"));
  }
  bad = good;
  for (const halo_element_type type : {HALO_TYPE_INVALID, HALO_TUPLE, HALO_TOKEN, HALO_OPAQUE, HALO_BUFFER}) {
    bad.element_type = type;
    EXPECT_THAT(FromHostError(bad), HasSubstr("element_type is"));
  }
  for (const halo_element_type type : {-1, 37, 1 << 20}) {
    bad.element_type = type;
    EXPECT_THAT(FromHostError(bad), HasSubstr("element_type is"));
  }
  bad = good;
  const int64_t negative[] = {2, -3};
  bad.dimensions = negative;
  EXPECT_THAT(FromHostError(bad), StartsWith("INVALID_ARGUMENT: "));
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  bad.dimensions = huge;
  EXPECT_THAT(FromHostError(bad), StartsWith("INVALID_ARGUMENT: "));
  bad = good;
  const int64_t backwards[] = {12, -4};
  bad.byte_strides = backwards;
  EXPECT_THAT(FromHostError(bad), HasSubstr("byte_strides[1] is -4"));
  const int64_t too_far[] = {16, 4};
  bad.byte_strides = too_far;
  EXPECT_THAT(FromHostError(bad), HasSubstr("reaches to byte 28"));
  const int64_t overflowing[] = {std::numeric_limits<int64_t>::max(), 4};
  bad.byte_strides = overflowing;
  EXPECT_THAT(FromHostError(bad), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(FromHostError(good, 9), HasSubstr("the use of memory is 9"));
}

TEST_F(BufferTest, TypesNarrowerThanAByteTakeOne) {
  std::vector<uint8_t> values = {7, 0xf8, 0xff};
  const std::vector<int64_t> dimensions = {3};
  const auto text = [&](halo_element_type type) {
    const halo_array array = ArrayOf(type, dimensions, values);
    halo_buffer* made = nullptr;
    EXPECT_EQ(
        Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_BORROW, nullptr, nullptr, &made)),
        "");
    return TextOf(OwnedBuffer(made).get());
  };
  EXPECT_EQ(text(HALO_S4), "s4[3]{0} {7, -8, -1}");
  // Bits that the type lacks are ignored; any byte but 0 is true.
  values = {0, 1, 0x12};
  EXPECT_EQ(text(HALO_U4), "u4[3]{0} {0, 1, 2}");
  EXPECT_EQ(text(HALO_PRED), "pred[3]{0} {0, 1, 1}");
}

TEST_F(BufferTest, EmptyAndScalarArraysNeedLittle) {
  const int64_t dimensions[] = {0, 5};
  halo_array array = {nullptr, 0, HALO_F64, 2, dimensions, nullptr};
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_BORROW, nullptr, nullptr, &made)),
            "");
  EXPECT_EQ(Outcome(halo_buffer_to_host(made, nullptr, 0)), "");
  halo_buffer_free(made);
  double value = 2.5;
  array = {&value, 8, HALO_F64, 0, nullptr, nullptr};
  ASSERT_EQ(Outcome(halo_buffer_from_host(client_.get(), nullptr, &array, HALO_MEMORY_COPY, nullptr, nullptr, &made)),
            "");
  EXPECT_EQ(TextOf(OwnedBuffer(made).get()), "f64[] 2.5");
}

TEST_F(BufferTest, TuplesAreMadeAndTakenApart) {
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  const OwnedBuffer n = BufferOrDie(client_.get(), "s32[] 3");
  const halo_buffer* const elements[] = {x.get(), n.get()};
  halo_buffer* made = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_from_tuple(client_.get(), nullptr, elements, 2, &made)), "");
  const OwnedBuffer tuple(made);
  EXPECT_EQ(halo_shape_tuple_size(halo_buffer_shape(made)), 2u);
  halo_buffer* element = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_tuple_element(made, 1, &element)), "");
  EXPECT_EQ(TextOf(OwnedBuffer(element).get()), "s32[] 3");
  EXPECT_THAT(Outcome(halo_buffer_tuple_element(made, 2, &element)), HasSubstr("there is no element 2"));
  EXPECT_EQ(element, nullptr);
  EXPECT_THAT(Outcome(halo_buffer_tuple_element(n.get(), 0, &element)), HasSubstr("there is no element 0"));
  float out[2];
  EXPECT_THAT(Outcome(halo_buffer_to_host(made, out, 8)), HasSubstr("only an array"));
  int64_t sizes[2];
  EXPECT_THAT(Outcome(halo_buffer_dynamic_dimensions(made, sizes, 2)), StartsWith("INVALID_ARGUMENT: "));
  ASSERT_EQ(Outcome(halo_buffer_from_tuple(client_.get(), nullptr, nullptr, 0, &made)), "");
  EXPECT_EQ(TextOf(OwnedBuffer(made).get()), "()");
  const halo_buffer* const missing[] = {x.get(), nullptr};
  EXPECT_THAT(Outcome(halo_buffer_from_tuple(client_.get(), nullptr, missing, 2, &made)),
              HasSubstr("elements[1] is NULL"));
}

TEST_F(BufferTest, GoesToAnotherDeviceOfItsClient) {
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  halo_buffer* copy = nullptr;
  ASSERT_EQ(Outcome(halo_buffer_copy_to_device(x.get(), halo_client_device(client_.get(), 1), &copy)), "");
  EXPECT_EQ(halo_device_id(halo_buffer_device(copy)), 1);
  EXPECT_EQ(TextOf(OwnedBuffer(copy).get()), "f32[2]{0} {1, 2}");
  const OwnedClient other = ClientOrDie();
  EXPECT_THAT(Outcome(halo_buffer_copy_to_device(x.get(), halo_client_device(other.get(), 0), &copy)),
              HasSubstr("device is none of this interpreter client"));
  EXPECT_THAT(Outcome(halo_buffer_copy_to_device(x.get(), nullptr, &copy)), HasSubstr("device is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_from_text(client_.get(), halo_client_device(other.get(), 0), "s32[] 1", &copy)),
              HasSubstr("device is none of this"));
  int nothing = 0;
  EXPECT_THAT(Outcome(halo_buffer_from_text(client_.get(), reinterpret_cast<halo_device*>(&nothing), "s32[] 1", &copy)),
              HasSubstr("device is none of this"));
}

TEST_F(BufferTest, WrongUsesAreErrors) {
  const OwnedBuffer x = BufferOrDie(client_.get(), "f32[2]{0} {1, 2}");
  float out[2];
  EXPECT_EQ(Outcome(halo_buffer_to_host(x.get(), out, 4)),
            "INVALID_ARGUMENT: halo_buffer_to_host: byte_size is 4, expected 8 for f32[2]");
  EXPECT_THAT(Outcome(halo_buffer_to_host(x.get(), nullptr, 8)), HasSubstr("destination is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_to_host(nullptr, out, 8)), HasSubstr("buffer is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_to_host(reinterpret_cast<halo_buffer*>(client_.get()), out, 8)),
              HasSubstr("buffer is no halo_buffer, or was freed"));
  halo_event* event = nullptr;
  EXPECT_THAT(Outcome(halo_buffer_to_host_async(x.get(), out, 9, &event)), HasSubstr("byte_size is 9"));
  EXPECT_THAT(Outcome(halo_buffer_to_host_async(x.get(), out, 8, nullptr)), HasSubstr("done is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_ready(nullptr, &event)), HasSubstr("buffer is NULL"));
  int64_t sizes[3];
  EXPECT_THAT(Outcome(halo_buffer_dynamic_dimensions(x.get(), sizes, 3)), HasSubstr("rank is 3"));
  halo_buffer* made = nullptr;
  EXPECT_THAT(Outcome(halo_buffer_from_text(client_.get(), nullptr, "f32[2]{0} {1}", &made)),
              StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(Outcome(halo_buffer_from_text(client_.get(), nullptr, nullptr, &made)), HasSubstr("text is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_from_text(nullptr, nullptr, "s32[] 1", &made)), HasSubstr("client is NULL"));
  EXPECT_THAT(Outcome(halo_buffer_from_host(client_.get(), nullptr, nullptr, 0, nullptr, nullptr, &made)),
              HasSubstr("array is NULL"));
  EXPECT_EQ(halo_buffer_shape(nullptr), nullptr);
  EXPECT_EQ(halo_buffer_device(nullptr), nullptr);
  EXPECT_EQ(halo_buffer_size_on_device(nullptr), 0u);
  EXPECT_EQ(halo_buffer_is_live(nullptr), 0);
  halo_buffer_free(nullptr);
}

}  // namespace
}  // namespace xla
