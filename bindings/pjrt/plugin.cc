// The table of the API, and what the plugin says of itself.
#include <cstring>

#include "bindings/pjrt/call.h"
#include "bindings/pjrt/core_entry.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {
namespace {

constexpr int kMajorVersion = 0;
// The newest whose promises are kept: jaxlib 0.10.2 calls what each minor version up to it has added.
constexpr int kMinorVersion = 112;

// What the newest reader of StableHLO understands that clients speak: jaxlib writes programs in the older version of
// this one and its own.
constexpr int64_t kNewestStableHlo[] = {1, 17, 0};
constexpr int64_t kOldestStableHlo[] = {0, 9, 0};
constexpr int64_t kXlaVersion = 2;

PJRT_NamedValue Attribute(const char* name) {
  PJRT_NamedValue attribute = {};
  attribute.struct_size = offsetof(PJRT_NamedValue, value_size) + sizeof(attribute.value_size);
  attribute.name = name;
  attribute.name_size = std::strlen(name);
  return attribute;
}

PJRT_NamedValue VersionAttribute(const char* name, const int64_t (&version)[3]) {
  PJRT_NamedValue attribute = Attribute(name);
  attribute.type = PJRT_NamedValue_kInt64List;
  attribute.int64_array_value = version;
  attribute.value_size = 3;
  return attribute;
}

PJRT_NamedValue NumberAttribute(const char* name, int64_t number) {
  PJRT_NamedValue attribute = Attribute(name);
  attribute.type = PJRT_NamedValue_kInt64;
  attribute.int64_value = number;
  attribute.value_size = 1;
  return attribute;
}

PJRT_Api MakeApi() {
  PJRT_Api api = {};
  api.struct_size = sizeof(api);
  api.extension_start =
      LayoutsExtension(FfiExtension(MemoryDescriptionsExtension(ShardingsExtension(/*next=*/nullptr))));
  api.pjrt_api_version.struct_size = sizeof(api.pjrt_api_version);
  api.pjrt_api_version.major_version = kMajorVersion;
  api.pjrt_api_version.minor_version = kMinorVersion;
#define PJRT_FUNCTION(Result, Name, minor, size, required) api.PJRT_##Name = &Name;
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION
  return api;
}

}  // namespace

// Nothing has to be prepared: clients are.
PJRT_Error* Plugin_Initialize(PJRT_Plugin_Initialize_Args* args) {
  return Answer(args, [](const CallerCheck&) { return absl::OkStatus(); });
}

// jaxlib 0.6.2 reads the number although the size that it sends ends before it.
PJRT_Error* Plugin_Attributes(PJRT_Plugin_Attributes_Args* args) {
  static const PJRT_NamedValue attributes[] = {
      NumberAttribute("xla_version", kXlaVersion),
      VersionAttribute("stablehlo_current_version", kNewestStableHlo),
      VersionAttribute("stablehlo_minimum_version", kOldestStableHlo),
  };
  return Answer(args, [&](const CallerCheck&) {
    args->attributes = attributes;
    args->num_attributes = sizeof(attributes) / sizeof(attributes[0]);
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla

const PJRT_Api* halo_core_pjrt_api(const char* version) {
  static const PJRT_Api& api = *new PJRT_Api(xla::pjrt::MakeApi());
  return std::strcmp(version, halo_version()) == 0 ? &api : nullptr;
}
