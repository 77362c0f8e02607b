#include "builders/nnef2/data/tensor_file.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"

namespace xla {
namespace nnef2 {
namespace {

using nnef::ItemKind;
using nnef::ItemType;
using ::testing::HasSubstr;

Literal Floats(std::vector<int64_t> extents) {
  Literal literal = *Literal::Allocate(Shape::Array(F32, extents));
  for (int64_t i = 0; i < literal.element_count(); ++i) literal.mutable_data<float>()[i] = static_cast<float>(i) / 2;
  return literal;
}

// Reads "w.dat" of a model.
absl::StatusOr<Literal> Read(const std::string& file, ItemKind kind, PrimitiveType type, const nnef::Extents& extents) {
  Diagnostics diagnostics;
  const std::string archive = nnef::MakeArchive({{"main.sknd", ""}, {"main.G.w.dat", file}});
  const auto container = nnef::OpenContainerInMemory(archive, "m", Nnef2Format());
  return ReadVariable(**container, "main.G.w.dat", kind, type, extents, &diagnostics);
}

std::string ErrorOf(const absl::Status& status) {
  EXPECT_EQ(ErrorClassOf(status), ErrorClass::kData) << status;
  return std::string(status.message());
}

TEST(StoredTensor, IsWhatWasWritten) {
  for (const std::vector<int64_t>& extents : std::vector<std::vector<int64_t>>{{2, 3}, {}, {0, 3}, {3, 0}, {0}}) {
    const Literal literal = Floats(extents);
    const absl::StatusOr<std::string> file = SerializeTensor(literal);
    ASSERT_TRUE(file.ok()) << file.status();
    const absl::StatusOr<StoredTensor> stored = ParseStoredTensor(*file, "w");
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_EQ(stored->header.extents, extents);
    EXPECT_TRUE(stored->value.BitwiseEquals(literal));
  }
}

TEST(StoredTensor, KeepsTheTypesOfItems) {
  const auto types = [](PrimitiveType type) {
    const Literal literal = *LiteralUtil::Convert(Floats({4}), type);
    const absl::StatusOr<StoredTensor> stored = ParseStoredTensor(*SerializeTensor(literal), "w");
    EXPECT_TRUE(stored.ok() && stored->value.BitwiseEquals(literal)) << PrimitiveTypeName(type);
    return stored->header.item_type;
  };
  for (PrimitiveType type : {F16, F32, F64}) EXPECT_EQ(types(type), ItemType::kFloat);
  for (PrimitiveType type : {S8, S16, S32, S64}) EXPECT_EQ(types(type), ItemType::kSigned);
  for (PrimitiveType type : {U8, U16, U32, U64}) EXPECT_EQ(types(type), ItemType::kUnsigned);
  EXPECT_EQ(types(PRED), ItemType::kBool);
}

TEST(StoredTensor, HasNoSurplusBytes) {
  const std::string file = *SerializeTensor(Floats({2}));
  EXPECT_EQ(ErrorOf(ParseStoredTensor(file + "more", "w").status()),
            "data: w: expected 8 bytes of data after the header, got 12");
  EXPECT_EQ(ErrorOf(ParseStoredTensor(file.substr(0, 132), "w").status()),
            "data: w: expected 8 bytes of data after the header, got 4");
  EXPECT_EQ(ErrorOf(Read(file + "more", ItemKind::kReal, F32, {2}).status()),
            "data: m/main.G.w.dat: expected 8 bytes of data after the header, got 12");
}

TEST(StoredTensor, HasExtentsWhoseProductFitsAlsoIfItIsEmpty) {
  std::string file = *SerializeTensor(Floats({0, 3, 1, 1}));
  for (int i = 1; i < 4; ++i) file.replace(12 + 4 * i, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_EQ(ErrorOf(ParseStoredTensor(file, "w").status()),
            "data: w: the shape [0,4294967295,4294967295,4294967295] is too large");
}

// One bit for each would fit in 63 bits; 64 of them do not, of which there are none.
TEST(StoredTensor, IsWrittenAgainIfItIsEmpty) {
  std::string file = *SerializeTensor(*LiteralUtil::Convert(Floats({0, 1, 1}), S64));
  for (int i = 1; i < 3; ++i) file.replace(12 + 4 * i, 4, std::string("\0\0\0\x80", 4));
  const absl::StatusOr<StoredTensor> stored = ParseStoredTensor(file, "w");
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->header.extents, (nnef::Extents{0, int64_t{1} << 31, int64_t{1} << 31}));
  const absl::StatusOr<std::string> written = SerializeTensor(stored->value);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, file);
}

TEST(StoredTensor, HasNoQuantisedCodes) {
  std::string file = *SerializeTensor(*LiteralUtil::Convert(Floats({4}), U8));
  file[48] = 2;
  EXPECT_THAT(ErrorOf(ParseStoredTensor(file, "w").status()),
              HasSubstr("it stores quantised codes, which nothing gives a meaning"));
}

TEST(Variable, HasTheDeclaredTypeAndShape) {
  const std::string floats = *SerializeTensor(*LiteralUtil::Convert(Floats({4}), F64));
  EXPECT_TRUE(Read(floats, ItemKind::kReal, F32, {4})->BitwiseEquals(Floats({4})));
  EXPECT_EQ(ErrorOf(Read(floats, ItemKind::kReal, F32, {2, 2}).status()),
            "data: m/main.G.w.dat: expected the declared shape [2,2], got [4]");
  EXPECT_EQ(ErrorOf(Read(floats, ItemKind::kInteger, S32, {4}).status()),
            "data: m/main.G.w.dat: expected items for a tensor of type int, got 64-bit float items");
  const std::string bytes = *SerializeTensor(*LiteralUtil::Convert(Floats({4}), U8));
  EXPECT_TRUE(Read(bytes, ItemKind::kInteger, S32, {4})->BitwiseEquals(*LiteralUtil::Convert(Floats({4}), S32)));
  EXPECT_EQ(ErrorOf(Read(bytes, ItemKind::kLogical, PRED, {4}).status()),
            "data: m/main.G.w.dat: expected items for a tensor of type bool, got 8-bit unsigned integer items");
}

TEST(Variable, IsAnErrorIfAnItemDoesNotFit) {
  const Literal large = Literal::Scalar<int64_t>(int64_t{1} << 40);
  EXPECT_THAT(ErrorOf(Read(*SerializeTensor(large), ItemKind::kInteger, S32, {}).status()),
              HasSubstr("item 0 is 1099511627776, which does not fit the element type s32"));
}

TEST(Variable, SuggestsANameForAMissingFile) {
  Diagnostics diagnostics;
  const std::string archive = nnef::MakeArchive({{"main.sknd", ""}, {"main.G.filter.dat", ""}});
  const auto container = nnef::OpenContainerInMemory(archive, "m", Nnef2Format());
  EXPECT_EQ(ErrorOf(ReadVariable(**container, "main.G.filtre.dat", ItemKind::kReal, F32, {2}, &diagnostics).status()),
            "data: m/main.G.filtre.dat: there is no such file; did you mean 'main.G.filter.dat'?");
}

// ---- The tensor files of the corpus that HALO_CORPUS names

std::string FileText(const std::string& path) {
  const absl::StatusOr<FileContents> file = ReadFile(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? std::string(file->data()) : "";
}

// What the facts of a case say, and what was read, in one form: "real 32 [2,3] 1 2 3".
std::string FactsOf(const JsonValue& facts) {
  std::string text = absl::StrCat(*facts.Find("dtype")->AsString(), " ", *facts.Find("bits")->AsInt64());
  if (const JsonValue* const is_signed = facts.Find("signed")) {
    absl::StrAppend(&text, *is_signed->AsBool() ? " signed" : " unsigned");
  }
  std::vector<std::string> extents;
  for (const JsonValue& extent : *facts.Find("shape")->AsArray()) extents.push_back(absl::StrCat(*extent.AsInt64()));
  absl::StrAppend(&text, " [", absl::StrJoin(extents, ","), "]");
  for (const JsonValue& value : *facts.Find("values")->AsArray()) {
    const absl::optional<bool> logical = value.AsBool();
    absl::StrAppend(&text, " ", logical.has_value() ? static_cast<double>(*logical) : *value.AsDouble());
  }
  return text;
}

std::string FactsOf(const StoredTensor& stored) {
  const ItemType type = stored.header.item_type;
  const bool is_integer = type == ItemType::kSigned || type == ItemType::kUnsigned;
  std::string text = absl::StrCat(is_integer                ? "int"
                                  : type == ItemType::kBool ? "bool"
                                                            : "real",
                                  " ", stored.header.bits_per_item);
  if (is_integer) absl::StrAppend(&text, type == ItemType::kSigned ? " signed" : " unsigned");
  absl::StrAppend(&text, " [", absl::StrJoin(stored.header.extents, ","), "]");
  const Literal numbers = *LiteralUtil::Convert(stored.value, F64);
  for (const double number : numbers.span<double>()) absl::StrAppend(&text, " ", number);
  return text;
}

void CheckCase(const std::string& path) {
  const absl::StatusOr<JsonValue> json = ParseJson(FileText(path), path);
  ASSERT_TRUE(json.ok()) << json.status();
  const std::string file =
      absl::StrCat(std::filesystem::path(path).parent_path().string(), "/", *json->Find("source")->AsString());
  const absl::StatusOr<StoredTensor> stored = ParseStoredTensor(FileText(file), file);
  if (const JsonValue* const facts = json->Find("facts")) {
    ASSERT_TRUE(stored.ok()) << path << ": " << stored.status();
    EXPECT_EQ(FactsOf(*stored), FactsOf(*facts)) << path;
    const absl::StatusOr<StoredTensor> again = ParseStoredTensor(*SerializeTensor(stored->value), file);
    ASSERT_TRUE(again.ok()) << path << ": " << again.status();
    EXPECT_EQ(FactsOf(*again), FactsOf(*facts)) << path;
    return;
  }
  ASSERT_FALSE(stored.ok()) << path;
  EXPECT_EQ(ErrorClassName(*ErrorClassOf(stored.status())), *json->Find("expected_error")->Find("class")->AsString());
}

TEST(TensorFilesOfTheCorpus, AreReadOrRefused) {
  const char* const corpus = std::getenv("HALO_CORPUS");
  const std::string folder = absl::StrCat(corpus == nullptr ? "" : corpus, "/nnef2/data");
  if (corpus == nullptr || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "HALO_CORPUS names no corpus";
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    CheckCase(entry.path().string());
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
