#include "xla_core/literal_io/npy.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string File(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string length;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) length.push_back(static_cast<char>(dictionary.size() >> (8 * i)));
  return absl::StrCat("\x93NUMPY", std::string(1, static_cast<char>(version)), std::string(1, '\0'), length, dictionary,
                      data);
}

std::string Dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return absl::StrCat("{'descr': '", descr, "', 'fortran_order': ", fortran, ", 'shape': ", shape, ", }\n");
}

std::string WholeFile(const Literal& array) {
  const auto npy = MakeNpy(array);
  EXPECT_TRUE(npy.ok());
  return absl::StrCat(npy->header, npy->data());
}

std::string ErrorOf(const std::string& file, const Shape& wanted = Shape::Array(U8, {2})) {
  const auto literal = ReadNpyAs(file, "a.npy", wanted);
  EXPECT_FALSE(literal.ok());
  return std::string(literal.status().message());
}

TEST(Npy, ReadsEveryVersionOfTheHeader) {
  for (const int version : {1, 2, 3}) {
    const auto literal = ReadNpy(File(Dictionary("|u1", "(2, 1)"), "\x05\x06", version), "a.npy");
    ASSERT_TRUE(literal.ok()) << literal.status();
    EXPECT_EQ(literal->shape().ToString(), "u8[2,1]");
    EXPECT_THAT(literal->span<uint8_t>(), ElementsAre(5, 6));
  }
}

TEST(Npy, ReadsScalarsAndDictionariesInAnyOrder) {
  const auto literal = ReadNpy(File("{\"shape\": (), 'fortran_order':False,'descr':'<i2'}", "\x01\x80"), "a.npy");
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->shape().ToString(), "s16[]");
  EXPECT_EQ(literal->data<int16_t>()[0], -32767);
}

TEST(Npy, ReordersFortranOrder) {
  const auto literal = ReadNpy(File(Dictionary("|i1", "(2, 3)", "True"), "abcdef"), "a.npy");
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_THAT(literal->span<int8_t>(), ElementsAre('a', 'c', 'e', 'b', 'd', 'f'));
}

TEST(Npy, TurnsBigEndianRound) {
  const auto literal = ReadNpy(File(Dictionary(">c8", "(1,)"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8)), "a.npy");
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->data<complex64>()[0], complex64(1, -2));
}

TEST(Npy, EveryTypeSurvivesARoundTrip) {
  for (int i = 1; i < kNumPrimitiveTypes; ++i) {
    const PrimitiveType type = static_cast<PrimitiveType>(i);
    if (!IsArrayType(type)) continue;
    const Shape shape = Shape::Array(type, {3, 2});
    Literal array = *Literal::Zeros(shape);
    array.mutable_data<uint8_t>()[ByteWidth(type)] = 1;
    if (IsSignedInt(type) && IsSubByte(type)) array.mutable_data<int8_t>()[1] = -1;
    const std::string file = WholeFile(array);
    EXPECT_EQ((file.size() - array.size_bytes()) % 64, 0u);
    const auto read = ReadNpyAs(file, "a.npy", shape);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(read->BitwiseEquals(array)) << PrimitiveTypeName(type);
  }
}

TEST(Npy, StoresTypesThatNumpyLacksAsUnsignedIntegers) {
  EXPECT_THAT(WholeFile(*Literal::Zeros(Shape::Array(BF16, {2}))), HasSubstr("'descr': '<u2'"));
  EXPECT_THAT(WholeFile(*Literal::Zeros(Shape::Array(F8E5M2, {2}))), HasSubstr("'descr': '|u1'"));
  Literal nibble = *Literal::Zeros(Shape::Array(S4, {1}));
  nibble.mutable_data<int8_t>()[0] = -2;
  const std::string file = WholeFile(nibble);
  EXPECT_THAT(file, HasSubstr("'shape': (1,)"));
  EXPECT_EQ(file.back(), '\x0e');
  EXPECT_EQ(nibble.data<int8_t>()[0], -2);
}

