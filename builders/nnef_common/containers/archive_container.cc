#include "builders/nnef_common/containers/archive_container.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef_common/containers/gzip_stream.h"
#include "builders/nnef_common/containers/tar_reader.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

constexpr int64_t kTarBlockBytes = 512;

absl::Status Refused(absl::string_view message) { return absl::InvalidArgumentError(message); }

class PlainStream : public TarStream {
 public:
  explicit PlainStream(const ByteSource& source) : source_(source), buffer_(64 << 10) {}

  absl::StatusOr<absl::string_view> Next() override {
    ASSIGN_OR_RETURN(const int64_t got,
                     source_.ReadSome(position_, static_cast<int64_t>(buffer_.size()), buffer_.data()));
    position_ += got;
    return absl::string_view(buffer_.data(), static_cast<size_t>(got));
  }
  int64_t Skip(int64_t bytes) override {
    const int64_t skipped = std::clamp<int64_t>(source_.size() - position_, 0, bytes);
    position_ += skipped;
    return skipped;
  }

 private:
  const ByteSource& source_;
  int64_t position_ = 0;
  std::vector<char> buffer_;
};

class InflatedStream : public TarStream {
 public:
  InflatedStream(const ByteSource& source, int64_t max_bytes, const ResourceContext* resources)
      : gzip_(source, max_bytes, resources) {}

  absl::StatusOr<absl::string_view> Next() override { return gzip_.Next(); }
  int64_t Skip(int64_t) override { return 0; }  // libarchive then reads

 private:
  GzipStream gzip_;
};

std::unique_ptr<TarStream> MakeStream(const ByteSource& source, ArchiveKind kind, int64_t max_inflated_bytes,
                                      const ResourceContext* resources) {
  if (kind == ArchiveKind::kCompressedTar) {
    return std::make_unique<InflatedStream>(source, max_inflated_bytes, resources);
  }
  return std::make_unique<PlainStream>(source);
}

// What both kinds of archive have in common: an index by name.
class ArchiveContainer : public Container {
 public:
  bool Has(absl::string_view member) const override { return members_.find(member) != members_.end(); }
  std::vector<std::string> Members(int64_t limit) const override {
    std::vector<std::string> names;
    for (const auto& member : members_) {
      if (static_cast<int64_t>(names.size()) == limit) break;
      names.push_back(member.first);
    }
    return names;
  }
  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    ASSIGN_OR_RETURN(const Member* const found, Find(member));
    return found->size;
  }

  // Reads the archive through once.
  absl::Status Index(TarReader& reader, int64_t archive_bytes) {
    while (true) {
      ASSIGN_OR_RETURN(const absl::optional<TarReader::Entry> entry, reader.Next());
      if (!entry.has_value()) return absl::OkStatus();
      if (entry->is_folder) continue;
      if (Has(entry->name)) return Refused(absl::StrCat("member '", entry->name, "' occurs twice"));
      Member& member = members_[entry->name];
      member.size = entry->size;
      const absl::Status added = Add(*entry, archive_bytes, reader, member);
      if (added.ok()) continue;
      return absl::Status(added.code(), absl::StrCat(added.message(), " (member '", entry->name, "')"));
    }
  }

 protected:
  struct Member {
    int64_t size = 0;
    // Of a plain archive.
    int64_t offset = 0;
    // Of a compressed one: the first bytes, as many as a tensor file's header has, and the rest as an array of bytes.
    std::string head;
    Literal rest;
    bool is_kept = false;
  };

  ArchiveContainer(const std::string& name, const ModelFormat& format) : Container(name, format) {}

  // Notes where the entry's contents are, or what they are.
  virtual absl::Status Add(const TarReader::Entry& entry, int64_t archive_bytes, TarReader& reader,
                           Member& member) const = 0;

  absl::StatusOr<const Member*> Find(absl::string_view member) const {
    const auto found = members_.find(member);
    if (found == members_.end()) return NoSuchMember(member);
    return &found->second;
  }

 private:
  std::map<std::string, Member, std::less<>> members_;
};

class TarContainer : public ArchiveContainer {
 public:
  TarContainer(std::unique_ptr<ByteSource> source, const std::string& name, const ModelFormat& format)
      : ArchiveContainer(name, format), source_(std::move(source)) {}

  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    ASSIGN_OR_RETURN(const Member* const found, Find(member));
    RETURN_IF_ERROR(CheckRange(member, begin, size, found->size));
    const absl::Status read = source_->Read(found->offset + begin, size, destination);
    if (read.ok()) return read;
    return ClassifiedError(format().container_error, absl::StrCat(NameOf(member), ": ", read.message()));
  }

 private:
  absl::Status Add(const TarReader::Entry& entry, int64_t archive_bytes, TarReader&, Member& member) const override {
    if (entry.offset % kTarBlockBytes != 0 || entry.offset > archive_bytes ||
        entry.size > archive_bytes - entry.offset) {
      return Refused(absl::StrCat("damaged tar archive: it ends within a member: expected ", entry.size,
                                  " bytes from byte ", entry.offset, " on, the archive has ", archive_bytes));
    }
    member.offset = entry.offset;
    return absl::OkStatus();
  }

  const std::unique_ptr<ByteSource> source_;
};

