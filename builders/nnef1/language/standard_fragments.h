// StandardFragments: the declarations of the operation table as syntax trees, parsed once.
#ifndef BUILDERS_NNEF1_LANGUAGE_STANDARD_FRAGMENTS_H_
#define BUILDERS_NNEF1_LANGUAGE_STANDARD_FRAGMENTS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// nullptr if the table has no such operation.
const Fragment* FindStandardFragment(absl::string_view name);

// In the order of the table.
std::vector<absl::string_view> StandardOperationNames();

// Operations of the table that the specification does not have: documents may define fragments of their names.
bool IsExtraOperation(absl::string_view name);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_STANDARD_FRAGMENTS_H_
