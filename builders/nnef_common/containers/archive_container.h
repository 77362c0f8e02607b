// Archives: tar, and tar compressed with gzip.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_ARCHIVE_CONTAINER_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_ARCHIVE_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/byte_source.h"
#include "builders/nnef_common/containers/container.h"

namespace xla {
namespace nnef {

// What the first bytes of a file say. kCompressedTar is any gzip file; whether a tar archive is inside shows when it
// is opened.
enum class ArchiveKind { kNone, kTar, kCompressedTar };

// By the first 512 bytes of a file (fewer if it has no more).
ArchiveKind ArchiveKindOf(absl::string_view begin);

// Whether an archive is a model of the format by the names of its members; reads no further than the first one that
// tells. Also true of one that is damaged before any was found, so that opening it can say so.
bool ArchiveLooksLikeModel(const ByteSource& source, ArchiveKind kind, const ModelFormat& format);

// A tar archive is read where it is: opening it notes the places of its members. One that is compressed is inflated at
// once, each tensor into memory that literals then share. Errors: those of OpenContainer.
absl::StatusOr<std::unique_ptr<Container>> OpenArchive(std::unique_ptr<ByteSource> source, ArchiveKind kind,
                                                       const std::string& name, const ModelFormat& format,
                                                       int64_t max_inflated_bytes, const ResourceContext* resources);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_ARCHIVE_CONTAINER_H_