class InflatedContainer : public ArchiveContainer {
 public:
  InflatedContainer(int64_t max_bytes, const std::string& name, const ModelFormat& format)
      : ArchiveContainer(name, format), max_bytes_(max_bytes) {}

  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    ASSIGN_OR_RETURN(const Member* const found, FindKept(member));
    RETURN_IF_ERROR(CheckRange(member, begin, size, found->size));
    const auto head_bytes = static_cast<int64_t>(found->head.size());
    const int64_t of_head = std::clamp<int64_t>(head_bytes - begin, 0, size);
    if (of_head > 0) std::memcpy(destination, found->head.data() + begin, static_cast<size_t>(of_head));
    if (size > of_head) {
      std::memcpy(destination + of_head, found->rest.data<char>() + (begin + of_head - head_bytes),
                  static_cast<size_t>(size - of_head));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Literal> ReadArray(absl::string_view member, int64_t begin, const Shape& shape) const override {
    ASSIGN_OR_RETURN(const Member* const found, FindKept(member));
    if (begin != static_cast<int64_t>(found->head.size()) || shape.ByteSize() != found->rest.size_bytes()) {
      return Container::ReadArray(member, begin, shape);
    }
    Literal shared = found->rest;
    shared.ResetShape(shape);
    return shared;
  }

 private:
  absl::StatusOr<const Member*> FindKept(absl::string_view member) const {
    ASSIGN_OR_RETURN(const Member* const found, Find(member));
    if (found->is_kept) return found;
    return ClassifiedError(format().container_error,
                           absl::StrCat(NameOf(member), ": only ", format().kept, " are kept of a compressed archive"));
  }

  // Reads a member into memory, head and rest apart, since the rest becomes a tensor without another copy. Its size
  // is checked against what the archive can hold before memory is taken.
  absl::Status Add(const TarReader::Entry& entry, int64_t archive_bytes, TarReader& reader,
                   Member& member) const override {
    member.is_kept = format().is_kept(entry.name);
    if (!member.is_kept) return absl::OkStatus();
    // Nothing is allocated on the word of a header alone.
    const std::string too_much = absl::StrCat("a member of ", entry.size, " bytes is more than the archive can hold");
    if (entry.size > max_bytes_) return absl::ResourceExhaustedError(too_much);
    if (entry.size / GzipStream::kLargestRatio > archive_bytes) return Refused(too_much);
    const int64_t head_bytes = std::min(entry.size, kTensorHeaderBytes);
    member.head.resize(static_cast<size_t>(head_bytes));
    RETURN_IF_ERROR(reader.ReadContents(head_bytes, member.head.data()));
    absl::StatusOr<Literal> rest = Literal::Allocate(Shape::Array(U8, {entry.size - head_bytes}));
    if (!rest.ok()) return Refused(rest.status().message());
    member.rest = *std::move(rest);
    return reader.ReadContents(entry.size - head_bytes, member.rest.mutable_data<char>());
  }

  const int64_t max_bytes_;
};

}  // namespace

ArchiveKind ArchiveKindOf(absl::string_view begin) {
  if (absl::StartsWith(begin, "\x1F\x8B")) return ArchiveKind::kCompressedTar;
  if (begin.size() >= kTarBlockBytes && begin.substr(257, 5) == "ustar") return ArchiveKind::kTar;
  return ArchiveKind::kNone;
}

bool ArchiveLooksLikeModel(const ByteSource& source, ArchiveKind kind, const ModelFormat& format) {
  constexpr int64_t kFarEnough = int64_t{256} << 20;
  // What is likely is taken for granted after as many bytes of other members.
  constexpr int64_t kLongEnough = int64_t{16} << 20;
  TarReader reader(MakeStream(source, kind, kFarEnough, /*resources=*/nullptr));
  bool is_likely = false;
  int64_t bytes = 0;
  while (!is_likely || bytes < kLongEnough) {
    const absl::StatusOr<absl::optional<TarReader::Entry>> entry = reader.Next();
    if (!entry.ok()) return true;
    if (!entry->has_value()) return is_likely;
    const MemberHint hint = format.hint_of((*entry)->name);
    if (hint == MemberHint::kModel) return true;
    if (hint == MemberHint::kOther) return false;
    is_likely = is_likely || hint == MemberHint::kLikely;
    if (is_likely) bytes += (*entry)->size;
  }
  return true;
}

// A plain tar file is indexed and read later in place; a compressed one is inflated once, as a whole.
absl::StatusOr<std::unique_ptr<Container>> OpenArchive(std::unique_ptr<ByteSource> source, ArchiveKind kind,
                                                       const std::string& name, const ModelFormat& format,
                                                       int64_t max_inflated_bytes, const ResourceContext* resources) {
  const ByteSource& bytes = *source;
  int64_t left_bytes = MemoryBudget::kUnlimited;
  if (resources != nullptr) left_bytes = resources->memory().limit() - resources->memory().used();
  const bool is_limited = left_bytes < max_inflated_bytes;
  if (is_limited) max_inflated_bytes = left_bytes;
  std::unique_ptr<ArchiveContainer> container;
  if (kind == ArchiveKind::kTar) {
    container = std::make_unique<TarContainer>(std::move(source), name, format);
  } else {
    container = std::make_unique<InflatedContainer>(max_inflated_bytes, name, format);
  }
  TarReader reader(MakeStream(bytes, kind, max_inflated_bytes, resources));
  absl::Status indexed = container->Index(reader, bytes.size());
  if (indexed.ok() && kind == ArchiveKind::kCompressedTar) indexed = reader.Drain();
  if (indexed.ok()) return std::unique_ptr<Container>(std::move(container));
  RETURN_IF_ERROR(CheckResources(resources));
  if (is_limited && absl::IsResourceExhausted(indexed)) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": ", indexed.message(), "; the memory limit leaves ",
                                                     left_bytes, " bytes", InPhase(resources->phase())));
  }
  return ClassifiedError(format.container_error, absl::StrCat(name, ": ", indexed.message()));
}

}  // namespace nnef
}  // namespace xla
