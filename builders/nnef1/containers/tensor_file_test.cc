#include "builders/nnef1/containers/tensor_file.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace nnef1 {
namespace {

using nnef::MakeArchive;
using nnef::TarFormat;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
void Put(T value, int64_t offset, std::string& bytes) {
  std::memcpy(&bytes[offset], &value, sizeof(value));
}

// A header as the specification has it.
std::string Header(const std::vector<uint32_t>& extents, uint32_t bits, uint16_t item_type, uint32_t data_bytes) {
  std::string header(128, '\0');
  header.replace(0, 4, "\x4E\xEF\x01\x00", 4);
  Put(data_bytes, 4, header);
  Put(static_cast<uint32_t>(extents.size()), 8, header);
  for (size_t i = 0; i < extents.size() && i < 8; ++i) Put(extents[i], 12 + 4 * static_cast<int64_t>(i), header);
  Put(bits, 44, header);
  Put(item_type, 48, header);
  return header;
}

std::string File(const std::vector<uint32_t>& extents, uint32_t bits, uint16_t item_type, const std::string& data) {
  return Header(extents, bits, item_type, static_cast<uint32_t>(data.size())) + data;
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

absl::StatusOr<Literal> Parse(const std::string& file, Primitive declared, const NumberTypes& types = {}) {
  int64_t consumed = 0;
  absl::StatusOr<Literal> literal = ParseTensor(file, declared, types, "w", &consumed);
  if (literal.ok()) {
    EXPECT_EQ(consumed, static_cast<int64_t>(file.size()));
  }
  return literal;
}

template <typename T>
std::vector<T> Values(const absl::StatusOr<Literal>& literal) {
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  const auto values = literal->span<T>();
  return std::vector<T>(values.begin(), values.end());
}

std::string ErrorOf(const absl::StatusOr<Literal>& literal, ErrorClass error_class = ErrorClass::kTensorData) {
  if (literal.ok()) return "read";
  EXPECT_EQ(ErrorClassOf(literal.status()), error_class) << literal.status();
  return std::string(literal.status().message());
}

// Reads "w.dat" of a model.
absl::StatusOr<Literal> Read(const std::string& file, Primitive declared, const Extents* extents = nullptr,
                             const Quantization* quantization = nullptr, Diagnostics* diagnostics = nullptr,
                             bool compress = false) {
  Diagnostics ignored;
  const std::string archive = MakeArchive({{"graph.nnef", ""}, {"w.dat", file}}, {TarFormat::kUstar, compress});
  const auto container = OpenContainerInMemory(archive, "m");
  return ReadTensor(**container, "w.dat", declared, extents, NumberTypes(), quantization,
                    diagnostics != nullptr ? diagnostics : &ignored);
}

Quantization Line(const std::string& operation, std::vector<std::string> names, std::vector<Value> values) {
  Quantization line;
  line.custom_name = operation;
  line.names = std::move(names);
  line.values = std::move(values);
  return line;
}

TEST(TensorFile, HasItsFieldsInTheirPlaces) {
  const std::string file = File({2, 3}, 32, 0, Bytes<float>({1, 2, 3, 4, 5, 6}));
  const absl::StatusOr<Literal> literal = Parse(file, Primitive::kScalar);
  EXPECT_THAT(Values<float>(literal), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(literal->shape().ToString(), "f32[2,3]");
  EXPECT_EQ(*SerializeTensor(*literal), file);
}

TEST(TensorFile, MayHaveRankZeroToEight) {
  EXPECT_THAT(Values<float>(Parse(File({}, 32, 0, Bytes<float>({7})), Primitive::kScalar)), ElementsAre(7));
  const std::string file = File({1, 1, 2, 1, 1, 1, 1, 1}, 32, 0, Bytes<float>({1, 2}));
  EXPECT_THAT(Values<float>(Parse(file, Primitive::kScalar)), ElementsAre(1, 2));
}

TEST(TensorFile, RefusesWhatIsNone) {
  const auto error = [](const std::string& file) { return ErrorOf(Parse(file, Primitive::kScalar)); };
  EXPECT_EQ(error(""), "E4: w: expected a header of 128 bytes, got 0 bytes");
  EXPECT_EQ(error(File({1}, 32, 0, "1234").substr(0, 127)), "E4: w: expected a header of 128 bytes, got 127 bytes");
  EXPECT_EQ(error("text" + std::string(200, ' ')), "E4: w: expected a tensor file, which begins with 4E EF");
  std::string file = File({1}, 32, 0, "1234");
  file[2] = 2;
  EXPECT_EQ(error(file), "E4: w: expected version 1.0 of the tensor file format, got 2.0");
  EXPECT_EQ(error(File({1, 1, 1, 1, 1, 1, 1, 1, 1}, 32, 0, "1234")), "E4: w: expected a rank of at most 8, got 9");
  EXPECT_EQ(error(File({2, 0}, 32, 0, "")), "E4: w: expected positive extents, got 0 for dimension 1");
  EXPECT_EQ(error(File({1}, 32, 6, "1234")), "E4: w: expected item type 0 to 5 of vendor 0, got 6 of vendor 0");
  file = File({1}, 32, 0, "1234");
  file[50] = 1;
  EXPECT_EQ(error(file), "E4: w: expected item type 0 to 5 of vendor 0, got 0 of vendor 1");
  EXPECT_EQ(error(File({1}, 24, 0, "123")), "E4: w: expected floats of 16, 32 or 64 bits, got 24");
  EXPECT_EQ(error(File({1}, 2, 5, "1")), "E4: w: expected bools of 1 or 8 bits, got 2");
  EXPECT_EQ(error(File({1}, 65, 4, "123456789")), "E4: w: expected integers of 1 to 64 bits, got 65");
  EXPECT_EQ(error(File({1}, 0, 1, "")), "E4: w: expected integers of 1 to 64 bits, got 0");
  EXPECT_EQ(error(File({2}, 32, 0, "1234")),
            "E4: w: expected a data length of 8 bytes for 32-bit float items of shape [2], got 4");
  EXPECT_EQ(error(Header({1}, 32, 0, 4) + "123"), "E4: w: expected 4 bytes of data after the header, got 3");
}

TEST(TensorFile, MultipliesExtentsWithoutWrapping) {
  // 2^96 and 2^64 items, whose bytes are 0 modulo 2^64; 2^33 items, whose bytes are 0 modulo 2^32.
  const uint32_t large = 1u << 31;
  EXPECT_THAT(ErrorOf(Parse(Header({large, large, large, 8}, 32, 0, 0), Primitive::kScalar)), HasSubstr("too large"));
  EXPECT_THAT(ErrorOf(Parse(Header({large, large, 4}, 32, 0, 0), Primitive::kScalar)), HasSubstr("too large"));
  EXPECT_THAT(ErrorOf(Parse(Header({large, 4}, 32, 0, 0), Primitive::kScalar)),
              HasSubstr("expected a data length of 34359738368 bytes"));
}

TEST(TensorFile, FillsOnlyTheTypeItsItemsFit) {
  const std::string of_type[] = {File({1}, 32, 0, "1234"), File({1}, 32, 1, "1234"), File({1}, 32, 2, "1234"),
                                 File({1}, 32, 3, "1234"), File({1}, 32, 4, "1234"), File({1}, 8, 5, "1")};
  for (int type : {1, 4, 5}) EXPECT_THAT(ErrorOf(Parse(of_type[type], Primitive::kScalar)), HasSubstr("type scalar"));
  for (int type : {0, 2, 3, 5}) {
    EXPECT_THAT(ErrorOf(Parse(of_type[type], Primitive::kInteger)), HasSubstr("type integer"));
  }
  for (int type : {0, 1, 2, 3, 4}) {
    EXPECT_THAT(ErrorOf(Parse(of_type[type], Primitive::kLogical)), HasSubstr("type logical"));
  }
}

TEST(TensorFile, ReadsFloatsOfAllWidthsIntoAllTypes) {
  const std::string half = File({3}, 16, 0, Bytes<uint16_t>({0x3C00, 0xC100, 0x0001}));  // 1, -2.5, 2^-24
  const std::string twice = File({3}, 64, 0, Bytes<double>({1, -2.5, std::ldexp(1.0, -24)}));
  for (const std::string& file : {half, twice}) {
    EXPECT_THAT(Values<float>(Parse(file, Primitive::kScalar)), ElementsAre(1, -2.5, std::ldexp(1.0f, -24)));
    EXPECT_THAT(Values<double>(Parse(file, Primitive::kScalar, {F64, S64})),
                ElementsAre(1, -2.5, std::ldexp(1.0, -24)));
    EXPECT_THAT(Values<uint16_t>(Parse(file, Primitive::kScalar, {F16, S64})), ElementsAre(0x3C00, 0xC100, 0x0001));
    EXPECT_THAT(Values<uint16_t>(Parse(file, Primitive::kScalar, {BF16, S64})), ElementsAre(0x3F80, 0xC020, 0x3380));
  }
}

// Items as a stream of bits, most significant first, written in another way than they are read: as text.
std::string BitStream(const std::vector<uint64_t>& values, int bits) {
  std::string digits;
  for (uint64_t value : values) {
    for (int i = bits - 1; i >= 0; --i) digits.push_back((value >> i & 1) != 0 ? '1' : '0');
  }
  digits.resize((digits.size() + 7) / 8 * 8, '0');
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 8) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 8), nullptr, 2)));
  }
  return bytes;
}

