// The elements of StableHLO constants as literals.
#ifndef BUILDERS_STABLEHLO_LOWERING_CONSTANT_LITERALS_H_
#define BUILDERS_STABLEHLO_LOWERING_CONSTANT_LITERALS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace stablehlo {

// The elements of a constant of `shape`: all of them, or one that all of them are.
struct ConstantValue {
  Shape shape;
  std::shared_ptr<const Literal> literal;
};

// More equal elements than this are one element, so that a few characters of text do not become gigabytes.
inline constexpr int64_t kMostEqualElements = 1024;

// Constants of at least this size are copied once, however many operations have them.
inline constexpr int64_t kSharedConstantBytes = 4096;
// From this size on, whoever has the file is told that they have been copied (LoweringOptions).
inline constexpr int64_t kLargeConstantBytes = 1 << 20;

// Notes which elements of the module are those of one constant only.
void FindOwnElements(const Module& module, SharedConstants* constants);

// Of a dense attribute or of one that refers to a resource of the module. Errors: it is neither, its resource is
// missing or has another size, the machine or the limits refuse the memory.
absl::StatusOr<ConstantValue> ConstantValueOf(ProgramLowering& program, AttributeId id);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_CONSTANT_LITERALS_H_
