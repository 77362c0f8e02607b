// Every elementwise operation on every element type that there is code for, on a device as it is and as the lowest
// profile, against the interpreter of kernels: bit for bit where the op table says so, within its error elsewhere. What
// a device may do with denormal numbers it says (FloatControls); where it does not keep them, elements with one are
// left out.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/kernel_ir/workgroups.h"
#include "backends/scalar_code/testing/elementwise_cases.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace vulkan {

bool check_all = false;  // every case on every profile

namespace {

constexpr int64_t kInvocations = 64;

// Whether an element is a denormal of the type that code computes it in, and the device may take it for zero.
bool IsFlushed(const DeviceFacts& facts, PrimitiveType type, const char* at) {
  if (IsComplex(type)) {
    const PrimitiveType component = ComplexComponentType(type);
    return IsFlushed(facts, component, at) || IsFlushed(facts, component, at + ByteWidth(component));
  }
  if (!IsFloat(type)) return false;
  const bool is_double = type == F64;
  if ((is_double ? facts.f64 : facts.f32).preserves_denormals) return false;
  double value;
  ConvertElements(type, F64, 1, at, &value);
  return value != 0 && std::fabs(value) < (is_double ? 0x1p-1022 : 0x1p-126);
}

bool TouchesDenormals(const DeviceFacts& facts, const ElementwiseCase& tested, const ElementwiseReference& reference,
                      int64_t i) {
  for (size_t k = 0; k + 1 < reference.inputs.size(); ++k) {
    const PrimitiveType type = tested.kernel.buffers[k].type;
    if (IsFlushed(facts, type, &reference.inputs[k][i * ByteWidth(type)])) return true;
  }
  const PrimitiveType type = tested.kernel.buffers.back().type;
  return IsFlushed(facts, type, &reference.want[i * ByteWidth(type)]);
}

// Whether the op table gives an error, and the operation may be computed in the type of its parts: of complex numbers
// without f64, of c128, and corners of functions. The interpreter's modulus of c128 may be off by a bit itself.
bool IsInParts(const ElementwiseCase& tested) {
  const PrimitiveType type = tested.kernel.buffers[0].type;
  const bool is_modulus = type == C128 && (tested.opcode == HloOpcode::kAbs || tested.opcode == HloOpcode::kSign);
  return IsComplex(type) && (tested.max_ulp > 0 || is_modulus);
}

// Whether an operand's parts are so large or small, or so unequal, that a power or an angle of it needs the wider type
// that the interpreter has: an error of the exponent is one of the result, and what is beside a large part is lost.
bool NeedsWiderType(const ElementwiseCase& tested, const ElementwiseReference& reference, int64_t i) {
  const HloOpcode opcode = tested.opcode;
  if (opcode != HloOpcode::kPower && opcode != HloOpcode::kAtan2) return false;
  for (size_t k = 0; k + 1 < reference.inputs.size(); ++k) {
    const PrimitiveType type = tested.kernel.buffers[k].type;
    double parts[2];
    ConvertElements(type, C128, 1, &reference.inputs[k][i * ByteWidth(type)], parts);
    for (const double part : parts) {
      if (std::isfinite(part) && part != 0 && (std::fabs(part) > 100 || std::fabs(part) < 0.01)) return true;
    }
  }
  return false;
}

void Compare(DeviceKernels& device, const SpirvKernel& code, const ElementwiseCase& tested, uint64_t seed) {
  const auto reference = InterpretElementwise(tested.kernel, seed);
  ASSERT_TRUE(reference.ok()) << reference.status() << KernelToString(tested.kernel);
  std::vector<std::vector<char>> buffers = reference->inputs;
  const PrimitiveType type = tested.kernel.buffers.back().type;
  const int width = ByteWidth(type);
  buffers.back().assign(kElementwiseCount * width, 77);
  const absl::Status status = device.Run(tested.kernel, code, absl::MakeSpan(buffers));
  ASSERT_TRUE(status.ok()) << tested.name << ": " << status;
  for (int64_t i = 0; i < kElementwiseCount; ++i) {
    const char* const got = &buffers.back()[i * width];
    const char* const want = &reference->want[i * width];
    const bool in_parts = IsInParts(tested);
    if (in_parts && NeedsWiderType(tested, *reference, i)) continue;
    const std::string difference =
        in_parts ? ModulusDifference(type, got, want) : ElementDifference(type, got, want, tested.max_ulp);
    if (difference.empty() || TouchesDenormals(device.facts(), tested, *reference, i)) continue;
    ADD_FAILURE() << tested.name << ", element " << i << ", of" << OperandsOf(tested, *reference, i) << ": "
                  << difference;
    return;
  }
}

// One case in `every`, from the first or another one on, so that profiles share the work.
void Check(const std::vector<ElementwiseCase>& cases, size_t every) {
  std::vector<std::string> without_code;
  for (const bool lowest_profile : {false, true}) {
    auto device = DeviceKernels::Create(lowest_profile);
    if (absl::IsUnavailable(device.status())) GTEST_SKIP() << device.status().message();
    ASSERT_TRUE(device.ok()) << device.status();
    const size_t step = check_all ? 1 : every;
    for (size_t c = lowest_profile && !check_all ? every / 2 : 0; c < cases.size(); c += step) {
      Kernel shared = cases[c].kernel;
      MakeWorkgroups(shared, kInvocations);
      const auto code = CompileToSpirv(shared, (*device)->target());
      if (absl::IsUnimplemented(code.status())) {
        without_code.push_back(cases[c].name + (lowest_profile ? " (lowest)" : ""));
        continue;
      }
      ASSERT_TRUE(code.ok()) << cases[c].name << ": " << code.status();
      Compare(**device, *code, cases[c], c);
    }
  }
  std::printf("without code: %s\n", absl::StrJoin(without_code, ", ").c_str());
}

TEST(ElementwiseSpirv, RowsOfTheTable) { Check(RowCases(), 3); }
TEST(ElementwiseSpirv, Conversions) { Check(ConvertCases(), 7); }
TEST(ElementwiseSpirv, StochasticConversions) { Check(StochasticConvertCases(), 9); }
TEST(ElementwiseSpirv, ComparisonsAndSelections) { Check(CompareAndSelectCases(), 5); }
TEST(ElementwiseSpirv, Bounds) { Check(BoundAndMultiplyAddCases(), 3); }

}  // namespace
}  // namespace vulkan
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) xla::vulkan::check_all = xla::vulkan::check_all || std::string(argv[i]) == "--all";
  return RUN_ALL_TESTS();
}
