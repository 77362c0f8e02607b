// The functions of the table, one for each row of pjrt_functions.inc.
#ifndef BINDINGS_PJRT_FUNCTIONS_H_
#define BINDINGS_PJRT_FUNCTIONS_H_

#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {

#define PJRT_FUNCTION(Result, Name, minor, size, required) Result Name(PJRT_##Name##_Args* args);
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_FUNCTIONS_H_
