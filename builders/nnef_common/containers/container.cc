#include "builders/nnef_common/containers/container.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef_common/containers/archive_container.h"
#include "builders/nnef_common/containers/byte_source.h"
#include "builders/nnef_common/containers/folder_container.h"
#include "builders/nnef_common/containers/fresh_memory.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

// What tells the kinds of files apart.
constexpr int64_t kDetectionBytes = 4096;

absl::Status WithName(const ModelFormat& format, absl::string_view name, absl::string_view message) {
  return ClassifiedError(format.container_error, absl::StrCat(name, ": ", message));
}

// A description in a file of its own.
class BareDescription : public Container {
 public:
  BareDescription(std::unique_ptr<ByteSource> source, const std::string& name, const ModelFormat& format)
      : Container(name, format), source_(std::move(source)) {}

  std::string NameOf(absl::string_view member) const override {
    return Has(member) ? name() : Container::NameOf(member);
  }
  bool is_bare_description() const override { return true; }
  bool Has(absl::string_view member) const override { return member == format().description; }
  std::vector<std::string> Members(int64_t) const override { return {std::string(format().description)}; }
  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    if (!Has(member)) return NoSuchMember(member);
    return source_->size();
  }
  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    if (!Has(member)) return NoSuchMember(member);
    const absl::Status read = source_->Read(begin, size, destination);
    return read.ok() ? read : WithName(format(), name(), read.message());
  }

 private:
  const std::unique_ptr<ByteSource> source_;
};

// The format of a file that does not belong to a model, for people.
absl::string_view ForeignFormat(absl::string_view begin) {
  if (absl::StartsWith(begin, "PK\x03\x04")) return "a zip archive";
  if (absl::StartsWith(begin,
                       "\xFD"
                       "7zXZ"))
    return "compressed with xz";
  if (absl::StartsWith(begin, "BZh")) return "compressed with bzip2";
  if (absl::StartsWith(begin, "\x28\xB5\x2F\xFD")) return "compressed with zstd";
  if (absl::StartsWith(begin, "\x4E\xEF")) return "a tensor file";
  if (absl::StrContains(begin, '\0')) return "a binary file of another format";
  return "";
}

absl::StatusOr<std::string> Beginning(const ByteSource& source, int64_t bytes) {
  std::string begin(static_cast<size_t>(bytes), '\0');
  ASSIGN_OR_RETURN(const int64_t got, source.ReadSome(0, bytes, begin.data()));
  begin.resize(static_cast<size_t>(got));
  return begin;
}

// A name that promises an archive.
bool IsNamedAsArchive(absl::string_view name) {
  for (absl::string_view suffix : {".tar", ".tgz", ".gz"}) {
    if (absl::EndsWithIgnoreCase(name, suffix)) return true;
  }
  return false;
}

// Tells containers apart by their first bytes, and names what was found instead where it is none of them.
absl::StatusOr<std::unique_ptr<Container>> OpenSource(std::unique_ptr<ByteSource> source, const std::string& name,
                                                      const ModelFormat& model_format, int64_t max_inflated_bytes,
                                                      const ResourceContext* resources) {
  const absl::StatusOr<std::string> begin = Beginning(*source, kDetectionBytes);
  if (!begin.ok()) return WithName(model_format, name, begin.status().message());
  const ArchiveKind kind = ArchiveKindOf(*begin);
  if (kind != ArchiveKind::kNone) {
    return OpenArchive(std::move(source), kind, name, model_format, max_inflated_bytes, resources);
  }
  absl::string_view format = ForeignFormat(*begin);
  if (begin->empty()) format = "an empty file";
  if (format.empty() && IsNamedAsArchive(name) && !model_format.begins_description(*begin))
    format = "a text of another kind";
  if (!format.empty()) {
    return WithName(
        model_format, name,
        absl::StrCat("expected a folder, a tar archive (gzip compressed or not) or a description, got ", format));
  }
  return std::unique_ptr<Container>(std::make_unique<BareDescription>(std::move(source), name, model_format));
}

bool SourceLooksLikeModel(const ByteSource& source, const ModelFormat& format) {
  constexpr int64_t kLongestPreamble = 64 << 10;  // a licence in comments may come first
  const absl::StatusOr<std::string> begin = Beginning(source, kLongestPreamble);
  if (!begin.ok()) return false;
  const ArchiveKind kind = ArchiveKindOf(*begin);
  return kind != ArchiveKind::kNone ? ArchiveLooksLikeModel(source, kind, format) : format.begins_description(*begin);
}

bool IsFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::string Container::NameOf(absl::string_view member) const { return absl::StrCat(name_, "/", member); }

absl::Status Container::NoSuchMember(absl::string_view member) const {
  return WithName(format_, name_, absl::StrCat("there is no '", member, "'"));
}

absl::Status Container::CheckRange(absl::string_view member, int64_t begin, int64_t size, int64_t member_size) const {
  if (begin >= 0 && size >= 0 && begin <= member_size && size <= member_size - begin) return absl::OkStatus();
  return WithName(format_, NameOf(member),
                  absl::StrCat("expected ", size, " bytes from byte ", begin, " on, got ",
                               std::max<int64_t>(member_size - begin, 0)));
}

absl::StatusOr<Literal> Container::ReadArray(absl::string_view member, int64_t begin, const Shape& shape) const {
  ASSIGN_OR_RETURN(Literal literal, AllocateToRead(shape));
  RETURN_IF_ERROR(Read(member, begin, literal.size_bytes(), literal.mutable_data<char>()));
  return literal;
}

absl::StatusOr<std::string> Container::ReadAll(absl::string_view member, int64_t max_bytes) const {
  ASSIGN_OR_RETURN(const int64_t size, SizeOf(member));
  if (size > max_bytes) {
    return WithName(format_, NameOf(member), absl::StrCat("expected at most ", max_bytes, " bytes, got ", size));
  }
  std::string contents(static_cast<size_t>(size), '\0');
  RETURN_IF_ERROR(Read(member, 0, size, contents.data()));
  return contents;
}

bool LooksLikeModel(const std::string& path, const ModelFormat& format) {
  if (IsFolder(path)) {
    const absl::StatusOr<std::unique_ptr<Container>> folder = OpenFolder(path, format);
    return folder.ok() && (*folder)->Has(format.description);
  }
  const absl::StatusOr<std::unique_ptr<ByteSource>> source = OpenFile(path);
  return source.ok() && SourceLooksLikeModel(**source, format);
}

bool LooksLikeModelInMemory(absl::string_view contents, const ModelFormat& format) {
  return SourceLooksLikeModel(*BytesInMemory(contents), format);
}

int64_t DefaultMaxContainerBytes() { return MachineMemoryBytes() / 4 * 3; }

absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path, const ModelFormat& format,
                                                         int64_t max_inflated_bytes, const ResourceContext* resources) {
  if (IsFolder(path)) return OpenFolder(path, format);
  absl::StatusOr<std::unique_ptr<ByteSource>> source = OpenFile(path);
  if (!source.ok()) return WithName(format, path, source.status().message());
  return OpenSource(*std::move(source), path, format, max_inflated_bytes, resources);
}

absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(absl::string_view contents, const std::string& name,
                                                                 const ModelFormat& format, int64_t max_inflated_bytes,
                                                                 const ResourceContext* resources) {
  return OpenSource(BytesInMemory(contents), name, format, max_inflated_bytes, resources);
}

}  // namespace nnef
}  // namespace xla
