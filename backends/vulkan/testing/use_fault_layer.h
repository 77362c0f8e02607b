// For tests whose clients run above the layer of fault_layer.h: whoever includes it turns the layer on for the process.
#ifndef BACKENDS_VULKAN_TESTING_USE_FAULT_LAYER_H_
#define BACKENDS_VULKAN_TESTING_USE_FAULT_LAYER_H_

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/testing/fault_layer.h"
#include "gtest/gtest.h"

namespace xla {
namespace vulkan {

constexpr char kLayerFolder[] = "backends/vulkan/testing";

// What the layer's library exports.
template <typename Function>
Function FindInLayer(const char* name) {
  static void* const library =
      dlopen(absl::StrCat(kLayerFolder, "/libhalo_fault_layer.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  EXPECT_NE(found, nullptr) << dlerror();
  return reinterpret_cast<Function>(found);
}

inline void Plan(const FaultPlan& plan) {
  ASSERT_TRUE(FindInLayer<SetFaultPlan>(kSetFaultPlan)(&plan)) << plan.function;
}
inline void PlanNothing() { Plan(FaultPlan()); }
inline int64_t Calls(const char* function) { return FindInLayer<CountCalls>(kCountCalls)(function); }
inline int64_t LivingObjects() { return FindInLayer<CountObjects>(kCountObjects)(); }

// Before the first client is made, the loader is told to use the layer, and Mesa's drivers where they may keep kernels
// that they have compiled.
inline const bool kLayerIsOn = [] {
  char* const here = getcwd(nullptr, 0);
  setenv("VK_LAYER_PATH", absl::StrCat(here, "/", kLayerFolder).c_str(), /*overwrite=*/1);
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_HALO_faults", /*overwrite=*/1);
  std::free(here);
  const char* const temporary = std::getenv("TEST_TMPDIR");
  if (temporary != nullptr) setenv("MESA_SHADER_CACHE_DIR", temporary, /*overwrite=*/1);
  return true;
}();

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_TESTING_USE_FAULT_LAYER_H_
