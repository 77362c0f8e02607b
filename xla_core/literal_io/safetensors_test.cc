#include "xla_core/literal_io/safetensors.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::string TemporaryPath(const std::string& name) { return testing::TempDir() + "/" + name; }

// A file with this header and data.
std::string File(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size() & 0xFF);
  length[1] = static_cast<char>(header.size() >> 8);
  return length + header + data;
}

std::string Message(const std::string& file) {
  return std::string(SafetensorsReader::FromBytes(file, "w.safetensors").status().message());
}

TEST(Safetensors, ReadsWhatItWrites) {
  const std::string path = TemporaryPath("weights.safetensors");
  const int8_t fours[] = {-8, 7, -1};
  const Literal narrow = Literal::Borrow(Shape::Array(S4, {3}), fours);
  ASSERT_TRUE(WriteSafetensors({{"w", Literal::Vector<float>({1, 2})},
                                {"flag", Literal::Scalar<bool>(true)},
                                {"none", Literal::Vector<int32_t>({})},
                                {"narrow", narrow}},
                               path)
                  .ok());
  const auto reader = SafetensorsReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ(reader->size(), 4);
  EXPECT_EQ(reader->array_name(0), "w");
  EXPECT_EQ(reader->Find("flag"), 1);
  EXPECT_EQ(reader->Find("other"), -1);
  EXPECT_TRUE(reader->Read(0)->BitwiseEquals(Literal::Vector<float>({1, 2})));
  EXPECT_TRUE(reader->Read(1)->BitwiseEquals(Literal::Scalar<bool>(true)));
  EXPECT_TRUE(reader->ReadAs(3, Shape::Array(S4, {3}))->BitwiseEquals(narrow));
  EXPECT_EQ(reader->ReadAs(0, Shape::Array(F32, {3})).status().message(), path + ": w: holds f32[2], expected f32[3]");
  EXPECT_EQ(reader->ReadAs(0, Shape::Array(S32, {2})).status().message(), path + ": w: holds f32[2], expected s32[2]");
}

TEST(Safetensors, ReadsAHeaderOfOtherWriters) {
  const std::string file = File(R"({"b":{"dtype":"U8","shape":[],"data_offsets":[2,3]},"__metadata__":{"format":"pt"},)"
                                R"("a":{"shape":[2],"dtype":"U8","data_offsets":[0,2]}}   )",
                                "\x01\x02\x03");
  const auto reader = SafetensorsReader::FromBytes(file, "w");
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->array_name(0), "a");
  EXPECT_TRUE(reader->Read(1)->BitwiseEquals(Literal::Scalar<uint8_t>(3)));
}

TEST(Safetensors, RefusesWhatIsDamaged) {
  EXPECT_THAT(Message("{}"), HasSubstr("fewer than 8 bytes"));
  EXPECT_THAT(Message(std::string(8, '\xFF') + "{}"), HasSubstr("longer header than there is"));
  EXPECT_THAT(Message(File("[]", "")), HasSubstr("is a JSON object"));
  EXPECT_THAT(Message(File("{", "")), HasSubstr("w.safetensors: header:1:"));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F32","shape":[1]}})", "")), HasSubstr("a: expected {\"dtype\""));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}})", "x")), HasSubstr("type 'F4'"));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "abcd")),
              HasSubstr("a: expected"));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "abc")),
              HasSubstr("lie outside the 3 bytes"));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd")),
              HasSubstr("f32[2] takes 8 bytes, its data_offsets span 4"));
  EXPECT_THAT(Message(File(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})", "")),
              HasSubstr("too large"));
}

TEST(Safetensors, RefusesToWriteOneNameTwice) {
  const Literal one = Literal::Scalar<float>(1);
  EXPECT_THAT(std::string(WriteSafetensors({{"a", one}, {"a", one}}, TemporaryPath("twice")).message()),
              HasSubstr("more than one array 'a'"));
}

}  // namespace
}  // namespace xla
