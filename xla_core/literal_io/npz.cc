#include "xla_core/literal_io/npz.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kSuffix = ".npy";

// "r1_out12" as the words "r", "_out" and the numbers 1, 12.
struct NumberedName {
  std::vector<std::string> words;
  std::vector<int64_t> numbers;
};

// False if the name does not end with a number that fits.
bool SplitNumbers(absl::string_view name, NumberedName& split) {
  while (!name.empty()) {
    const auto* digit = std::find_if(name.begin(), name.end(), absl::ascii_isdigit);
    split.words.emplace_back(name.begin(), digit);
    name.remove_prefix(digit - name.begin());
    const auto* end = std::find_if_not(name.begin(), name.end(), absl::ascii_isdigit);
    int64_t number;
    if (!absl::SimpleAtoi(absl::string_view(name.data(), end - name.begin()), &number)) return false;
    split.numbers.push_back(number);
    name.remove_prefix(end - name.begin());
  }
  return !split.numbers.empty();
}

// An entry as a .npy file.
class EntryStream {
 public:
  EntryStream(const ZipEntry& entry, std::string name)
      : name_(std::move(name)), reader_(entry), stream_{entry.size, [this](int64_t count, char* to) {
                                                          const absl::Status status = reader_.Read(count, to);
                                                          if (status.ok()) return status;
                                                          return absl::Status(
                                                              status.code(),
                                                              absl::StrCat(name_, ": ", status.message()));
                                                        }} {}
  EntryStream(const EntryStream&) = delete;
  EntryStream& operator=(const EntryStream&) = delete;

  const std::string& name() const { return name_; }
  const NpyStream& stream() const { return stream_; }

  // The header of an array that fills the entry.
  absl::StatusOr<NpyHeader> ReadHeader() const {
    ASSIGN_OR_RETURN(NpyHeader header, ReadNpyHeader(stream_, name_));
    const int64_t surplus = stream_.size - header.data_offset - header.data_bytes;
    if (surplus == 0) return header;
    return absl::InvalidArgumentError(absl::StrCat(name_, ": has ", surplus, " bytes after the ", header.data_bytes,
                                                   " bytes of ", ShapeInNpy(header).ToString()));
  }

 private:
  const std::string name_;
  ZipEntryReader reader_;
  NpyStream stream_;
};

}  // namespace

absl::StatusOr<NpzReader> NpzReader::Open(const std::string& path) {
  ASSIGN_OR_RETURN(FileContents file, ReadFile(path));
  return FromFile(std::move(file), path);
}

absl::StatusOr<NpzReader> NpzReader::FromFile(FileContents file, absl::string_view name) {
  ASSIGN_OR_RETURN(NpzReader reader, FromBytes(file.data(), name));
  reader.file_ = std::move(file);
  return reader;
}

absl::StatusOr<NpzReader> NpzReader::FromBytes(absl::string_view bytes, absl::string_view name) {
  ASSIGN_OR_RETURN(std::vector<ZipEntry> entries, ReadZipDirectory(bytes, name));
  for (const ZipEntry& entry : entries) {
    if (absl::EndsWith(entry.name, kSuffix)) continue;
    return absl::InvalidArgumentError(absl::StrCat(name, ": contains '", entry.name, "', expected only .npy files"));
  }
  return NpzReader(std::string(name), std::move(entries));
}

absl::string_view NpzReader::array_name(int i) const { return absl::StripSuffix(entries_[i].name, kSuffix); }

int NpzReader::Find(absl::string_view name) const {
  for (int i = 0; i < size(); ++i) {
    if (array_name(i) == name) return i;
  }
  return -1;
}

std::string NpzReader::NameInMessages(int i) const { return absl::StrCat(path_, ": ", array_name(i)); }

absl::StatusOr<Shape> NpzReader::ShapeOf(int i) const {
  const EntryStream entry(entries_[i], NameInMessages(i));
  ASSIGN_OR_RETURN(const NpyHeader header, entry.ReadHeader());
  return ShapeInNpy(header);
}

absl::StatusOr<Literal> NpzReader::Read(int i, MemoryBudget* budget, const ResourceContext* resources) const {
  const EntryStream entry(entries_[i], NameInMessages(i));
  ASSIGN_OR_RETURN(const NpyHeader header, entry.ReadHeader());
  return ReadNpyElements(header, entry.stream(), entry.name(), budget, resources);
}

absl::StatusOr<Literal> NpzReader::ReadAs(int i, const Shape& wanted, MemoryBudget* budget,
                                          const ResourceContext* resources) const {
  const EntryStream entry(entries_[i], NameInMessages(i));
  ASSIGN_OR_RETURN(const NpyHeader header, entry.ReadHeader());
  return ReadNpyElementsAs(header, entry.stream(), entry.name(), wanted, budget, resources);
}

void NpzReader::SortByNumber() {
  std::vector<std::pair<NumberedName, int>> names(entries_.size());
  for (int i = 0; i < size(); ++i) {
    names[i].second = i;
    if (!SplitNumbers(array_name(i), names[i].first) || names[i].first.words != names[0].first.words) return;
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first.numbers < b.first.numbers; });
  std::vector<ZipEntry> sorted;
  for (const auto& name : names) sorted.push_back(std::move(entries_[name.second]));
  entries_ = std::move(sorted);
}

NpzWriter::NpzWriter(std::unique_ptr<AtomicFile> file, const ResourceContext* resources)
    : file_(std::move(file)),
      zip_([this, resources](absl::string_view bytes) { return AppendInPieces(bytes, *file_, resources); }) {}

absl::StatusOr<std::unique_ptr<NpzWriter>> NpzWriter::Create(const std::string& path,
                                                             const ResourceContext* resources) {
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  return std::unique_ptr<NpzWriter>(new NpzWriter(std::move(file), resources));
}

absl::Status NpzWriter::Add(absl::string_view array_name, const Literal& array) {
  ASSIGN_OR_RETURN(const NpyFile npy, MakeNpy(array));
  return zip_.Add(absl::StrCat(array_name, kSuffix), {npy.header, npy.data()});
}

absl::Status NpzWriter::Commit() {
  RETURN_IF_ERROR(zip_.Finish());
  return file_->Commit();
}

}  // namespace xla
