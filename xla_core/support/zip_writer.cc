#include "xla_core/support/zip_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/zip_reader.h"

namespace xla {

absl::Status LoadLibarchive();  // comes before its functions: @syslibs//:archive

namespace {

struct FreeWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
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

}  // namespace

struct ZipWriter::State {
  Sink sink;
  absl::Status
      status;  // that there is no libarchive, or the first error of the sink, which it would reduce to a number
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
  if (!IsZipEntryName(name)) {
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
