// Modules that once took the verifier seconds or minutes: its work is proportional to the text.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Each module takes a second at most; work that grows with the square takes minutes.
constexpr absl::Duration kLimit = absl::Seconds(30);

std::string Verify(const std::string& text) {
  const auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "does not parse";
  const absl::Time start = absl::Now();
  const std::string message(VerifyModule(**module).message());
  EXPECT_LT(absl::Now() - start, kLimit);
  return message;
}

// x0 = f32[1000000], x1 = negate(x0) and so on, each with `annotation`.
std::string Negations(int count, const std::string& annotation) {
  std::string text = "HloModule m\nENTRY e {\n x0 = f32[1000000] parameter(0)\n";
  for (int i = 1; i <= count; ++i) {
    absl::StrAppend(&text, i == count ? " ROOT" : "", " x", i, " = f32[1000000] negate(x", i - 1, "), ", annotation,
                    "\n");
  }
  return absl::StrCat(text, "}\n");
}

TEST(LargeModules, ShardingsOverAMillionDevices) {
  EXPECT_EQ(Verify(Negations(1000, "sharding={devices=[1000000]<=[1000000]}")), "");
  EXPECT_EQ(Verify(Negations(1000, "sharding={devices=[1000,1000]<=[1000,1000]T(1,0) last_tile_dim_replicate}")), "");
}

std::string AllReduces(int count, const std::string& groups) {
  std::string text =
      "HloModule m, replica_count=1000000\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, "
      "b) "
      "}\nENTRY e {\n x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= count; ++i) {
    absl::StrAppend(&text, i == count ? " ROOT" : "", " x", i, " = f32[] all-reduce(x", i - 1,
                    "), replica_groups=", groups, ", to_apply=add\n");
  }
  return absl::StrCat(text, "}\n");
}

TEST(LargeModules, GroupsOfAMillionDevices) {
  for (const char* groups :
       {"[1000000,1]<=[1000000]", "[1000,1000]<=[1000,1000]T(1,0)", "mesh['x'=1000,'y'=1000] {'x'}",
        "mesh['x'=1000,'y'=1000], device_ids=([1000000]) {'y'}", "{}"}) {
    EXPECT_EQ(Verify(AllReduces(1000, groups)), "") << groups;
  }
}

TEST(LargeModules, GroupsOfTooManyDevices) {
  const std::string message = Verify(AllReduces(1000, "[1,999999]<=[999999]"));
  EXPECT_THAT(message,
              StartsWith("computation e: x1 = f32[] all-reduce(f32[] x0): replica_groups must name each of the "
                         "1000000 replicas once, but names 999999\n"));
  EXPECT_THAT(message, EndsWith("\nand 900 more violations"));
}

TEST(LargeModules, AliasesOfManyParameters) {
  constexpr int kCount = 20000;
  std::string aliases, shapes, names, parameters;
  for (int i = 0; i < kCount; ++i) {
    absl::StrAppend(&aliases, i == 0 ? "" : ", ", "{", i, "}: (", i, ", {}, may-alias)");
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", "f32[]");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
    absl::StrAppend(&parameters, " p", i, " = f32[] parameter(", i, ")\n");
  }
  const auto module = [&](const std::string& parts) {
    return absl::StrCat("HloModule m, ", parts, "\nENTRY e {\n", parameters, " ROOT t = (", shapes, ") tuple(", names,
                        ")\n}\n");
  };
  EXPECT_EQ(Verify(module(absl::StrCat("input_output_alias={ ", aliases, " }"))), "");
  // Messages with the shape of all results, of which 100 are written.
  std::string wrong;
  for (int i = 0; i < kCount; ++i) absl::StrAppend(&wrong, i == 0 ? "" : ", ", "{", kCount + i, "}: (", i, ", {})");
  EXPECT_THAT(Verify(module(absl::StrCat("input_output_alias={ ", wrong, " }"))),
              EndsWith(absl::StrCat("\nand ", kCount - 100, " more violations")));
}

TEST(LargeModules, ManyCallsOfALargeComputation) {
  constexpr int kCount = 50000;
  std::string callee = "k {\n p = f32[] parameter(0)\n";
  std::string caller = "ENTRY e {\n x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= kCount; ++i) {
    absl::StrAppend(&callee, " r", i, " = f32[] negate(p)\n");
    absl::StrAppend(&caller, " x", i, " = f32[] call(x", i - 1, "), to_apply=k\n");
  }
  EXPECT_EQ(Verify(absl::StrCat("HloModule m\n", callee, " ROOT r = f32[] negate(p)\n}\n", caller,
                                " ROOT r = f32[] negate(x", kCount, ")\n}\n")),
            "");
}

