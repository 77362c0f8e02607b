#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/zip_reader.h"
#include "xla_core/support/zip_writer.h"

namespace xla {
namespace {

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

using NamedContents = std::vector<std::pair<std::string, std::string>>;

absl::StatusOr<std::string> ContentsOf(const ZipEntry& entry) {
  ZipEntryReader reader(entry);
  std::string contents(static_cast<size_t>(entry.size), '\0');
  // In two pieces, as headers and elements are read.
  const int64_t half = entry.size / 2;
  RETURN_IF_ERROR(reader.Read(half, &contents[0]));
  RETURN_IF_ERROR(reader.Read(entry.size - half, &contents[static_cast<size_t>(half)]));
  return contents;
}

absl::StatusOr<NamedContents> ReadZip(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const std::vector<ZipEntry> entries, ReadZipDirectory(bytes, "a.npz"));
  NamedContents files;
  for (const ZipEntry& entry : entries) {
    ASSIGN_OR_RETURN(std::string contents, ContentsOf(entry));
    files.emplace_back(entry.name, std::move(contents));
  }
  return files;
}

std::string ErrorOfZip(absl::string_view bytes) { return std::string(ReadZip(bytes).status().message()); }

// Python: zipfile.ZipFile(f, "w", ZIP_DEFLATED).writestr(ZipInfo("d/x.txt"), "hello " * 40)
std::string DeflatedByPython() {
  return absl::HexStringToBytes(
      "504b0304140000000800000021009e50947d0b000000f000000007000000642f782e747874cb48cdc9c957c818312400504b"
      "01021403140000000800000021009e50947d0b000000f0000000070000000000000000000000800100000000642f782e7478"
      "74504b0506000000000100010035000000300000000000");
}

TEST(ZipArchive, ReadsBackWhatWasWritten) {
  const NamedContents files = {{"out0.npy", "abc"}, {"empty.npy", ""}, {"größe.npy", std::string(3 << 20, 'x')}};
  const auto entries = ReadZip(Zip(files));
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ(*entries, files);
}

TEST(ZipArchive, MayBeEmpty) {
  const std::string written = Zip({});
  EXPECT_EQ(written, std::string("PK\x05\x06", 4) + std::string(18, '\0'));
  std::string with_comment = written + "none";
  with_comment[20] = 4;
  for (const std::string& bytes : {written, with_comment}) {
    const auto entries = ReadZip(bytes);
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
  const auto entries = ReadZip(DeflatedByPython());
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ((*entries)[0].first, "d/x.txt");
  EXPECT_EQ((*entries)[0].second.size(), 240u);
}

// Python: the same, but the sizes of the entry are in an extra field, as in files of more than 4 GB.
TEST(ZipArchive, ReadsWideNumbers) {
  std::string bytes = DeflatedByPython();
  const size_t record = bytes.find("PK\x01\x02");
  // Size, size in the archive and offset are elsewhere.
  for (const size_t at : {record + 20, record + 24, record + 42}) bytes.replace(at, 4, "\xFF\xFF\xFF\xFF");
  const auto wide = [](int value) { return std::string(1, static_cast<char>(value)) + std::string(7, '\0'); };
  const std::string extra = std::string("\x01\x00\x18\x00", 4) + wide(240) + wide(11) + wide(0);
  bytes[record + 30] = static_cast<char>(extra.size());
  bytes.insert(record + 46 + 7, extra);
  const size_t end = bytes.find("PK\x05\x06");
  bytes[end + 12] = static_cast<char>(bytes[end + 12] + static_cast<char>(extra.size()));
  const auto entries = ReadZip(bytes);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_EQ((*entries)[0].second.size(), 240u);

  // The directory, too, is found by way of 64 bits.
  std::string record64 = std::string("PK\x06\x06", 4) + wide(44) + std::string(12, '\0') + wide(1) + wide(1) +
                         wide(static_cast<int>(end - record)) + wide(static_cast<int>(record));
  const std::string locator = std::string("PK\x06\x07", 4) + std::string(4, '\0') + wide(static_cast<int>(end)) +
                              std::string("\x01\x00\x00\x00", 4);
  bytes.replace(end + 8, 12, std::string(12, '\xFF'));
  bytes.insert(end, record64 + locator);
  const auto again = ReadZip(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *entries);
}

TEST(ZipArchive, RefusesEntriesThatDoNotHoldWhatTheyAnnounce) {
  const std::string whole = DeflatedByPython();
  const size_t size_at = whole.find("PK\x01\x02") + 24;
  const auto announcing = [&](int size) {
    std::string bytes = whole;
    bytes[size_at] = static_cast<char>(size & 0xFF);
    bytes[size_at + 1] = static_cast<char>(size >> 8);
    return bytes;
  };
  const auto error = [](const std::string& bytes) {
    const auto entries = ReadZipDirectory(bytes, "a.npz");
    EXPECT_TRUE(entries.ok()) << entries.status();
    return std::string(ContentsOf(entries->at(0)).status().message());
  };
  EXPECT_EQ(error(announcing(239)), "inflates to more than the 239 bytes announced");
  EXPECT_EQ(error(announcing(241)), "inflates to fewer than the 241 bytes announced");
  EXPECT_EQ(ErrorOfZip(announcing(20000)),
            "a.npz: entry 'd/x.txt': announces 20000 bytes, which its 11 bytes in the archive cannot be");
  std::string damaged = whole;
  damaged[size_at - 8] = static_cast<char>(damaged[size_at - 8] ^ 1);
  EXPECT_EQ(error(damaged), "is damaged: its checksum is wrong");
}

TEST(ZipArchive, InflatesNoFurtherThanAsked) {
  const std::string bytes = DeflatedByPython();
  const auto entries = ReadZipDirectory(bytes, "a.npz");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ZipEntryReader reader(entries->at(0));
  char begin[6];
  ASSERT_TRUE(reader.Read(6, begin).ok());
  EXPECT_EQ(std::string(begin, 6), "hello ");
  EXPECT_EQ(reader.remaining(), 234);
  std::string rest(235, '\0');
  EXPECT_EQ(reader.Read(235, &rest[0]).message(), "ends after 240 bytes, expected 1 more");
}

TEST(ZipArchive, RefusesOtherCompressionAndEncryption) {
  const std::string whole = DeflatedByPython();
  const size_t record = whole.find("PK\x01\x02");
  std::string bzip2 = whole;
  bzip2[record + 10] = 12;
  EXPECT_EQ(ErrorOfZip(bzip2), "a.npz: entry 'd/x.txt': is compressed by method 12, expected 8 (deflate) or none");
  std::string encrypted = whole;
  encrypted[record + 8] = 1;
  EXPECT_EQ(ErrorOfZip(encrypted), "a.npz: entry 'd/x.txt': is encrypted");
}

TEST(ZipArchive, RefusesWhatIsNoArchive) {
  EXPECT_THAT(ErrorOfZip(""), StartsWith("a.npz: not a zip archive"));
  EXPECT_THAT(ErrorOfZip("HloModule m"), StartsWith("a.npz: not a zip archive"));
}

TEST(ZipArchive, RefusesTruncatedAndDamagedArchives) {
  const std::string whole = Zip({{"a", std::string(1000, 'x')}});
  for (size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_FALSE(ReadZip(absl::string_view(whole).substr(0, size)).ok()) << size;
  }
  std::string damaged = whole;
  damaged[500] = 'y';
  EXPECT_EQ(ErrorOfZip(damaged), "is damaged: its checksum is wrong");
}

TEST(ZipArchive, SurvivesAnyOneWrongByte) {
  const std::string whole = Zip({{"a", "1234"}, {"b", "5678"}});
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      ReadZip(damaged).status().IgnoreError();
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
