// ConstantValues: constants of HLO as values of NNEF.
#ifndef BUILDERS_NNEF1_WRITING_CONSTANT_VALUES_H_
#define BUILDERS_NNEF1_WRITING_CONSTANT_VALUES_H_

#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef1/value.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// A number as a value of NNEF; nullopt for those that no literal is (NaN, infinities).
absl::optional<Value> LiteralValue(const Literal& number);
// The items of a small constant, if all are literals.
absl::optional<std::vector<Value>> LiteralValues(const Literal& array);

// The value of an instruction that is a scalar constant; else nullptr.
const Literal* ConstantOf(const HloInstruction* instruction);
bool IsConstant(const HloInstruction* instruction, double value);
bool IsNegativeInfinity(const HloInstruction* instruction);
bool IsPositiveInfinity(const HloInstruction* instruction);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_WRITING_CONSTANT_VALUES_H_