std::string LittleEndian(const std::vector<uint64_t>& values, int bits) {
  std::string bytes;
  for (uint64_t value : values) {
    for (int i = 0; i < bits; i += 8) bytes.push_back(static_cast<char>(value >> i));
  }
  return bytes;
}

TEST(TensorFile, ReadsIntegersOfAllWidths) {
  std::mt19937_64 random(1);
  for (int bits = 1; bits <= 64; ++bits) {
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    std::vector<uint64_t> codes = {0, mask, mask >> 1, uint64_t{1} << (bits - 1)};
    for (int i = 0; i < 19; ++i) codes.push_back(random() & mask);
    const std::string data = bits % 8 == 0 ? LittleEndian(codes, bits) : BitStream(codes, bits);
    std::vector<int64_t> as_signed;
    std::vector<int64_t> as_unsigned;
    for (uint64_t code : codes) {
      as_unsigned.push_back(static_cast<int64_t>(code));
      // Two's complement: a code with the top bit counts 2^bits less.
      as_signed.push_back(static_cast<int64_t>((code >> (bits - 1)) != 0 ? code | ~mask : code));
    }
    const uint32_t count = static_cast<uint32_t>(codes.size());
    EXPECT_EQ(Values<int64_t>(Parse(File({count}, bits, 4, data), Primitive::kInteger)), as_signed) << bits;
    if (bits < 64) {
      EXPECT_EQ(Values<int64_t>(Parse(File({count}, bits, 1, data), Primitive::kInteger)), as_unsigned) << bits;
    }
    // The deprecated form of signed items.
    std::string deprecated = File({count}, bits, 1, data);
    deprecated[52] = 1;
    EXPECT_EQ(Values<int64_t>(Parse(deprecated, Primitive::kInteger)), as_signed) << bits;
  }
}

