// The modules of the standard library as trees, which all models of a process share.
#ifndef BUILDERS_NNEF2_CHECKING_STANDARD_LIBRARY_H_
#define BUILDERS_NNEF2_CHECKING_STANDARD_LIBRARY_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

bool IsStandardModule(absl::string_view name);

// Parsed when it is asked for first, and kept. nullptr: there is none of this name. Thread-safe.
std::shared_ptr<const Module> StandardModule(absl::string_view name);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_STANDARD_LIBRARY_H_
