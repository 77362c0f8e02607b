// Removes what a lowering has made and not used.
#ifndef BUILDERS_NNEF_COMMON_UNUSED_INSTRUCTIONS_H_
#define BUILDERS_NNEF_COMMON_UNUSED_INSTRUCTIONS_H_

#include "xla_core/ir/hlo_module.h"

namespace xla {
namespace nnef {

// Instructions of the entry without users, parameters excepted, and computations that nothing calls: numbers that were
// folded into operations leave constants behind.
void RemoveUnusedInstructions(HloModule& module);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_UNUSED_INSTRUCTIONS_H_
