#include "builders/nnef_common/containers/tar_reader.h"

#include <archive_entry.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef_common/containers/member_name.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status LoadLibarchive();  // comes before its functions: @syslibs//:archive

namespace nnef {

TarReader::TarReader(std::unique_ptr<TarStream> stream) : stream_(std::move(stream)), stream_status_(LoadLibarchive()) {
  if (!stream_status_.ok()) return;
  reader_.reset(archive_read_new());
  archive* const reader = reader_.get();
  archive_read_support_format_tar(reader);
  archive_read_set_callback_data(reader, this);
  archive_read_set_read_callback(reader, Read);
  archive_read_set_skip_callback(reader, Skip);
  open_result_ = archive_read_open1(reader);
}

la_ssize_t TarReader::Read(archive* reader, void* self, const void** buffer) {
  TarReader& tar = *static_cast<TarReader*>(self);
  absl::StatusOr<absl::string_view> piece = tar.stream_->Next();
  if (!piece.ok()) {
    if (tar.stream_status_.ok()) tar.stream_status_ = piece.status();
    archive_set_error(reader, EIO, "the stream failed");
    return ARCHIVE_FATAL;
  }
  *buffer = piece->data();
  return static_cast<la_ssize_t>(piece->size());
}

la_int64_t TarReader::Skip(archive*, void* self, la_int64_t bytes) {
  return static_cast<TarReader*>(self)->stream_->Skip(bytes);
}

absl::Status TarReader::Failure() const {
  if (!stream_status_.ok()) return stream_status_;
  const char* const reason = archive_error_string(reader_.get());
  return absl::InvalidArgumentError(
      absl::StrCat("damaged tar archive: ", reason != nullptr ? reason : "unknown reason"));
}

// The next file or folder. Links, devices and sparse files are errors: nothing outside of the archive can be reached
// through it.
absl::StatusOr<absl::optional<TarReader::Entry>> TarReader::Next() {
  if (open_result_ != ARCHIVE_OK) return Failure();
  archive_entry* found;
  const int result = archive_read_next_header(reader_.get(), &found);
  if (!stream_status_.ok()) return stream_status_;
  if (result == ARCHIVE_EOF) return absl::optional<Entry>();
  // A warning is about a name that is not ASCII, which no label is.
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return Failure();
  const char* name = archive_entry_pathname_utf8(found);
  if (name == nullptr) name = archive_entry_pathname(found);
  const std::string written = name != nullptr ? name : "";
  const absl::optional<std::string> normalized = NormalizeMemberName(written);
  if (!normalized.has_value())
    return absl::InvalidArgumentError(absl::StrCat("member '", written, "' leads out of the archive"));
  Entry entry;
  entry.name = *normalized;
  const auto type = archive_entry_filetype(found);
  entry.is_folder = type == AE_IFDIR;
  if (entry.is_folder) return absl::optional<Entry>(std::move(entry));
  if (type != AE_IFREG || archive_entry_hardlink(found) != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("member '", written, "' is a link or a device; expected only files and folders"));
  }
  if (archive_entry_sparse_count(found) > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("member '", written, "' is stored as a sparse file; pack it without that option"));
  }
  if (entry.name.empty()) return absl::InvalidArgumentError("a file in the archive has no name");
  entry.size = archive_entry_size(found);
  entry.offset = archive_filter_bytes(reader_.get(), 0);
  if (entry.size < 0) return absl::InvalidArgumentError(absl::StrCat("member '", written, "' has a negative size"));
  return absl::optional<Entry>(std::move(entry));
}

absl::Status TarReader::ReadContents(int64_t size, char* destination) {
  while (size > 0) {
    const la_ssize_t got = archive_read_data(reader_.get(), destination, static_cast<size_t>(size));
    if (got < 0) return Failure();
    if (got == 0) return absl::InvalidArgumentError("damaged tar archive: a member is cut off");
    destination += got;
    size -= got;
  }
  return absl::OkStatus();
}

absl::Status TarReader::Drain() {
  while (true) {
    ASSIGN_OR_RETURN(const absl::string_view piece, stream_->Next());
    if (piece.empty()) return absl::OkStatus();
  }
}

}  // namespace nnef
}  // namespace xla
