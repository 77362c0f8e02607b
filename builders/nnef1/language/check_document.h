// The parts of CheckDocument that others need: one fragment, for the bodies of the operation table.
#ifndef BUILDERS_NNEF1_LANGUAGE_CHECK_DOCUMENT_H_
#define BUILDERS_NNEF1_LANGUAGE_CHECK_DOCUMENT_H_

#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// E2.x in the declaration and the body of a fragment. `document`: whose fragments the body can invoke beside the
// standard's; nullptr: none.
void CheckFragment(const Fragment& fragment, const Document* document, Diagnostics* diagnostics);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_CHECK_DOCUMENT_H_
