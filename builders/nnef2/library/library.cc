#include "builders/nnef2/library/library.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr LibraryModule kModules[] = {
#include "builders/nnef2/library/rows.inc"
};

}  // namespace

absl::Span<const LibraryModule> StandardLibrary() { return kModules; }

const LibraryModule* FindLibraryModule(absl::string_view name) {
  for (const LibraryModule& module : kModules) {
    if (module.name == name) return &module;
  }
  return nullptr;
}

}  // namespace nnef2
}  // namespace xla
