#include "xla_core/literal_io/npz.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/leaves.h"

namespace xla {
namespace {

std::string TemporaryPath(const std::string& name) { return testing::TempDir() + "/" + name; }

TEST(Npz, WritesWhatItReads) {
  const std::string path = TemporaryPath("results.npz");
  auto writer = NpzWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Add("out0", Literal::Vector<float>({1, 2})).ok());
  ASSERT_TRUE((*writer)->Add("out1", Literal::Scalar<bool>(true)).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const auto reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ(reader->size(), 2);
  EXPECT_EQ(reader->array_name(1), "out1");
  EXPECT_EQ(reader->Find("out1"), 1);
  EXPECT_EQ(reader->Find("out2"), -1);
  EXPECT_TRUE(reader->Read(0)->BitwiseEquals(Literal::Vector<float>({1, 2})));
  EXPECT_EQ(reader->ReadAs(1, Shape::Scalar(S32)).status().message(), path + ": out1: holds pred[], expected s32[]");
}

TEST(Npz, MayHoldNoArray) {
  const std::string path = TemporaryPath("nothing.npz");
  auto writer = NpzWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Commit().ok());
  auto reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  reader->SortByNumber();
  EXPECT_EQ(reader->size(), 0);
  EXPECT_EQ(reader->Find("out0"), -1);
}

TEST(Npz, SortsNumberedNames) {
  const std::string path = TemporaryPath("sorted.npz");
  auto writer = NpzWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const char* name : {"r1_in0", "r0_in10", "r0_in9"}) {
    ASSERT_TRUE((*writer)->Add(name, Literal::Scalar<float>(0)).ok());
  }
  ASSERT_TRUE((*writer)->Commit().ok());
  auto reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  reader->SortByNumber();
  EXPECT_EQ(reader->array_name(0), "r0_in9");
  EXPECT_EQ(reader->array_name(1), "r0_in10");
  EXPECT_EQ(reader->array_name(2), "r1_in0");
}

TEST(Npz, RefusesWhatIsNoArchive) {
  EXPECT_THAT(std::string(NpzReader::FromBytes("no zip", "a.npz").status().message()), testing::StartsWith("a.npz: "));
}

TEST(Leaves, TuplesComeBackAsTheyWere) {
  const Literal inner = Literal::Tuple({Literal::Scalar<float>(1), Literal::Token()});
  const Literal value = Literal::Tuple({inner, Literal::Scalar<int32_t>(2), Literal::Tuple({})});
  std::vector<Literal> leaves = FlattenLeaves(value);
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(LeafShapes({value.shape()}).size(), 3u);
  const std::vector<Literal> values = UnflattenLeaves({value.shape()}, std::move(leaves));
  ASSERT_EQ(values.size(), 1u);
  EXPECT_TRUE(values[0].BitwiseEquals(value));
}

}  // namespace
}  // namespace xla