TEST(TensorFile, RefusesIntegersThatDoNotFit) {
  const std::string large = File({3}, 64, 1, Bytes<uint64_t>({1, 2, uint64_t{1} << 63}));
  EXPECT_EQ(ErrorOf(Parse(large, Primitive::kInteger)),
            "E4: w: item 2 is 9223372036854775808, which does not fit the element type s64");
  const std::string wide = File({2}, 64, 4, Bytes<int64_t>({-5, -3000000000}));
  EXPECT_EQ(ErrorOf(Parse(wide, Primitive::kInteger, {F32, S32})),
            "E4: w: item 1 is -3000000000, which does not fit the element type s32");
  EXPECT_THAT(Values<int64_t>(Parse(wide, Primitive::kInteger)), ElementsAre(-5, -3000000000));
}

TEST(TensorFile, ReadsBools) {
  EXPECT_THAT(Values<bool>(Parse(File({4}, 8, 5, std::string("\0\1\2\xFF", 4)), Primitive::kLogical)),
              ElementsAre(false, true, true, true));
  EXPECT_THAT(Values<bool>(Parse(File({9}, 1, 5, "\xA1\x80"), Primitive::kLogical)),
              ElementsAre(true, false, true, false, false, false, false, true, true));
}

TEST(TensorFile, DecodesMoreItemsThanFitOnePiece) {
  constexpr int64_t kCount = 200001;
  std::vector<uint64_t> codes;
  for (int64_t i = 0; i < kCount; ++i) codes.push_back(static_cast<uint64_t>(i * 7919 % 4096));
  const std::string file = File({static_cast<uint32_t>(kCount)}, 12, 1, BitStream(codes, 12));
  const std::vector<int64_t> values = Values<int64_t>(Parse(file, Primitive::kInteger));
  ASSERT_EQ(values.size(), kCount);
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], static_cast<int64_t>(codes[i])) << i;
}

