// Zip archives (what .npz files are), written through libarchive.
#ifndef XLA_CORE_SUPPORT_ZIP_WRITER_H_
#define XLA_CORE_SUPPORT_ZIP_WRITER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

// Writes an archive piece by piece, so that it is never in memory whole. The entries are stored uncompressed and
// without times: equal contents make equal bytes.
class ZipWriter {
 public:
  using Sink = std::function<absl::Status(absl::string_view)>;

  // `sink` receives the archive's bytes in order, for instance those of an AtomicFile.
  explicit ZipWriter(Sink sink);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // Adds the file `name`, which holds `pieces` joined. Errors: the sink's; InvalidArgument for a name that leads
  // outside.
  absl::Status Add(const std::string& name, absl::Span<const absl::string_view> pieces);

  // Writes the archive's directory. To be called last.
  absl::Status Finish();

 private:
  struct State;
  absl::Status Error(absl::string_view action) const;

  std::unique_ptr<State> state_;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_ZIP_WRITER_H_
