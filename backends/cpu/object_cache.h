// ObjectCache: compiled kernels on disk, for programs that are compiled again.
//
// An entry is one file, named after everything that the code depends on: the kernels, the processor and its features,
// the compiler and its options. It is written under another name and then renamed, so that any number of processes may
// use one folder; and it carries a checksum and its whole key, so that a damaged or foreign file is distinguished from
// a good one. Whoever can write to the folder can make this process run any code: it should belong to its user alone.
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
  std::string PathOf(absl::string_view key) const;

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

// A short text that stands for a key: 128 bits of hashes of it.
std::string DigestOfKey(absl::string_view key);

// 64-bit FNV-1a, from `seed` on.
uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0xcbf29ce484222325);

}  // namespace xla

#endif  // BACKENDS_CPU_OBJECT_CACHE_H_
