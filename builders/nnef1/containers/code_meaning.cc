#include "builders/nnef1/containers/code_meaning.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/document.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

using nnef::CodeMeaning;
using nnef::ItemType;
using nnef::TensorHeader;

// The parameters of a line of graph.quant.
class QuantizationParameters {
 public:
  explicit QuantizationParameters(const Quantization& quantization) : quantization_(quantization) {}

  absl::StatusOr<double> Number(absl::string_view name) const {
    ASSIGN_OR_RETURN(const Value* const value, Find(name));
    double number;
    if (value->is_scalar()) {
      number = value->scalar();
    } else if (value->is_integer()) {
      number = static_cast<double>(value->integer());
    } else {
      return absl::InvalidArgumentError(absl::StrCat("expected one number for '", name, "', got ", value->ToString(),
                                                     "; ranges for each channel are not part of NNEF 1.0.4"));
    }
    if (std::isfinite(number)) return number;
    return absl::InvalidArgumentError(absl::StrCat("expected a finite number for '", name, "', got ", number));
  }

  absl::StatusOr<bool> Flag(absl::string_view name) const {
    ASSIGN_OR_RETURN(const Value* const value, Find(name));
    if (value->is_logical()) return value->logical();
    return absl::InvalidArgumentError(absl::StrCat("expected a logical for '", name, "', got ", value->ToString()));
  }

  absl::StatusOr<int64_t> Bits() const {
    ASSIGN_OR_RETURN(const double bits, Number("bits"));
    if (bits >= 1 && bits <= 64) return static_cast<int64_t>(bits);
    return absl::InvalidArgumentError(absl::StrCat("expected 1 to 64 bits, got ", bits));
  }

 private:
  absl::StatusOr<const Value*> Find(absl::string_view name) const {
    for (size_t i = 0; i < quantization_.names.size(); ++i) {
      if (quantization_.names[i] == name) return &quantization_.values[i];
    }
    return absl::InvalidArgumentError(absl::StrCat("there is no '", name, "'"));
  }

  const Quantization& quantization_;
};

double CodeRange(int64_t bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

// code / range * (max - min) + min, where the lowest code is -offset.
CodeMeaning Linear(double min, double max, double range, double offset) {
  return [=](double code) { return (code + offset) / range * (max - min) + min; };
}

absl::StatusOr<CodeMeaning> LinearMeaning(const QuantizationParameters& parameters) {
  ASSIGN_OR_RETURN(const double min, parameters.Number("min"));
  ASSIGN_OR_RETURN(const double max, parameters.Number("max"));
  ASSIGN_OR_RETURN(const int64_t bits, parameters.Bits());
  return Linear(min, max, CodeRange(bits), 0);
}

absl::StatusOr<CodeMeaning> MinMaxMeaning(const QuantizationParameters& parameters) {
  ASSIGN_OR_RETURN(const double min, parameters.Number("min"));
  ASSIGN_OR_RETURN(const double max, parameters.Number("max"));
  ASSIGN_OR_RETURN(const int64_t bits, parameters.Bits());
  ASSIGN_OR_RETURN(const bool is_signed, parameters.Flag("signed"));
  ASSIGN_OR_RETURN(const bool symmetric, parameters.Flag("symmetric"));
  const double range = CodeRange(bits) - (is_signed && symmetric ? 1 : 0);
  if (range == 0) return absl::InvalidArgumentError("symmetric codes of one bit have no range");
  return Linear(min, max, range, is_signed ? std::ldexp(1.0, static_cast<int>(bits) - 1) - (symmetric ? 1 : 0) : 0);
}

absl::StatusOr<CodeMeaning> ZeroPointMeaning(const QuantizationParameters& parameters) {
  ASSIGN_OR_RETURN(const double zero_point, parameters.Number("zero_point"));
  ASSIGN_OR_RETURN(const double scale, parameters.Number("scale"));
  return CodeMeaning([=](double code) { return (code - zero_point) * scale; });
}

// Signed codes are the exponent, counted from the smallest one, with the number's sign.
absl::StatusOr<CodeMeaning> LogarithmicMeaning(const QuantizationParameters& parameters, bool is_signed) {
  ASSIGN_OR_RETURN(const double max, parameters.Number("max"));
  ASSIGN_OR_RETURN(const int64_t bits, parameters.Bits());
  if (max <= 0) return absl::InvalidArgumentError(absl::StrCat("expected a positive number for 'max', got ", max));
  const double lowest = std::ceil(std::log2(max)) - CodeRange(is_signed ? bits - 1 : bits);
  return CodeMeaning([=](double code) {
    const double magnitude = std::exp2(std::abs(code) + lowest);
    return code < 0 ? -magnitude : magnitude;
  });
}

// What stored codes mean, by the operation that the quantization file names; its parameters give scale and offset.
absl::StatusOr<CodeMeaning> MeaningBy(const TensorHeader& header, const Quantization& quantization) {
  const bool is_signed = header.item_type == ItemType::kQuantizedSigned;
  const std::string name =
      quantization.definition != nullptr ? DeclarationOf(*quantization.definition).name : quantization.custom_name;
  const QuantizationParameters parameters(quantization);
  absl::StatusOr<CodeMeaning> meaning = absl::InvalidArgumentError(
      "only linear_quantize, min_max_linear_quantize, zero_point_linear_quantize and logarithmic_quantize can decode "
      "stored codes");
  if (name == "linear_quantize" && is_signed) {
    meaning = absl::InvalidArgumentError(
        "its codes are unsigned, the stored ones are signed; use min_max_linear_quantize with signed = true");
  } else if (name == "linear_quantize") {
    meaning = LinearMeaning(parameters);
  } else if (name == "min_max_linear_quantize") {
    meaning = MinMaxMeaning(parameters);
  } else if (name == "zero_point_linear_quantize") {
    meaning = ZeroPointMeaning(parameters);
  } else if (name == "logarithmic_quantize") {
    meaning = LogarithmicMeaning(parameters, is_signed);
  }
  if (meaning.ok()) return meaning;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", meaning.status().message()));
}

}  // namespace

absl::StatusOr<nnef::CodeMeaning> MeaningOfCodes(const nnef::TensorHeader& header, const Quantization* quantization) {
  if (quantization != nullptr) return MeaningBy(header, *quantization);
  // Item type 3 with a range in the header was logarithmic once, and is linear in newer files: that cannot be known.
  if (header.item_type == ItemType::kQuantizedUnsigned && header.deprecated_range.has_value()) {
    return Linear(header.deprecated_range->first, header.deprecated_range->second, CodeRange(header.bits_per_item), 0);
  }
  return absl::InvalidArgumentError("it stores quantised codes, and graph.quant has no line for its variable");
}

}  // namespace nnef1
}  // namespace xla
