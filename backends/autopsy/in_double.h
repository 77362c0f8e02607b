// A program in f64: what its floats would be if they were hardly rounded.
#ifndef BACKENDS_AUTOPSY_IN_DOUBLE_H_
#define BACKENDS_AUTOPSY_IN_DOUBLE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// f64 for real floats, c128 for complex ones; other types as they are.
PrimitiveType DoubleOf(PrimitiveType type);

// The verified module with f64 and c128 in place of all narrower floats, constants included. Roundings to a narrower
// type are gone with it; reduce-precision still rounds. Unimplemented if the module looks at bits of floats, draws
// random ones, or does with them what only a library knows.
absl::StatusOr<std::unique_ptr<HloModule>> InDouble(const HloModule& module, const ResourceContext* resources);

// The value of a parameter, or of a result, in the types of that module.
absl::StatusOr<Literal> ConvertedToDouble(const Literal& value);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_IN_DOUBLE_H_
