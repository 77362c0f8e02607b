// What expand-elementwise writes gives the bits of the operation itself: for every element of types of up to 16 bits,
// and for a sweep over the wider ones that is dense where functions bend. What it cannot write so, it leaves alone.
#include "passes/expanding/expand_elementwise.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/check/check_inputs.h"
#include "passes/check/compare_runs.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Wider types get this many elements.
constexpr int64_t kSweep = 1 << 17;

// The bytes of an element: its value for whole numbers, its bits for floats.
void Append(PrimitiveType type, uint64_t bits, std::string* bytes) {
  if (IsSignedInt(type) && BitWidth(type) < 8) {  // stored with their sign
    const int unused = 8 - BitWidth(type);
    bits = static_cast<uint8_t>(static_cast<int8_t>(static_cast<uint8_t>(bits << unused)) >> unused);
  }
  bytes->append(reinterpret_cast<const char*>(&bits), ByteWidth(type));
}

template <typename T>
uint64_t BitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

// Elements of `type`, the edges among them.
Literal Sweep(PrimitiveType type) {
  const Literal edges = *EdgeValues(type, /*huge=*/true);
  std::string bytes(edges.data<char>(), edges.size_bytes());
  if (type == PRED) {
    bytes.append({0, 1});
  } else if (BitWidth(type) <= 16) {
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) Append(type, bits, &bytes);
  } else if (!IsComplex(type)) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> ordinary(-8, 8);
    for (int64_t i = 0; i < kSweep / 2; ++i) {
      Append(type, random(), &bytes);
      const double x = ordinary(random);
      Append(type, type == F64 ? BitsOf(x) : type == F32 ? BitsOf(static_cast<float>(x)) : random() % 100 - 50, &bytes);
    }
  }
  Literal literal =
      *Literal::Allocate(Shape::Array(type, {static_cast<int64_t>(bytes.size()) / ByteWidth(type)}));
  std::memcpy(literal.untyped_mutable_data(), bytes.data(), bytes.size());
  return literal;
}

// The elements in another order, so that each meets others on the other sides of an operation.
Literal Shuffled(const Literal& values, uint64_t seed) {
  const int64_t width = ByteWidth(values.shape().element_type());
  std::vector<int64_t> order(values.element_count());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  Literal shuffled = *Literal::Allocate(values.shape());
  auto* const to = static_cast<char*>(shuffled.untyped_mutable_data());
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(to + i * width, static_cast<const char*>(values.untyped_data()) + order[i] * width, width);
  }
  return shuffled;
}

// Whether the pass has nothing exact for it.
bool IsLeftAlone(HloOpcode opcode, PrimitiveType type) {
  if (IsComplex(type)) return true;
  if (opcode == HloOpcode::kErf || opcode == HloOpcode::kTan) return type == F64;
  return opcode == HloOpcode::kMulhi && BitWidth(type) > 32;
}

class ExpandElementwiseTest : public ::testing::TestWithParam<HloOpcode> {};

TEST_P(ExpandElementwiseTest, KeepsEveryBit) {
  const HloOpcode opcode = GetParam();
  const std::string name(HloOpcodeName(opcode));
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!IsArrayType(type)) continue;
    if (row != nullptr && (row->classes & ElementClassOf(type)) == 0) continue;
    if (row == nullptr && IsComplex(type)) continue;  // clamp compares
    const int arity = row == nullptr ? 3 : row->arity;
    std::vector<Literal> arguments = {Sweep(type)};
    while (static_cast<int>(arguments.size()) < arity) arguments.push_back(Shuffled(arguments[0], arguments.size()));
    const std::string shape = arguments[0].shape().WithoutLayout().ToString();
    const bool is_predicate = opcode == HloOpcode::kIsFinite;
    std::string text = "HloModule m\nENTRY e {\n", operands;
    for (int k = 0; k < arity; ++k) {
      absl::StrAppend(&text, "  p", k, " = ", shape, " parameter(", k, ")\n");
      absl::StrAppend(&operands, k == 0 ? "" : ", ", "p", k);
    }
    absl::StrAppend(&text, "  ROOT r = ", is_predicate ? absl::StrCat("pred", shape.substr(shape.find('['))) : shape, " ",
                    name, "(", operands, ")\n}\n");
    SCOPED_TRACE(text);
    const std::unique_ptr<HloModule> before = *ParseHloModule(text);
    ASSERT_EQ(VerifyModule(*before), absl::OkStatus());
    const std::unique_ptr<HloModule> after = CloneModule(*before);
    PassRunnerOptions options;
    options.strict = true;
    PassContext context;
    const auto changed =
        RunPasses(*ParsePasses(absl::StrCat("expand-elementwise:ops=", name)), options, context, *after);
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(*changed, !IsLeftAlone(opcode, type));
    if (!*changed) continue;
    const RunOutcome want = RunForCheck(*before, {arguments}, RunLimits());
    const RunOutcome got = RunForCheck(*after, {arguments}, RunLimits());
    ASSERT_TRUE(want.status.ok()) << want.status;
    ASSERT_TRUE(got.status.ok()) << got.status;
    EXPECT_EQ(DifferenceBetween(got, want, Agreement::kExact), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, ExpandElementwiseTest,
                         ::testing::Values(HloOpcode::kClamp, HloOpcode::kErf, HloOpcode::kIsFinite,
                                           HloOpcode::kLogistic, HloOpcode::kMulhi, HloOpcode::kRoundNearestAfz,
                                           HloOpcode::kRsqrt, HloOpcode::kSign, HloOpcode::kTan),
                         [](const ::testing::TestParamInfo<HloOpcode>& info) {
                           std::string name(HloOpcodeName(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace xla
