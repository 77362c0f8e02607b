#include "builders/nnef1/containers/container.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "builders/nnef1/containers/archive_container.h"
#include "builders/nnef1/containers/byte_source.h"
#include "builders/nnef1/containers/folder_container.h"
#include "builders/nnef1/containers/fresh_memory.h"
#include "builders/nnef1/diagnostics.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// What tells the kinds of files apart.
constexpr int64_t kDetectionBytes = 4096;

absl::Status WithName(absl::string_view name, absl::string_view message) {
  return ClassifiedError(ErrorClass::kContainer, absl::StrCat(name, ": ", message));
}

// A description in a file of its own.
class BareDescription : public Container {
 public:
  BareDescription(std::unique_ptr<ByteSource> source, const std::string& name)
      : Container(name), source_(std::move(source)) {}

  std::string NameOf(absl::string_view member) const override {
    return member == kDescriptionMember ? name() : Container::NameOf(member);
  }
  bool is_bare_description() const override { return true; }
  bool Has(absl::string_view member) const override { return member == kDescriptionMember; }
  std::vector<std::string> Members(int64_t) const override { return {std::string(kDescriptionMember)}; }
  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    if (!Has(member)) return NoSuchMember(member);
    return source_->size();
  }
  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    if (!Has(member)) return NoSuchMember(member);
    const absl::Status read = source_->Read(begin, size, destination);
    return read.ok() ? read : WithName(name(), read.message());
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

// `version 1.` after blanks and comments.
bool LooksLikeDescription(absl::string_view text) {
  while (!text.empty()) {
    const size_t word = text.find_first_not_of(" \t\v\f\r\n");
    if (word == absl::string_view::npos) return false;
    text.remove_prefix(word);
    if (text.front() != '#') break;
    const size_t end = text.find_first_of("\n\f");
    if (end == absl::string_view::npos) return false;
    text.remove_prefix(end);
  }
  if (!absl::ConsumePrefix(&text, "version")) return false;
  const size_t number = text.find_first_not_of(" \t\v\f\r\n");
  return number != 0 && number != absl::string_view::npos && absl::StartsWith(text.substr(number), "1.");
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
                                                      int64_t max_inflated_bytes, const ResourceContext* resources) {
  const absl::StatusOr<std::string> begin = Beginning(*source, kDetectionBytes);
  if (!begin.ok()) return WithName(name, begin.status().message());
  const ArchiveKind kind = ArchiveKindOf(*begin);
  if (kind != ArchiveKind::kNone) {
    return OpenArchive(std::move(source), kind, name, max_inflated_bytes, resources);
  }
  absl::string_view format = ForeignFormat(*begin);
  if (begin->empty()) format = "an empty file";
  if (format.empty() && IsNamedAsArchive(name) && !LooksLikeDescription(*begin)) format = "a text of another kind";
  if (!format.empty()) {
    return WithName(name, absl::StrCat("expected a folder, a tar archive (gzip compressed or not) or a description, "
                                       "got ",
                                       format));
  }
  return std::unique_ptr<Container>(std::make_unique<BareDescription>(std::move(source), name));
}

bool SourceLooksLikeModel(const ByteSource& source) {
  constexpr int64_t kLongestPreamble = 64 << 10;  // a licence in comments may come first
  const absl::StatusOr<std::string> begin = Beginning(source, kLongestPreamble);
  if (!begin.ok()) return false;
  const ArchiveKind kind = ArchiveKindOf(*begin);
  return kind != ArchiveKind::kNone ? ArchiveLooksLikeModel(source, kind) : LooksLikeDescription(*begin);
}

bool IsFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

std::string Container::NameOf(absl::string_view member) const { return absl::StrCat(name_, "/", member); }

absl::Status Container::NoSuchMember(absl::string_view member) const {
  return WithName(name_, absl::StrCat("there is no '", member, "'"));
}

absl::Status Container::CheckRange(absl::string_view member, int64_t begin, int64_t size, int64_t member_size) const {
  if (begin >= 0 && size >= 0 && begin <= member_size && size <= member_size - begin) return absl::OkStatus();
  return WithName(NameOf(member), absl::StrCat("expected ", size, " bytes from byte ", begin, " on, got ",
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
    return WithName(NameOf(member), absl::StrCat("expected at most ", max_bytes, " bytes, got ", size));
  }
  std::string contents(static_cast<size_t>(size), '\0');
  RETURN_IF_ERROR(Read(member, 0, size, contents.data()));
  return contents;
}

bool LooksLikeNnef1(const std::string& path) {
  if (IsFolder(path)) {
    const absl::StatusOr<std::unique_ptr<Container>> folder = OpenFolder(path);
    return folder.ok() && (*folder)->Has(kDescriptionMember);
  }
  const absl::StatusOr<std::unique_ptr<ByteSource>> source = OpenFile(path);
  return source.ok() && SourceLooksLikeModel(**source);
}

bool LooksLikeNnef1InMemory(absl::string_view contents) { return SourceLooksLikeModel(*BytesInMemory(contents)); }

int64_t DefaultMaxContainerBytes() { return MachineMemoryBytes() / 4 * 3; }

absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path, int64_t max_inflated_bytes,
                                                         const ResourceContext* resources) {
  if (IsFolder(path)) return OpenFolder(path);
  absl::StatusOr<std::unique_ptr<ByteSource>> source = OpenFile(path);
  if (!source.ok()) return WithName(path, source.status().message());
  return OpenSource(*std::move(source), path, max_inflated_bytes, resources);
}

absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(absl::string_view contents, const std::string& name,
                                                                 int64_t max_inflated_bytes,
                                                                 const ResourceContext* resources) {
  return OpenSource(BytesInMemory(contents), name, max_inflated_bytes, resources);
}

}  // namespace nnef1
}  // namespace xla
