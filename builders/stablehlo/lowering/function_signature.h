// The arguments and results of functions.
#ifndef BUILDERS_STABLEHLO_LOWERING_FUNCTION_SIGNATURE_H_
#define BUILDERS_STABLEHLO_LOWERING_FUNCTION_SIGNATURE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/program_lowering.h"

namespace xla {
namespace stablehlo {

// The shapes that the arguments are declared with. Errors: types that HLO lacks, sizes that are left open.
absl::StatusOr<std::vector<Shape>> DeclaredArguments(const ProgramLowering& program, const FunctionParts& function);
// Makes a parameter for each argument, with the shapes that a call gives them, and with what the attributes of the
// arguments say of names, places and shardings. Errors: `arguments` that the types do not allow.
absl::Status AddParameters(const ProgramLowering& program, const FunctionParts& function,
                           absl::Span<const Shape> arguments, ComputationLowering* scope);
// Whether `results` are what the function's type says.
absl::Status CheckReturned(const ProgramLowering& program, const FunctionParts& function, absl::string_view symbol,
                           const ComputationLowering& scope, absl::Span<const XlaOp> results);
// The attributes of argument or result `i`, from the list `arg_attrs` or `res_attrs`; none if there is no such list.
absl::StatusOr<AttributeReader> AttributesOf(const Module& module, const Operation& function, absl::string_view list,
                                             size_t i);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_FUNCTION_SIGNATURE_H_