TEST(Npy, ReadsWhatMlDtypesWrites) {
  const auto bf16 = ReadNpyAs(File(Dictionary("|V2", "(1,)"), "\x80\x3f"), "a.npy", Shape::Array(BF16, {1}));
  ASSERT_TRUE(bf16.ok()) << bf16.status();
  EXPECT_EQ(bf16->data<uint16_t>()[0], 0x3f80);
  const auto s4 = ReadNpyAs(File(Dictionary("|V1", "(2,)"), "\xfe\x07"), "a.npy", Shape::Array(S4, {2}));
  ASSERT_TRUE(s4.ok()) << s4.status();
  EXPECT_THAT(s4->span<int8_t>(), ElementsAre(-2, 7));
}

TEST(Npy, RoundsWiderFloatsToNarrowTypes) {
  const auto literal =
      ReadNpyAs(File(Dictionary("<f4", "()"), std::string("\0\0\x80\x3f", 4)), "a.npy", Shape::Scalar(BF16));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->data<uint16_t>()[0], 0x3f80);
}

TEST(Npy, KeepsDynamicSizes) {
  const bool dynamic[] = {false, true};
  const Shape shape = Shape::Array(S32, {2, 3}, dynamic);
  Literal array = *Literal::Allocate(shape);
  for (int i = 0; i < 6; ++i) array.mutable_data<int32_t>()[i] = i;
  array.SetDynamicSize(1, 2);
  const std::string file = WholeFile(array);
  EXPECT_THAT(ReadNpy(file, "a.npy")->span<int32_t>(), ElementsAre(0, 1, 3, 4));
  const auto read = ReadNpyAs(file, "a.npy", shape);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->BitwiseEquals(array));
}

TEST(Npy, RefusesWhatDoesNotFit) {
  EXPECT_EQ(ErrorOf(File(Dictionary("|u1", "(3,)"), "abc")), "a.npy: holds u8[3], expected u8[2]");
  EXPECT_EQ(ErrorOf(File(Dictionary("|i1", "(2,)"), "ab")), "a.npy: holds s8[2], expected u8[2]");
  EXPECT_EQ(ErrorOf(File(Dictionary("|u1", "(2,)"), "\x1f\x01"), Shape::Array(U4, {2})),
            "a.npy: element 0 is the byte 31, which is no u4: its upper 4 bits must be zero");
}

TEST(Npy, RefusesDamage) {
  EXPECT_EQ(ErrorOf("PK"), "a.npy: not a .npy file");
  EXPECT_EQ(ErrorOf(File(Dictionary("|u1", "(2,)"), "a")),
            "a.npy: the .npy file is cut off: its header announces 2 bytes of elements, the file has 1");
  EXPECT_EQ(ErrorOf(File(Dictionary("|u1", "(2,)"), "ab", 4)),
            "a.npy: .npy format version 4 is unknown, expected 1, 2 or 3");
  EXPECT_EQ(ErrorOf(File(Dictionary("<f8", "(4611686018427387904, 4)"), "")),
            "a.npy: the array is too large for 64 bits");
  EXPECT_THAT(ErrorOf(File(Dictionary("<f8", "(9223372036854775808,)"), "")), HasSubstr("the .npy header is damaged"));
  EXPECT_THAT(ErrorOf(File(Dictionary("<f8", "(-1,)"), "")), HasSubstr("the .npy header is damaged"));
  EXPECT_THAT(ErrorOf(File("{'descr': '<f4'}", "")), HasSubstr("the .npy header is damaged"));
  EXPECT_THAT(ErrorOf(File(Dictionary("|O", "(2,)"), "ab")), HasSubstr("holds elements of NumPy type '|O'"));
  EXPECT_THAT(ErrorOf(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "")),
              HasSubstr("holds a structure with fields"));
  const std::string file = File(Dictionary("|u1", "(2,)"), "ab");
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadNpy(absl::string_view(file).substr(0, size), "a.npy").ok()) << size;
  }
}

TEST(Npy, ReadsEmptyArrays) {
  const auto literal = ReadNpy(File(Dictionary("<f4", "(0, 3)", "True"), ""), "a.npy");
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(literal->element_count(), 0);
  EXPECT_FALSE(ReadNpy(File(Dictionary("<f4", "(0, 9223372036854775807, 9223372036854775807)"), ""), "a.npy").ok());
}

}  // namespace
}  // namespace xla
