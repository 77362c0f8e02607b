// Copies of modules.
#ifndef XLA_CORE_IR_CLONE_MODULE_H_
#define XLA_CORE_IR_CLONE_MODULE_H_

#include <memory>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// A copy with the same names, ids, order and annotations, down to the last attribute; the values of constants are
// shared. `module` must own all operands and callees of its instructions, as VerifyModule checks.
std::unique_ptr<HloModule> CloneModule(const HloModule& module);

}  // namespace xla

#endif  // XLA_CORE_IR_CLONE_MODULE_H_
