// GzipStream: inflates a gzip file piece by piece and checks it, with a limit on what comes out.
//
// libarchive has a gzip filter of its own, but does not compare the checksum at the end, so that a damaged file would
// become wrong weights without a word.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_GZIP_STREAM_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_GZIP_STREAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/byte_source.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef {

// Reads a source from its beginning to its end, once. Not thread-safe.
class GzipStream {
 public:
  // Deflate cannot make more than this out of one byte.
  static constexpr int64_t kLargestRatio = 1032;

  // `source`, and `resources` unless it is nullptr, outlive the stream.
  GzipStream(const ByteSource& source, int64_t max_bytes, const ResourceContext* resources);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  // The next piece, valid until the next call; empty at the end. Several gzip files one after another are one stream;
  // what follows the last and is none is ignored, as gzip does. Errors: what is not a gzip file, is cut or fails its
  // checksum; ResourceExhausted beyond the limit; a limit of `resources` was reached.
  absl::StatusOr<absl::string_view> Next();

 private:
  struct Inflater;

  absl::Status Fill();
  absl::StatusOr<bool> BeginMember();

  const ByteSource& source_;
  const int64_t max_bytes_;
  const ResourceContext* const resources_;
  int64_t position_ = 0;  // of the next byte of the source to be read
  int64_t produced_ = 0;
  bool is_first_ = true;
  bool is_in_member_ = false;
  std::vector<char> input_;
  std::vector<char> output_;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_GZIP_STREAM_H_