// Each breaks the rule with each other one.
TEST(LargeModules, ManyFusionsOfOneBody) {
  constexpr int64_t kCount = 30000;
  std::string text =
      "HloModule m\nf {\n p = f32[] parameter(0)\n ROOT r = f32[] negate(p)\n}\nENTRY e {\n"
      " x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= kCount; ++i) {
    absl::StrAppend(&text, i == kCount ? " ROOT" : "", " x", i, " = f32[] fusion(x", i - 1, "), kind=kLoop, calls=f\n");
  }
  const std::string message = Verify(absl::StrCat(text, "}\n"));
  EXPECT_THAT(message,
              StartsWith("computation e: x1 = f32[] fusion(f32[] x0): the fused computation f is also called by "
                         "x2; a fusion needs one of its own\n"));
  EXPECT_THAT(message, EndsWith(absl::StrCat("\nand ", kCount * (kCount - 1) - 100, " more violations")));
}

TEST(LargeModules, ManyInstructionsOfALargeShape) {
  // The last tuple of tuples has 8,192 leaves, which each of the barriers passes on.
  std::string text = "HloModule m\nENTRY e {\n t0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 13; ++i) absl::StrAppend(&text, " t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  auto module = ParseHloModule(absl::StrCat(text, " ROOT r = opt-barrier(t13)\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  HloComputation* const entry = (*module)->entry();
  std::vector<HloInstruction*> barriers;
  for (int i = 0; i < 100000; ++i) {
    barriers.push_back(
        entry->AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kOptBarrier, "", entry->root()->shape())));
    barriers.back()->AddOperand(entry->root()->operand(0));
  }
  const absl::Time start = absl::Now();
  EXPECT_EQ(VerifyModule(**module).message(), "");
  for (HloInstruction* barrier : barriers) {
    Sharding sharding;
    sharding.type = Sharding::Type::kTuple;
    sharding.tuple.resize(1);
    barrier->mutable_annotations().sharding = std::move(sharding);
  }
  const std::string message(VerifyModule(**module).message());
  EXPECT_LT(absl::Now() - start, kLimit);
  EXPECT_THAT(message, HasSubstr("the sharding of a tuple has 1 elements, expected 8192, one for each leaf"));
  EXPECT_THAT(message, EndsWith("\nand 99900 more violations"));
}

TEST(LargeModules, OnePairOfLargeTuplesThatIsAliasedOften) {
  constexpr int kCount = 20000;
  std::string shape = "(f32[]";
  std::string aliases = "{}: (0, {})";
  for (int i = 1; i < kCount; ++i) {
    absl::StrAppend(&shape, ", f32[]");
    absl::StrAppend(&aliases, ", {}: (0, {})");
  }
  absl::StrAppend(&shape, ")");
  EXPECT_EQ(Verify(absl::StrCat("HloModule m\nENTRY e {\n x = ", shape, " parameter(0)\n ROOT c = ", shape,
                                " custom-call(x), custom_call_target=\"f\", output_to_operand_aliasing={", aliases,
                                "}\n}\n")),
            "");
}

TEST(LargeModules, BuffersOfOneCallAskForItsAliasesOnce) {
  constexpr int kCount = 10000;
  std::string text = "HloModule m\nENTRY e {\n";
  std::string buffers;
  std::string shapes;
  std::string aliases;
  for (int i = 0; i < kCount; ++i) {
    absl::StrAppend(&text, " b", i, " = b(f32[2]) parameter(", i, ")\n");
    absl::StrAppend(&buffers, i == 0 ? "" : ", ", "b", i);
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", "b(f32[2])");
    absl::StrAppend(&aliases, i == 0 ? "" : ", ", "{", i, "}: (", i, ", {})");
  }
  EXPECT_EQ(Verify(absl::StrCat(text, " ROOT c = (", shapes, ") custom-call(", buffers,
                                "), custom_call_target=\"f\", output_to_operand_aliasing={", aliases, "}\n}\n")),
            "");
}

}  // namespace
}  // namespace xla
