#include "xla_core/support/zip_archive.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Zip(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string bytes;
  ZipWriter writer([&bytes](absl::string_view data) {
    absl::StrAppend(&bytes, data);
    return absl::OkStatus();
  });
  for (const auto& [name, contents] : files) {
    const absl::string_view whole = contents;
    EXPECT_TRUE(writer.Add(name, {whole.substr(0, whole.size() / 2), whole.substr(whole.size() / 2)}).ok());
  }
  EXPECT_TRUE(writer.Finish().ok());
  return bytes;
}

std::string ErrorOfZip(absl::string_view bytes) { return std::string(ReadZip(bytes, "a.npz").status().message()); }

// Python: zipfile.ZipFile(f, "w", ZIP_DEFLATED).writestr(ZipInfo("d/x.txt"), "hello " * 40)
std::string DeflatedByPython() {
  return absl::HexStringToBytes(
      "504b0304140000000800000021009e50947d0b000000f000000007000000642f782e747874cb48cdc9c957c818312400504b"
      "01021403140000000800000021009e50947d0b000000f0000000070000000000000000000000800100000000642f782e7478"
      "74504b0506000000000100010035000000300000000000");
}

TEST(ZipArchive, ReadsBackWhatWasWritten) {
  const std::string large(3 << 20, 'x');
  const auto entries = ReadZip(Zip({{"out0.npy", "abc"}, {"empty.npy", ""}, {"größe.npy", large}}), "a.npz");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].name, "out0.npy");
  EXPECT_EQ((*entries)[0].contents, "abc");
  EXPECT_EQ((*entries)[1].contents, "");
  EXPECT_EQ((*entries)[2].name, "größe.npy");
  EXPECT_EQ((*entries)[2].contents, large);
}

TEST(ZipArchive, MayBeEmpty) {
  const std::string written = Zip({});
  EXPECT_EQ(written, std::string("PK\x05\x06", 4) + std::string(18, '\0'));
  std::string with_comment = written + "none";
  with_comment[20] = 4;
  for (const std::string& bytes : {written, with_comment}) {
    const auto entries = ReadZip(bytes, "a.npz");
    ASSERT_TRUE(entries.ok()) << entries.status();
    EXPECT_TRUE(entries->empty());
  }
  // Entries that are not there, a comment that is cut off, something after the end, a beginning.
  for (size_t i = 4; i < 22; ++i) {
    std::string wrong = written;
    wrong[i] = 1;
    EXPECT_THAT(ErrorOfZip(wrong), StartsWith("a.npz: ")) << i;
  }
  EXPECT_THAT(ErrorOfZip(with_comment.substr(0, 25)), StartsWith("a.npz: "));
  EXPECT_THAT(ErrorOfZip(written + "x"), StartsWith("a.npz: "));
  EXPECT_THAT(ErrorOfZip(written.substr(0, 21)), StartsWith("a.npz: "));
}

TEST(ZipArchive, HasTheSameBytesEachTime) { EXPECT_EQ(Zip({{"a", "1"}, {"b", "2"}}), Zip({{"a", "1"}, {"b", "2"}})); }

TEST(ZipArchive, ReadsCompressedEntries) {
  const auto entries = ReadZip(DeflatedByPython(), "a.npz");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].name, "d/x.txt");
  EXPECT_EQ((*entries)[0].contents.size(), 240u);
}

TEST(ZipArchive, StopsInflatingAtTheLimit) {
  EXPECT_TRUE(ReadZip(DeflatedByPython(), "a.npz", 240).ok());
  const absl::Status status = ReadZip(DeflatedByPython(), "a.npz", 239).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "a.npz: entry 'd/x.txt': inflates beyond the limit");
}

TEST(ZipArchive, RefusesWhatIsNoArchive) {
  EXPECT_THAT(ErrorOfZip(""), StartsWith("a.npz: not a zip archive"));
  EXPECT_THAT(ErrorOfZip("HloModule m"), StartsWith("a.npz: not a zip archive"));
}

TEST(ZipArchive, RefusesTruncatedAndDamagedArchives) {
  const std::string whole = Zip({{"a", std::string(1000, 'x')}});
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_FALSE(ReadZip(absl::string_view(whole).substr(0, size), "a.npz").ok()) << size;
  }
  std::string damaged = whole;
  damaged[500] = 'y';
  EXPECT_THAT(ErrorOfZip(damaged), HasSubstr("entry 'a'"));
}

TEST(ZipArchive, SurvivesAnyOneWrongByte) {
  const std::string whole = Zip({{"a", "1234"}, {"b", "5678"}});
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ReadZip(damaged, "a.npz", 1 << 20).status().IgnoreError();
    }
  }
}

TEST(ZipArchive, RefusesNamesThatLeadOutside) {
  ZipWriter writer([](absl::string_view) { return absl::OkStatus(); });
  for (const char* name : {"", "/etc/passwd", "../x", "a/../../x", "a\\..\\x"}) {
    EXPECT_EQ(writer.Add(name, {}).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  std::string bytes = Zip({{"aa/x", "1"}});
  for (size_t at; (at = bytes.find("aa/x")) != std::string::npos;) bytes.replace(at, 2, "..");
  EXPECT_EQ(ErrorOfZip(bytes), "a.npz: entry '../x': the name leads out of the archive");
}

TEST(ZipArchive, RefusesANameThatOccursTwice) {
  EXPECT_EQ(ErrorOfZip(Zip({{"a", "1"}, {"a", "2"}})), "a.npz: entry 'a': the name occurs twice");
}

TEST(ZipArchive, PassesOnTheErrorOfTheSink) {
  ZipWriter writer([](absl::string_view) { return absl::ResourceExhaustedError("disk full"); });
  const std::string large(1 << 20, 'x');
  absl::Status status = writer.Add("a", {large});
  if (status.ok()) status = writer.Finish();
  EXPECT_EQ(status, absl::ResourceExhaustedError("disk full"));
}

}  // namespace
}  // namespace xla
