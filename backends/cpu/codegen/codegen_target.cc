#include "backends/cpu/codegen/codegen_target.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

namespace xla {
namespace {

constexpr char kX86Triple[] = "x86_64-unknown-linux-gnu";
// What masks of bytes take.
constexpr const char* kMaskFeatures[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl"};

bool HostHas(const char* feature) {
  static const auto* const features = new llvm::StringMap<bool>(llvm::sys::getHostCPUFeatures());
  return features->lookup(feature);
}

bool HostHasMasks() {
  for (const char* feature : kMaskFeatures) {
    if (!HostHas(feature)) return false;
  }
  return true;
}

CodegenTarget HostX86() {
  CodegenTarget target;
  target.triple = kX86Triple;
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  // f16 is computed in f32 here, so instructions that compute in f16 would only change how it is passed around.
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.AddFeature(feature.first(), feature.second && feature.first() != "avx512fp16");
  }
  target.features = features.getString();
  target.has_masks = HostHasMasks();
  target.has_half = HostHas("f16c");
  target.vector_bytes = target.has_masks ? 64 : HostHas("avx2") ? 32 : 16;
  return target;
}

}  // namespace

CodegenTarget HostTarget() {
#if defined(__x86_64__)
  static const auto* const target = new CodegenTarget(HostX86());
#else
  static const auto* const target = new CodegenTarget(Aarch64Target());
#endif
  return *target;
}

CodegenTarget BaselineTarget() { return {kX86Triple, "x86-64", "", 16, false, false}; }
CodegenTarget Avx2Target() { return {kX86Triple, "haswell", "", 32, false, true}; }
CodegenTarget Avx512Target() { return {kX86Triple, "skylake-avx512", "", 64, true, true}; }
CodegenTarget Aarch64Target() { return {"aarch64-unknown-linux-gnu", "generic", "+neon", 16, false, true}; }

bool HostRuns(const CodegenTarget& target) {
  if (target.triple != HostTarget().triple) return false;
  if (target.has_masks) return HostHasMasks();
  return target.cpu == "x86-64" || (HostHas("avx2") && HostHas("fma") && HostHas("f16c") && HostHas("bmi2"));
}

std::string TargetKey(const CodegenTarget& target) {
  return absl::StrJoin(
      {target.triple, target.cpu, target.features, absl::StrCat(target.vector_bytes), std::string(LLVM_VERSION_STRING)},
      "|");
}

}  // namespace xla