TEST(TensorFile, SaysHowMuchOfAStreamItTook) {
  const std::string stream = File({1}, 32, 0, Bytes<float>({1})) + File({2}, 32, 0, Bytes<float>({2, 3}));
  int64_t consumed = 0;
  EXPECT_THAT(Values<float>(ParseTensor(stream, Primitive::kScalar, NumberTypes(), "s", &consumed)), ElementsAre(1));
  EXPECT_EQ(consumed, 132);
  const absl::string_view rest = absl::string_view(stream).substr(consumed);
  EXPECT_THAT(Values<float>(ParseTensor(rest, Primitive::kScalar, NumberTypes(), "s", &consumed)), ElementsAre(2, 3));
  EXPECT_EQ(consumed, 136);
}

TEST(TensorFile, WritesWhatItReads) {
  const auto round_trip = [](const Literal& literal, Primitive declared, const NumberTypes& types) {
    const absl::StatusOr<std::string> file = SerializeTensor(literal);
    ASSERT_TRUE(file.ok()) << file.status();
    const absl::StatusOr<Literal> back = Parse(*file, declared, types);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(back->BitwiseEquals(literal)) << literal.shape().ToString();
  };
  round_trip(Literal::Vector<float>({1, -0.0f, 3}), Primitive::kScalar, {});
  round_trip(Literal::Vector<double>({1, 2, 1e300}), Primitive::kScalar, {F64, S64});
  round_trip(*LiteralUtil::Convert(Literal::Vector<float>({1, 2.5}), F16), Primitive::kScalar, {F16, S64});
  round_trip(*LiteralUtil::Convert(Literal::Vector<float>({1, 2.5}), BF16), Primitive::kScalar, {BF16, S64});
  round_trip(Literal::Vector<int64_t>({-1, std::numeric_limits<int64_t>::min()}), Primitive::kInteger, {});
  round_trip(Literal::Vector<int32_t>({-1, 5}), Primitive::kInteger, {F32, S32});
  round_trip(Literal::Vector<bool>({true, false, true, true, false, false, false, false, true}), Primitive::kLogical,
             {});
  round_trip(*LiteralUtil::Convert(Literal::Vector<int32_t>({-8, 7, -1}), S4), Primitive::kInteger, {F32, S4});
  round_trip(*LiteralUtil::Convert(Literal::Vector<int32_t>({3, 0, 1, 2, 3}), U2), Primitive::kInteger, {F32, U2});
}

TEST(TensorFile, CannotBeWrittenOfEverything) {
  const auto error = [](const absl::StatusOr<Literal>& literal) {
    return std::string(SerializeTensor(*literal).status().message());
  };
  EXPECT_THAT(error(Literal::Zeros(Shape::Array(C64, {2}))), HasSubstr("no item type for elements of type c64"));
  EXPECT_THAT(error(Literal::Zeros(Shape::Array(F32, {1, 1, 1, 1, 1, 1, 1, 1, 1}))), HasSubstr("at most rank 8"));
  EXPECT_THAT(error(Literal::Zeros(Shape::Array(F32, {2, 0}))), HasSubstr("extents of 1 to 4294967295"));
}

TEST(ReadTensor, ComparesTheShapeWithItsRank) {
  const std::string file = File({2, 3, 1}, 32, 0, std::string(24, '\0'));
  const Extents declared = {2, 3};
  EXPECT_EQ(ErrorOf(Read(file, Primitive::kScalar, &declared)),
            "E4: m/w.dat: expected the declared shape [2,3], got [2,3,1]");
}

