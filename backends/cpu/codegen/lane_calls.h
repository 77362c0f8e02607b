// Operations that there is no scalar code for: calls of the interpreter's own loops (lane_evaluator.h), one for all
// lanes.
#ifndef BACKENDS_CPU_CODEGEN_LANE_CALLS_H_
#define BACKENDS_CPU_CODEGEN_LANE_CALLS_H_

#include <memory>

#include "backends/scalar_code/elementwise_emitter.h"

namespace xla {
namespace codegen {

// For values that LlvmIr made.
std::unique_ptr<RareOperations> MakeLaneCalls();

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LANE_CALLS_H_
