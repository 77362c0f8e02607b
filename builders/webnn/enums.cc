#include "builders/webnn/enums.h"

namespace xla {
namespace webnn {

// One specialisation of EnumNamesOf: the strings in the order of the enumerators.
#define HALO_ENUM_NAMES(E, ...)                                   \
  template <>                                                     \
  const EnumNames& EnumNamesOf<E>() {                             \
    static constexpr absl::string_view kValues[] = {__VA_ARGS__}; \
    static const EnumNames names = {#E, kValues};                 \
    return names;                                                 \
  }

HALO_ENUM_NAMES(MLDeviceType, "cpu", "gpu", "npu")
HALO_ENUM_NAMES(MLPowerPreference, "default", "high-performance", "low-power")
HALO_ENUM_NAMES(MLContextType, "default", "webgpu")
HALO_ENUM_NAMES(MLOperandDataType, "float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8", "int4",
                "uint4")
HALO_ENUM_NAMES(MLInputOperandLayout, "nchw", "nhwc")
HALO_ENUM_NAMES(MLConv2dFilterOperandLayout, "oihw", "hwio", "ohwi", "ihwo")
HALO_ENUM_NAMES(MLConvTranspose2dFilterOperandLayout, "iohw", "hwoi", "ohwi")
HALO_ENUM_NAMES(MLGruWeightLayout, "zrn", "rzn")
HALO_ENUM_NAMES(MLLstmWeightLayout, "iofg", "ifgo")
HALO_ENUM_NAMES(MLRecurrentNetworkDirection, "forward", "backward", "both")
HALO_ENUM_NAMES(MLPaddingMode, "constant", "edge", "reflection", "symmetric")
HALO_ENUM_NAMES(MLRoundingType, "floor", "ceil")
HALO_ENUM_NAMES(MLInterpolationMode, "nearest-neighbor", "linear")

#undef HALO_ENUM_NAMES

}  // namespace webnn
}  // namespace xla