TEST(ReadTensor, WarnsOfSurplusBytes) {
  Diagnostics diagnostics;
  const std::string file = File({1}, 32, 0, Bytes<float>({1})) + "more";
  for (bool compress : {false, true}) {
    EXPECT_THAT(Values<float>(Read(file, Primitive::kScalar, nullptr, nullptr, &diagnostics, compress)),
                ElementsAre(1));
  }
  EXPECT_THAT(diagnostics.warnings(), ElementsAre("m/w.dat: 4 bytes after the data are ignored",
                                                  "m/w.dat: 4 bytes after the data are ignored"));
}

TEST(ReadTensor, SuggestsANameForAMissingFile) {
  const std::string archive = MakeArchive({{"graph.nnef", ""}, {"conv1/filter.dat", ""}});
  const auto container = OpenContainerInMemory(archive, "m");
  Diagnostics diagnostics;
  EXPECT_EQ(ErrorOf(ReadTensor(**container, "conv1/filtre.dat", Primitive::kScalar, nullptr, NumberTypes(), nullptr,
                               &diagnostics)),
            "E4: m/conv1/filtre.dat: there is no such file; did you mean 'conv1/filter.dat'?");
}

TEST(ReadTensor, ComparesThePromisedLengthWithTheFileBeforeAllocating) {
  const std::string file = Header({1000, 1000, 1000}, 32, 0, 4000000000u) + "1234";
  EXPECT_EQ(ErrorOf(Read(file, Primitive::kScalar)),
            "E4: m/w.dat: expected 4000000000 bytes of data after the header, got 4");
}

// ---- Quantised codes, by the formulas of NNEF 1.0.4, chapter 7, worked out by hand

TEST(QuantisedItems, AreDecodedLinearly) {
  const Quantization line =
      Line("linear_quantize", {"min", "max", "bits"}, {Value::Scalar(-1), Value::Scalar(1), Value::Integer(8)});
  const std::string file = File({4}, 8, 2, std::string("\x00\x33\xFF\x80", 4));
  EXPECT_THAT(Values<float>(Read(file, Primitive::kScalar, nullptr, &line)),
              ElementsAre(-1, static_cast<float>(51 / 255.0 * 2 - 1), 1, static_cast<float>(128 / 255.0 * 2 - 1)));
}

TEST(QuantisedItems, AreDecodedBySignAndSymmetry) {
  const auto decode = [](bool is_signed, bool symmetric, uint16_t item_type, const std::string& codes) {
    const Quantization line = Line("min_max_linear_quantize", {"min", "max", "bits", "signed", "symmetric"},
                                   {Value::Scalar(0), Value::Scalar(254), Value::Integer(8), Value::Logical(is_signed),
                                    Value::Logical(symmetric)});
    return Values<float>(
        Read(File({static_cast<uint32_t>(codes.size())}, 8, item_type, codes), Primitive::kScalar, nullptr, &line));
  };
  EXPECT_THAT(decode(true, true, 3, std::string("\x81\x00\x7F", 3)), ElementsAre(0, 127, 254));
  EXPECT_THAT(decode(true, false, 3, "\x80\x7F"), ElementsAre(0, 254));
  EXPECT_THAT(decode(false, false, 2, std::string("\x00\xFF", 2)), ElementsAre(0, 254));
}

TEST(QuantisedItems, AreDecodedByZeroPoint) {
  const Quantization line =
      Line("zero_point_linear_quantize", {"zero_point", "scale", "bits", "signed", "symmetric"},
           {Value::Integer(-3), Value::Scalar(0.25), Value::Integer(16), Value::Logical(true), Value::Logical(false)});
  const std::string file = File({3}, 16, 3, Bytes<int16_t>({-3, 1, -32768}));
  EXPECT_THAT(Values<float>(Read(file, Primitive::kScalar, nullptr, &line)), ElementsAre(0, 1, -8191.25));
}

