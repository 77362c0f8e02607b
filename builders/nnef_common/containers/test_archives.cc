#include "builders/nnef_common/containers/test_archives.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>

#include "absl/status/status.h"
#include "xla_core/support/check.h"

namespace xla {

absl::Status LoadLibarchive();  // comes before its functions: @syslibs//:archive

namespace nnef {
namespace {

archive* NewWriter() {
  CHECK(LoadLibarchive().ok());
  return archive_write_new();
}

class Writer {
 public:
  explicit Writer(const TestArchiveOptions& options) : writer_(NewWriter()) {
    archive_write_set_bytes_in_last_block(writer_, 1);
    if (options.compress) archive_write_add_filter_gzip(writer_);
    switch (options.format) {
      case TarFormat::kUstar:
        archive_write_set_format_ustar(writer_);
        break;
      case TarFormat::kGnu:
        archive_write_set_format_gnutar(writer_);
        break;
      case TarFormat::kPax:
        archive_write_set_format_pax(writer_);
        break;
    }
    CHECK(archive_write_open(writer_, this, nullptr, Append, nullptr) == ARCHIVE_OK);
  }
  ~Writer() { archive_write_free(writer_); }

  void AddFile(const std::string& name, const std::string& contents) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(contents.size()));
    CHECK(archive_write_header(writer_, entry) == ARCHIVE_OK);
    CHECK(archive_write_data(writer_, contents.data(), contents.size()) == static_cast<la_ssize_t>(contents.size()));
    archive_entry_free(entry);
  }

  void AddLink(const std::string& name, const std::string& target) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFLNK);
    archive_entry_set_symlink(entry, target.c_str());
    CHECK(archive_write_header(writer_, entry) == ARCHIVE_OK);
    archive_entry_free(entry);
  }

  std::string Finish() {
    CHECK(archive_write_close(writer_) == ARCHIVE_OK);
    return bytes_;
  }

 private:
  static la_ssize_t Append(archive*, void* self, const void* data, size_t size) {
    static_cast<Writer*>(self)->bytes_.append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  }

  archive* const writer_;
  std::string bytes_;
};

}  // namespace

std::string MakeArchive(const TestMembers& members, const TestArchiveOptions& options) {
  Writer writer(options);
  for (const auto& member : members) writer.AddFile(member.first, member.second);
  return writer.Finish();
}

std::string MakeArchiveWithLink(const TestMembers& members, const std::string& link, const std::string& target) {
  Writer writer((TestArchiveOptions()));
  for (const auto& member : members) writer.AddFile(member.first, member.second);
  writer.AddLink(link, target);
  return writer.Finish();
}

}  // namespace nnef
}  // namespace xla
