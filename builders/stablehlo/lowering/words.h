// Words of StableHLO's enumerations as values of HLO's.
#ifndef BUILDERS_STABLEHLO_LOWERING_WORDS_H_
#define BUILDERS_STABLEHLO_LOWERING_WORDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace stablehlo {

// Errors: InvalidArgument, with the words that there are.
absl::StatusOr<ComparisonDirection> DirectionFromWord(absl::string_view word);
absl::StatusOr<FftType> FftTypeFromWord(absl::string_view word);
absl::StatusOr<TransposeA> TransposeFromWord(absl::string_view word);
absl::StatusOr<RandomAlgorithm> RandomAlgorithmFromWord(absl::string_view word);
absl::StatusOr<Precision> PrecisionFromWord(absl::string_view word);
// The attribute precision_config, a list of such words for the two operands, by the name of a constraint; empty if all
// are DEFAULT.
absl::StatusOr<std::vector<Precision>> PrecisionConfigOf(const OperationCall& call, absl::string_view constraint);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_WORDS_H_