TEST(QuantisedItems, AreDecodedLogarithmically) {
  // m = ceil(log2(6)) = 3. Unsigned: r = 15, lowest exponent -12. Signed: r = 7, lowest exponent -4.
  const Quantization line = Line("logarithmic_quantize", {"max", "bits"}, {Value::Scalar(6), Value::Integer(4)});
  EXPECT_THAT(Values<float>(Read(File({3}, 8, 2, std::string("\x0F\x00\x0C", 3)), Primitive::kScalar, nullptr, &line)),
              ElementsAre(8, std::ldexp(1.0f, -12), 1));
  EXPECT_THAT(Values<float>(Read(File({3}, 8, 3, "\x07\xF9\x04"), Primitive::kScalar, nullptr, &line)),
              ElementsAre(8, -8, 1));
}

TEST(QuantisedItems, ComeInOtherWidthsToo) {
  const Quantization line =
      Line("linear_quantize", {"min", "max", "bits"}, {Value::Scalar(0), Value::Scalar(30), Value::Integer(4)});
  EXPECT_THAT(Values<float>(Read(File({3}, 4, 2, "\x1F\x20"), Primitive::kScalar, nullptr, &line)),
              ElementsAre(2, 30, 4));
}

TEST(QuantisedItems, AreTheSameOneByOneAndByTable) {
  const Quantization line = Line("logarithmic_quantize", {"max", "bits"}, {Value::Scalar(1), Value::Integer(8)});
  std::string codes;
  for (int i = 0; i < 1000; ++i) codes.push_back(static_cast<char>(i * 37));
  const std::vector<float> many = Values<float>(Read(File({1000}, 8, 3, codes), Primitive::kScalar, nullptr, &line));
  ASSERT_EQ(many.size(), 1000);
  for (int i = 0; i < 1000; i += 100) {
    const std::vector<float> few =
        Values<float>(Read(File({100}, 8, 3, codes.substr(i, 100)), Primitive::kScalar, nullptr, &line));
    EXPECT_EQ(few, std::vector<float>(many.begin() + i, many.begin() + i + 100));
  }
}

TEST(QuantisedItems, TakeTheDeprecatedRangeInTheHeader) {
  std::string file = File({2}, 8, 2, std::string("\x00\xFF", 2));
  Put(-2.0f, 52, file);
  Put(3.0f, 56, file);
  EXPECT_THAT(Values<float>(Read(file, Primitive::kScalar)), ElementsAre(-2, 3));
  EXPECT_THAT(Values<float>(Parse(file, Primitive::kScalar)), ElementsAre(-2, 3));
  const Quantization line =
      Line("linear_quantize", {"min", "max", "bits"}, {Value::Scalar(0), Value::Scalar(1), Value::Integer(8)});
  EXPECT_THAT(Values<float>(Read(file, Primitive::kScalar, nullptr, &line)), ElementsAre(0, 1));
}

TEST(QuantisedItems, NeedAMeaning) {
  const auto error = [](const std::string& file, const Quantization* line) {
    return ErrorOf(Read(file, Primitive::kScalar, nullptr, line), ErrorClass::kQuantization);
  };
  const std::string codes = File({1}, 8, 2, "1");
  EXPECT_EQ(error(codes, nullptr),
            "E5: m/w.dat: it stores quantised codes, and graph.quant has no line for its variable");
  std::string once_logarithmic = File({1}, 8, 3, "1");
  Put(1.0f, 56, once_logarithmic);
  EXPECT_THAT(error(once_logarithmic, nullptr), HasSubstr("graph.quant has no line"));
  const Quantization own = Line("my_quantize", {}, {});
  EXPECT_THAT(error(codes, &own), HasSubstr("my_quantize: only linear_quantize"));
  const Quantization channels =
      Line("linear_quantize", {"min", "max", "bits"},
           {Value::Array({Value::Scalar(0), Value::Scalar(1)}), Value::Scalar(1), Value::Integer(8)});
  EXPECT_THAT(error(codes, &channels), HasSubstr("ranges for each channel are not part of NNEF 1.0.4"));
  const Quantization no_bits =
      Line("linear_quantize", {"min", "max", "bits"}, {Value::Scalar(0), Value::Scalar(1), Value::Integer(0)});
  EXPECT_THAT(error(codes, &no_bits), HasSubstr("expected 1 to 64 bits, got 0"));
  EXPECT_THAT(error(File({1}, 8, 3, "1"), &no_bits), HasSubstr("its codes are unsigned, the stored ones are signed"));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
