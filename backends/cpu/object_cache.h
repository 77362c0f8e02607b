// ObjectCache: compiled kernels on disk, for programs that are compiled again.
//
// An entry (backends/host/cache_entry.h) is named after everything that the code depends on: the kernels, the processor
// and its features, the compiler and its options. Whoever can write to the folder can make this process run any code:
// it should belong to its user alone.
#ifndef BACKENDS_CPU_OBJECT_CACHE_H_
#define BACKENDS_CPU_OBJECT_CACHE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "backends/cpu/codegen/kernel_compiler.h"

namespace xla {

// A folder of entries. Thread-safe, as it holds only the folder's name. An entry that cannot be used is never fatal:
// the caller compiles and stores again.
class ObjectCache {
 public:
  // The folder is made when the first entry is written.
  explicit ObjectCache(std::string folder) : folder_(std::move(folder)) {}

  // nullopt if there is no entry; DataLoss, with the file's name, if there is one that cannot be used.
  absl::StatusOr<absl::optional<CompiledKernels::Image>> Find(absl::string_view key) const;
  // Errors: those of the file system.
  absl::Status Store(absl::string_view key, const CompiledKernels::Image& image) const;

 private:
  const std::string folder_;
};

// Compiled kernels, and the digest of the key by which they are found again.
struct CompiledCode {
  std::string digest;
  CompiledKernels::Image image;
};

// An image as bytes, and back. InvalidArgument: they are not what EncodeImage wrote.
std::string EncodeImage(const CompiledKernels::Image& image);
absl::StatusOr<CompiledKernels::Image> DecodeImage(absl::string_view bytes);

}  // namespace xla

#endif  // BACKENDS_CPU_OBJECT_CACHE_H_
