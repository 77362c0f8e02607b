// Memory that is about to be read into.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_FRESH_MEMORY_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_FRESH_MEMORY_H_

#include "absl/status/statusor.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef {

// Literal::Allocate, for what is read from a file. Large literals lie in pages of 2 MiB. On a virtual machine whose
// host has taken unused memory back, the first touch of such a page takes milliseconds, twenty times as long as reading
// what comes there; small pages do not. So pages are touched one after the other, and once one comes slowly, the rest
// and all later literals get small ones.
absl::StatusOr<Literal> AllocateToRead(const Shape& shape);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_FRESH_MEMORY_H_
