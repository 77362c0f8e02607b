// The standard library of NNEF 2: seven modules with 144 operators, which are SkriptND like a model's own.
#ifndef BUILDERS_NNEF2_LIBRARY_LIBRARY_H_
#define BUILDERS_NNEF2_LIBRARY_LIBRARY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace nnef2 {

struct LibraryModule {
  absl::string_view name;  // "nn"
  absl::string_view text;
};

// In an order in which each imports only those before it.
absl::Span<const LibraryModule> StandardLibrary();

// nullptr if there is none of this name.
const LibraryModule* FindLibraryModule(absl::string_view name);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LIBRARY_LIBRARY_H_
