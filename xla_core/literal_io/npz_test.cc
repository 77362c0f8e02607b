#include "xla_core/literal_io/npz.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/resource_context.h"

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

TEST(Npz, EndsAtALimit) {
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  const ResourceContext resources(limits, "testing");
  const absl::Status error = absl::DeadlineExceededError("the time limit of 0 passed while testing");
  const std::string path = TemporaryPath("limited.npz");
  const Literal array = Literal::Vector<float>({1, 2});
  {
    auto writer = NpzWriter::Create(path, &resources);
    ASSERT_TRUE(writer.ok()) << writer.status();
    absl::Status written = (*writer)->Add("out0", array);
    written.Update((*writer)->Commit());
    EXPECT_EQ(written, error);
  }
  EXPECT_FALSE(NpzReader::Open(path).ok());
  auto writer = NpzWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Add("out0", array).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const auto reader = NpzReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->Read(0, nullptr, &resources).status(), error);
  EXPECT_EQ(reader->ReadAs(0, array.shape(), nullptr, &resources).status(), error);
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

// The archive of one entry, x.npy.
std::string Archive(absl::string_view entry) {
  std::string bytes;
  ZipWriter writer([&bytes](absl::string_view data) {
    absl::StrAppend(&bytes, data);
    return absl::OkStatus();
  });
  EXPECT_TRUE(writer.Add("x.npy", {entry}).ok());
  EXPECT_TRUE(writer.Finish().ok());
  return bytes;
}

TEST(Npz, NamesAnEntryThatIsNotAsLongAsItsArray) {
  const auto npy = MakeNpy(Literal::Vector<float>({1, 2}));
  ASSERT_TRUE(npy.ok());
  const std::string whole = absl::StrCat(npy->header, npy->data());
  const auto error = [](const std::string& entry) {
    const std::string bytes = Archive(entry);
    const auto reader = NpzReader::FromBytes(bytes, "a.npz");
    EXPECT_TRUE(reader.ok()) << reader.status();
    EXPECT_EQ(reader->Read(0).status(), reader->ReadAs(0, Shape::Array(F32, {2})).status());
    return std::string(reader->Read(0).status().message());
  };
  EXPECT_EQ(error(whole), "");
  EXPECT_EQ(error(whole + "12345"), "a.npz: x: has 5 bytes after the 8 bytes of f32[2]");
  EXPECT_EQ(error(whole.substr(0, whole.size() - 1)),
            "a.npz: x: the .npy file is cut off: its header announces 8 bytes of elements, the file has 7");
}

TEST(Npz, ReadsTheShapeAlone) {
  const auto npy = MakeNpy(Literal::Vector<float>({1, 2}));
  ASSERT_TRUE(npy.ok());
  std::string bytes = Archive(absl::StrCat(npy->header, npy->data()));
  // The elements are damaged, which only reading them shows.
  bytes[bytes.find(std::string(npy->data()))] ^= 1;
  const auto reader = NpzReader::FromBytes(bytes, "a.npz");
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto shape = reader->ShapeOf(0);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_TRUE(shape->Equal(Shape::Array(F32, {2})));
  EXPECT_EQ(reader->ReadAs(0, Shape::Array(F32, {3})).status().message(), "a.npz: x: holds f32[2], expected f32[3]");
  EXPECT_EQ(reader->Read(0).status().message(), "a.npz: x: is damaged: its checksum is wrong");
}

TEST(Npz, AsksForMemoryBeforeItInflates) {
  const auto npy = MakeNpy(*Literal::Zeros(Shape::Array(F32, {1000})));
  ASSERT_TRUE(npy.ok());
  const std::string bytes = Archive(absl::StrCat(npy->header, npy->data()));
  const auto reader = NpzReader::FromBytes(bytes, "a.npz");
  ASSERT_TRUE(reader.ok()) << reader.status();
  MemoryBudget budget(3999);
  EXPECT_EQ(reader->Read(0, &budget).status().code(), absl::StatusCode::kResourceExhausted);
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
