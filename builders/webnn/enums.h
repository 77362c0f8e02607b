// The enumerations of the IDL, with their strings, and what is needed to go from one to the other.
#ifndef BUILDERS_WEBNN_ENUMS_H_
#define BUILDERS_WEBNN_ENUMS_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace xla {
namespace webnn {

// The name of an enumeration in the IDL and its strings, by value.
struct EnumNames {
  absl::string_view type;
  absl::Span<const absl::string_view> values;
};

// Specialised below for each enumeration.
template <typename E>
const EnumNames& EnumNamesOf();

// The string of the IDL: ToString(MLInputOperandLayout::kNchw) = "nchw". "" for an unknown value.
template <typename E>
absl::string_view ToString(E value) {
  const EnumNames& names = EnumNamesOf<E>();
  const auto index = static_cast<size_t>(value);
  return index < names.values.size() ? names.values[index] : "";
}

// nullopt if no value has that string.
template <typename E>
absl::optional<E> ParseEnum(absl::string_view text) {
  const EnumNames& names = EnumNamesOf<E>();
  for (size_t i = 0; i < names.values.size(); ++i) {
    if (names.values[i] == text) return static_cast<E>(i);
  }
  return absl::nullopt;
}

// ---- Contexts

// Which device a context prefers (draft). Every value is accepted if a backend for it is linked.
enum class MLDeviceType : int { kCpu, kGpu, kNpu };
// A wish of the caller's. No backend acts on it.
enum class MLPowerPreference : int { kDefault, kHighPerformance, kLowPower };
// "context type" of the draft; not an enumeration of the IDL.
enum class MLContextType : int { kDefault, kWebgpu };

// ---- Operands

// int4 and uint4 belong to later editions.
enum class MLOperandDataType : int {
  kFloat32,
  kFloat16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kInt8,
  kUint8,
  kInt4,
  kUint4,
};

// ---- Operators

// The order of dimensions of images: n batch, c channels, h height, w width, slowest first.
enum class MLInputOperandLayout : int { kNchw, kNhwc };
// The order of a conv2d filter's dimensions: o output channels, i input channels of one group, h height, w width.
enum class MLConv2dFilterOperandLayout : int { kOihw, kHwio, kOhwi, kIhwo };
// The same for convTranspose2d, where i are all input channels and o the output channels of one group.
enum class MLConvTranspose2dFilterOperandLayout : int { kIohw, kHwoi, kOhwi };
// The order of gates in weights and biases: z update, r reset, n new.
enum class MLGruWeightLayout : int { kZrn, kRzn };
// The order of gates in weights and biases: i input, o output, f forget, g cell.
enum class MLLstmWeightLayout : int { kIofg, kIfgo };
// The order in which gru and lstm take the steps of the input; with kBoth there are two networks with weights of
// their own, and directions are dimension 0 of weights and states.
enum class MLRecurrentNetworkDirection : int { kForward, kBackward, kBoth };
// What pad fills with: a constant, the nearest element at the edge, or a mirror image without (kReflection) or with
// (kSymmetric) the element at the edge.
enum class MLPaddingMode : int { kConstant, kEdge, kReflection, kSymmetric };
// Whether a pooling window that reaches past the padding counts as a position (kCeil) or not.
enum class MLRoundingType : int { kFloor, kCeil };
// How resample2d computes values between elements; kLinear is bilinear, as two dimensions are resampled.
enum class MLInterpolationMode : int { kNearestNeighbor, kLinear };

template <>
const EnumNames& EnumNamesOf<MLDeviceType>();
template <>
const EnumNames& EnumNamesOf<MLPowerPreference>();
template <>
const EnumNames& EnumNamesOf<MLContextType>();
template <>
const EnumNames& EnumNamesOf<MLOperandDataType>();
template <>
const EnumNames& EnumNamesOf<MLInputOperandLayout>();
template <>
const EnumNames& EnumNamesOf<MLConv2dFilterOperandLayout>();
template <>
const EnumNames& EnumNamesOf<MLConvTranspose2dFilterOperandLayout>();
template <>
const EnumNames& EnumNamesOf<MLGruWeightLayout>();
template <>
const EnumNames& EnumNamesOf<MLLstmWeightLayout>();
template <>
const EnumNames& EnumNamesOf<MLRecurrentNetworkDirection>();
template <>
const EnumNames& EnumNamesOf<MLPaddingMode>();
template <>
const EnumNames& EnumNamesOf<MLRoundingType>();
template <>
const EnumNames& EnumNamesOf<MLInterpolationMode>();

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_ENUMS_H_
