#include "xla_core/support/zip_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/support/files.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status LoadLibarchive();  // comes before its functions: @syslibs//:archive

namespace {

struct FreeReader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
struct FreeWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Reader = std::unique_ptr<archive, FreeReader>;
using Writer = std::unique_ptr<archive, FreeWriter>;
using Entry = std::unique_ptr<archive_entry, FreeEntry>;

// libarchive converts names by way of the locale, and in the default one it drops all that is not ASCII. Lets this
// thread speak UTF-8 for as long as the object lives.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) previous_ = uselocale(locale_);
  }
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    uselocale(previous_);
    freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t locale_;
  locale_t previous_ = nullptr;
};

std::string Reason(archive* a) {
  const char* text = archive_error_string(a);
  return text != nullptr ? text : "unknown reason";
}

// Nothing here writes entries to disk, but their names may become file names one day.
bool StaysInside(absl::string_view name) {
  if (name.empty() || name.front() == '/' || absl::StrContains(name, '\\') || absl::StrContains(name, '\0'))
    return false;
  for (absl::string_view component : absl::StrSplit(name, '/')) {
    if (component == "..") return false;
  }
  return true;
}

std::string EntryName(archive_entry* entry) {
  // The plain form is for old archives in other encodings.
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  return name != nullptr ? name : "";
}

// Reads one entry's data; `budget` is what the archive may still inflate to, and is lowered.
absl::StatusOr<std::string> ReadContents(archive* reader, int64_t announced_size, int64_t& budget) {
  std::string contents;
  // What is announced is reserved at once, but not on the word of a few bytes alone.
  constexpr int64_t kLargestReserve = int64_t{1} << 26;
  contents.reserve(static_cast<size_t>(std::clamp<int64_t>(announced_size, 0, std::min(budget, kLargestReserve))));
  while (true) {
    const void* block;
    size_t size;
    la_int64_t offset;
    const int result = archive_read_data_block(reader, &block, &size, &offset);
    if (result == ARCHIVE_EOF) return contents;
    if (result != ARCHIVE_OK) return absl::InvalidArgumentError(Reason(reader));
    if (static_cast<uint64_t>(budget) < size) return absl::ResourceExhaustedError("inflates beyond the limit");
    budget -= static_cast<int64_t>(size);
    contents.append(static_cast<const char*>(block), size);
  }
}

// Whether `bytes` are an archive without entries, which libarchive does not know: the record that ends every archive
// (22 bytes, and a comment whose size is in the last two of them), with zeros in place of disks, entries, size and
// offset.
// Source: PKWARE's APPNOTE.TXT, section 4.3.16.
bool IsEmptyZip(absl::string_view bytes) {
  constexpr size_t kRecordBytes = 22;
  constexpr absl::string_view kSignature = "PK\x05\x06";
  if (bytes.size() < kRecordBytes || !absl::StartsWith(bytes, kSignature)) return false;
  const size_t comment_bytes = static_cast<uint8_t>(bytes[20]) + 256 * size_t{static_cast<uint8_t>(bytes[21])};
  const absl::string_view counts = bytes.substr(kSignature.size(), 16);
  return comment_bytes == bytes.size() - kRecordBytes && counts.find_first_not_of('\0') == absl::string_view::npos;
}

absl::Status WithContext(const absl::Status& status, absl::string_view archive_name, absl::string_view entry_name) {
  return absl::Status(status.code(), absl::StrCat(archive_name, ": entry '", entry_name, "': ", status.message()));
}

}  // namespace

int64_t DefaultMaxInflatedBytes() { return MachineMemoryBytes() / 4 * 3; }

