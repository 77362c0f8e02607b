#include "bindings/c/dlpack_tensor.h"

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

enum DlpackCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kOpaqueHandle = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E3m4 = 7,
  kFloat8E4m3 = 8,
  kFloat8E4m3b11fnuz = 9,
  kFloat8E4m3fn = 10,
  kFloat8E4m3fnuz = 11,
  kFloat8E5m2 = 12,
  kFloat8E5m2fnuz = 13,
  kFloat8E8m0fnu = 14,
  kFloat6E2m3fn = 15,
  kFloat6E3m2fn = 16,
  kFloat4E2m1fn = 17,
};

struct TypeRow {
  PrimitiveType type;
  DlpackCode code;
  uint8_t bits;
};

constexpr TypeRow kTypes[] = {
    {PRED, kBool, 8},
    {S1, kInt, 1},
    {S2, kInt, 2},
    {S4, kInt, 4},
    {S8, kInt, 8},
    {S16, kInt, 16},
    {S32, kInt, 32},
    {S64, kInt, 64},
    {U1, kUInt, 1},
    {U2, kUInt, 2},
    {U4, kUInt, 4},
    {U8, kUInt, 8},
    {U16, kUInt, 16},
    {U32, kUInt, 32},
    {U64, kUInt, 64},
    {F16, kFloat, 16},
    {F32, kFloat, 32},
    {F64, kFloat, 64},
    {BF16, kBfloat, 16},
    {C64, kComplex, 64},
    {C128, kComplex, 128},
    {F8E3M4, kFloat8E3m4, 8},
    {F8E4M3, kFloat8E4m3, 8},
    {F8E4M3B11FNUZ, kFloat8E4m3b11fnuz, 8},
    {F8E4M3FN, kFloat8E4m3fn, 8},
    {F8E4M3FNUZ, kFloat8E4m3fnuz, 8},
    {F8E5M2, kFloat8E5m2, 8},
    {F8E5M2FNUZ, kFloat8E5m2fnuz, 8},
    {F8E8M0FNU, kFloat8E8m0fnu, 8},
    {F6E2M3FN, kFloat6E2m3fn, 6},
    {F6E3M2FN, kFloat6E3m2fn, 6},
    {F4E2M1FN, kFloat4E2m1fn, 4},
};

constexpr const char* kCodeNames[] = {"int",
                                      "uint",
                                      "float",
                                      "opaque handle",
                                      "bfloat",
                                      "complex",
                                      "bool",
                                      "float8_e3m4",
                                      "float8_e4m3",
                                      "float8_e4m3b11fnuz",
                                      "float8_e4m3fn",
                                      "float8_e4m3fnuz",
                                      "float8_e5m2",
                                      "float8_e5m2fnuz",
                                      "float8_e8m0fnu",
                                      "float6_e2m3fn",
                                      "float6_e3m2fn",
                                      "float4_e2m1fn"};

struct DeviceName {
  int32_t type;
  const char* name;
};

constexpr DeviceName kDeviceNames[] = {{1, "cpu"},        {2, "cuda"},     {3, "cuda_host"},     {4, "opencl"},
                                       {7, "vulkan"},     {8, "metal"},    {9, "vpi"},           {10, "rocm"},
                                       {11, "rocm_host"}, {12, "ext_dev"}, {13, "cuda_managed"}, {14, "oneapi"},
                                       {15, "webgpu"},    {16, "hexagon"}, {17, "maia"}};

}  // namespace

PrimitiveType TypeFromDlpack(HaloDLDataType type) {
  if (type.lanes != 1) return PRIMITIVE_TYPE_INVALID;
  for (const TypeRow& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits) return row.type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

absl::optional<HaloDLDataType> TypeToDlpack(PrimitiveType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return HaloDLDataType{row.code, row.bits, 1};
  }
  return absl::nullopt;
}

std::string DlpackTypeName(HaloDLDataType type) {
  std::string name = type.code < sizeof(kCodeNames) / sizeof(kCodeNames[0]) ? std::string(kCodeNames[type.code])
                                                                            : absl::StrCat("type code ", type.code);
  absl::StrAppend(&name, " of ", type.bits, " bits");
  if (type.lanes != 1) absl::StrAppend(&name, " x ", type.lanes, " lanes");
  return name;
}

std::string DlpackDeviceName(HaloDLDevice device) {
  for (const DeviceName& known : kDeviceNames) {
    if (known.type == device.device_type) return absl::StrCat(known.name, ":", device.device_id);
  }
  return absl::StrCat("device type ", device.device_type, ":", device.device_id);
}

}  // namespace xla
