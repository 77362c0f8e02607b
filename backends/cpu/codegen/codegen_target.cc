#include "backends/cpu/codegen/codegen_target.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace xla {
namespace {

// Counts changes of the code that is emitted for equal kernels, so that objects of before are not mistaken for it.
constexpr int kEmissionVersion = 10;
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

// What this machine has and `cpu` lacks, and vice versa. Not all that it has: for each module that is
// compiled, reading the list takes its time.
std::string FeaturesBeside(const std::string& cpu) {
  llvm::SmallVector<llvm::StringRef, 128> enabled;
  llvm::X86::getFeaturesForCPU(cpu, enabled);
  const std::set<std::string> of_cpu(enabled.begin(), enabled.end());
  std::map<std::string, bool> differences;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const std::string name = feature.first().str();
    if (feature.second != (of_cpu.count(name) != 0)) differences[name] = feature.second;
  }
  llvm::SubtargetFeatures features;
  for (const auto& [name, has] : differences) features.AddFeature(name, has);
  return features.getString();
}

absl::optional<CodegenTarget>& TargetInTests() {
  static auto* const target = new absl::optional<CodegenTarget>();
  return *target;
}

// The processor that this process runs on. An unknown name becomes plain x86-64, with the features that the system
// reports.
CodegenTarget HostX86() {
  CodegenTarget target;
  target.triple = kX86Triple;
  target.cpu = llvm::sys::getHostCPUName().str();
  const bool is_known = llvm::X86::parseArchX86(target.cpu, /*Only64Bit=*/true) != llvm::X86::CK_None;
  if (!is_known) target.cpu = "x86-64";
  target.features = FeaturesBeside(target.cpu);
  target.has_masks = HostHasMasks();
  target.has_half = HostHas("f16c");
  target.has_multiply_add = HostHas("fma");
  target.has_half_arithmetic = target.has_masks && HostHas("avx512fp16");
  target.vector_bytes = target.has_masks ? 64 : HostHas("avx2") ? 32 : 16;
  return target;
}

}  // namespace

void UseTargetInTests(absl::optional<CodegenTarget> target) { TargetInTests() = std::move(target); }

CodegenTarget HostTarget() {
  if (TargetInTests().has_value()) return *TargetInTests();
#if defined(__x86_64__)
  static const auto* const target = new CodegenTarget(HostX86());
#else
  static const auto* const target = new CodegenTarget(Aarch64Target());
#endif
  return *target;
}

CodegenTarget BaselineTarget() { return {kX86Triple, "x86-64", "", 16, false, false, false}; }
CodegenTarget Avx2Target() { return {kX86Triple, "haswell", "", 32, false, true, true}; }
CodegenTarget Aarch64Target() { return {"aarch64-unknown-linux-gnu", "generic", "+neon", 16, false, true, true}; }

bool HostRuns(const CodegenTarget& target) {
  if (target.triple != HostTarget().triple) return false;
  if (target.has_masks) return HostHasMasks();
  return target.cpu == "x86-64" || (HostHas("avx2") && HostHas("fma") && HostHas("f16c") && HostHas("bmi2"));
}

std::string TargetKey(const CodegenTarget& target) {
  return absl::StrJoin({target.triple, target.cpu, target.features, absl::StrCat(target.vector_bytes),
                        std::string(LLVM_VERSION_STRING), absl::StrCat(kEmissionVersion)},
                       "|");
}

}  // namespace xla