// Reads all entries of an archive into memory. Names that lead out of the archive and duplicates are refused, and
// `max_inflated_bytes` bounds the sum of all contents, so that a small archive cannot fill memory.
absl::StatusOr<std::vector<ZipEntry>> ReadZip(absl::string_view bytes, absl::string_view archive_name,
                                              int64_t max_inflated_bytes) {
  if (IsEmptyZip(bytes)) return std::vector<ZipEntry>();
  RETURN_IF_ERROR(LoadLibarchive());
  const Utf8Locale locale;
  const Reader reader(archive_read_new());
  archive_read_support_format_zip_seekable(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return absl::InvalidArgumentError(absl::StrCat(archive_name, ": not a zip archive: ", Reason(reader.get())));
  }
  std::vector<ZipEntry> entries;
  absl::flat_hash_set<std::string> names;
  int64_t budget = max_inflated_bytes;
  while (true) {
    archive_entry* entry;
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return entries;
    // A warning is about a name that is not UTF-8, which is no matter here.
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
      return absl::InvalidArgumentError(absl::StrCat(archive_name, ": damaged zip archive: ", Reason(reader.get())));
    }
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    std::string name = EntryName(entry);
    if (!StaysInside(name)) {
      return WithContext(absl::InvalidArgumentError("the name leads out of the archive"), archive_name, name);
    }
    if (!names.insert(name).second) {
      return WithContext(absl::InvalidArgumentError("the name occurs twice"), archive_name, name);
    }
    const int64_t announced_size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
    absl::StatusOr<std::string> contents = ReadContents(reader.get(), announced_size, budget);
    if (!contents.ok()) return WithContext(contents.status(), archive_name, name);
    entries.push_back({std::move(name), *std::move(contents)});
  }
}

absl::StatusOr<std::vector<ZipEntry>> ReadZipFile(const std::string& path, int64_t max_inflated_bytes) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  return ReadZip(file.data(), path, max_inflated_bytes);
}

struct ZipWriter::State {
  Sink sink;
  absl::Status status;  // that there is no libarchive, or the first error of the sink, which it would reduce to a number
  Writer writer;

  static la_ssize_t Write(archive*, void* self, const void* data, size_t size) {
    State& state = *static_cast<State*>(self);
    if (state.status.ok()) state.status = state.sink(absl::string_view(static_cast<const char*>(data), size));
    return state.status.ok() ? static_cast<la_ssize_t>(size) : -1;
  }
};

ZipWriter::ZipWriter(Sink sink) : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  state_->status = LoadLibarchive();
  if (!state_->status.ok()) return;
  state_->writer.reset(archive_write_new());
  archive* writer = state_->writer.get();
  archive_write_set_format_zip(writer);
  archive_write_zip_set_compression_store(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open(writer, state_.get(), nullptr, State::Write, nullptr);
}

ZipWriter::~ZipWriter() = default;

absl::Status ZipWriter::Error(absl::string_view action) const {
  if (!state_->status.ok()) return state_->status;
  return absl::InternalError(absl::StrCat("cannot ", action, ": ", Reason(state_->writer.get())));
}

// Adds an entry made of several pieces, without joining them first. After an error every later call returns it.
absl::Status ZipWriter::Add(const std::string& name, absl::Span<const absl::string_view> pieces) {
  if (!StaysInside(name)) {
    return absl::InvalidArgumentError(absl::StrCat("'", name, "' cannot name an entry of an archive"));
  }
  RETURN_IF_ERROR(state_->status);
  const Utf8Locale locale;
  size_t size = 0;
  for (absl::string_view piece : pieces) size += piece.size();
  const Entry entry(archive_entry_new());
  archive_entry_set_pathname_utf8(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  archive* writer = state_->writer.get();
  if (archive_write_header(writer, entry.get()) != ARCHIVE_OK) return Error(absl::StrCat("add '", name, "'"));
  for (absl::string_view piece : pieces) {
    while (!piece.empty()) {
      const la_ssize_t written = archive_write_data(writer, piece.data(), piece.size());
      if (written <= 0) return Error(absl::StrCat("write '", name, "'"));
      piece.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (archive_write_finish_entry(writer) != ARCHIVE_OK) return Error(absl::StrCat("finish '", name, "'"));
  return absl::OkStatus();
}

absl::Status ZipWriter::Finish() {
  RETURN_IF_ERROR(state_->status);
  return archive_write_close(state_->writer.get()) == ARCHIVE_OK ? absl::OkStatus() : Error("finish the archive");
}

}  // namespace xla
