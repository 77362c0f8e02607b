#include "backends/cpu/testing/tested_processor.h"

#include <algorithm>

#include "backends/cpu/codegen/codegen_target.h"
#include "backends/cpu/library/base/vector_extensions.h"
#include "backends/cpu/library/product/matrix_unit_kernels.h"
#include "xla_core/support/check.h"

namespace xla {

// Of emulated_matrix_unit_kernels.cc.
const MatrixUnitKernels& EmulatedMatrixUnitKernels();

namespace {

CodegenTarget TargetWithHalfArithmetic() {
  UseTargetInTests(absl::nullopt);
  CodegenTarget target = HostTarget();
  // What the processor does not have, LLVM makes of conversions.
  target.has_half_arithmetic = true;
  return target;
}

std::vector<TestedProcessor> FindTestableProcessors() {
  std::vector<TestedProcessor> processors = {TestedProcessor::kHost};
  const VectorExtensions extensions = HostVectorExtensions();
  if (extensions == VectorExtensions::kAvx512 && HostMatrixUnitKernels() == nullptr) {
    processors.push_back(TestedProcessor::kMatrixUnit);
  }
  if (extensions != VectorExtensions::kBaseline && HostRuns(Avx2Target())) processors.push_back(TestedProcessor::kAvx2);
  if (HostRuns(BaselineTarget())) processors.push_back(TestedProcessor::kBaseline);
  return processors;
}

}  // namespace

std::string TestedProcessorName(TestedProcessor processor) {
  switch (processor) {
    case TestedProcessor::kHost:
      return "host";
    case TestedProcessor::kMatrixUnit:
      return "matrix-unit";
    case TestedProcessor::kAvx2:
      return "avx2";
    case TestedProcessor::kBaseline:
      return "baseline";
  }
  return "";
}

std::vector<TestedProcessor> TestableProcessors() {
  static const auto* const processors = new std::vector<TestedProcessor>(FindTestableProcessors());
  return *processors;
}

void TestOnProcessor(TestedProcessor processor) {
  const std::vector<TestedProcessor> testable = TestableProcessors();
  CHECK(std::find(testable.begin(), testable.end(), processor) != testable.end());
  UseMatrixUnitInTests(processor == TestedProcessor::kMatrixUnit ? &EmulatedMatrixUnitKernels() : nullptr);
  switch (processor) {
    case TestedProcessor::kHost:
      LimitVectorExtensionsInTests(VectorExtensions::kAvx512);
      return UseTargetInTests(absl::nullopt);
    case TestedProcessor::kMatrixUnit:
      LimitVectorExtensionsInTests(VectorExtensions::kAvx512);
      return UseTargetInTests(TargetWithHalfArithmetic());
    case TestedProcessor::kAvx2:
      LimitVectorExtensionsInTests(VectorExtensions::kAvx2);
      return UseTargetInTests(Avx2Target());
    case TestedProcessor::kBaseline:
      LimitVectorExtensionsInTests(VectorExtensions::kBaseline);
      return UseTargetInTests(BaselineTarget());
  }
}

}  // namespace xla
