// Memory that is about to be read into.
#ifndef BUILDERS_NNEF1_CONTAINERS_FRESH_MEMORY_H_
#define BUILDERS_NNEF1_CONTAINERS_FRESH_MEMORY_H_

#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// Large literals lie in pages of 2 MiB. On a virtual machine whose host has taken unused memory back, the first touch
// of such a page takes milliseconds, twenty times as long as reading what comes there; small pages do not. So the first
// page of a literal is tried, and if it comes slowly, this one and those after it get small pages. What the literal
// holds is lost.
void AvoidSlowPages(Literal& literal);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_FRESH_MEMORY_H_
