#include "builders/stablehlo/lowering/words.h"

#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

template <typename T>
absl::StatusOr<T> FromWord(absl::string_view what, absl::string_view word,
                           std::initializer_list<std::pair<absl::string_view, T>> words) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrCat(what, " must be one of ", known, ", got ", word));
}

}  // namespace

absl::StatusOr<ComparisonDirection> DirectionFromWord(absl::string_view word) {
  using D = ComparisonDirection;
  return FromWord<D>("comparison_direction", word,
                     {{"EQ", D::kEq}, {"NE", D::kNe}, {"GE", D::kGe}, {"GT", D::kGt}, {"LE", D::kLe}, {"LT", D::kLt}});
}

absl::StatusOr<FftType> FftTypeFromWord(absl::string_view word) {
  return FromWord<FftType>(
      "fft_type", word,
      {{"FFT", FftType::kFft}, {"IFFT", FftType::kIfft}, {"RFFT", FftType::kRfft}, {"IRFFT", FftType::kIrfft}});
}

absl::StatusOr<TransposeA> TransposeFromWord(absl::string_view word) {
  return FromWord<TransposeA>("transpose_a", word,
                              {{"NO_TRANSPOSE", TransposeA::kNoTranspose},
                               {"TRANSPOSE", TransposeA::kTranspose},
                               {"ADJOINT", TransposeA::kAdjoint}});
}

absl::StatusOr<RandomAlgorithm> RandomAlgorithmFromWord(absl::string_view word) {
  return FromWord<RandomAlgorithm>("rng_algorithm", word,
                                   {{"DEFAULT", RandomAlgorithm::kDefault},
                                    {"THREE_FRY", RandomAlgorithm::kThreeFry},
                                    {"PHILOX", RandomAlgorithm::kPhilox}});
}

absl::StatusOr<Precision> PrecisionFromWord(absl::string_view word) {
  return FromWord<Precision>(
      "precision_config", word,
      {{"DEFAULT", Precision::kDefault}, {"HIGH", Precision::kHigh}, {"HIGHEST", Precision::kHighest}});
}

absl::StatusOr<std::vector<Precision>> PrecisionConfigOf(const OperationCall& call, absl::string_view constraint) {
  std::vector<Precision> config;
  bool all_default = true;
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> elements, call.attributes().Elements("precision_config"));
  for (const AttributeId id : elements) {
    ASSIGN_OR_RETURN(const Precision precision, PrecisionFromWord(call.module().attribute(id).text));
    all_default = all_default && precision == Precision::kDefault;
    config.push_back(precision);
  }
  if (!config.empty() && config.size() != 2) {
    return Broken(constraint,
                  absl::StrCat("precision_config must have an entry for each of the 2 operands, got ", config.size()));
  }
  if (all_default) config.clear();
  return config;
}

}  // namespace stablehlo
}  // namespace xla
