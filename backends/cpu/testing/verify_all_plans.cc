// Has every program be compiled as with the setting verify-plan=true, unless a test says otherwise.
#include "backends/cpu/compile_settings.h"

namespace xla {
namespace {

const bool kVerifies = CompileSettings::verify_plan_by_default = true;

}  // namespace
}  // namespace xla
