#include "xla_core/verifier/verify_layouts.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// What is wrong with the layouts of a module that is right otherwise.
std::string Verify(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(absl::StrCat("HloModule m\n", text));
  if (!module.ok()) return std::string(module.status().message());
  const absl::Status status = VerifyModule(**module);
  return std::string((status.ok() ? VerifyLayouts(**module) : status).message());
}

TEST(VerifyLayouts, AcceptsWhatMayChangeTheLayout) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = f32[2,3]{0,1} parameter(0)
      c = f32[2,3]{1,0} copy(p)
      t = f32[3,2]{1,0} transpose(p), dimensions={1,0}
      b = f32[3,2]{1,0} bitcast(p)
      r = f32[6]{0} reshape(p)
      s = f32[3,2]{1,0} add(t, b)
      call = f32[3,2]{0,1} custom-call(c, s), custom_call_target="any"
      ROOT all = (f32[6]{0}, f32[3,2]{0,1}) tuple(r, call)
    })"),
            "");
}

TEST(VerifyLayouts, TakesAMissingLayoutForRowMajorAndHeedsTheOrderOnly) {
  ParseOptions options;
  options.fill_missing_layouts = false;
  const auto module = ParseHloModule(R"(HloModule m
    ENTRY e {
      p = s4[2,3] parameter(0)
      q = s4[2,3]{1,0:E(4)S(1)} negate(p)
      ROOT r = s4[2,3]{1,0:T(8)} negate(q)
    })",
                                     options);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyLayouts(**module).ok()) << VerifyLayouts(**module);
}

TEST(VerifyLayouts, ComparesTheEntryWithItsLayout) {
  EXPECT_EQ(Verify(R"(, entry_computation_layout={(f32[2,3]{0,1})->(f32[2,3]{0,1})}
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      ROOT t = (f32[2,3]{1,0}) tuple(p)
    })"),
            "entry_computation_layout says that parameter 0 is f32[2,3]{0,1}, but p is f32[2,3]{1,0}\n"
            "entry_computation_layout says that the result is (f32[2,3]{0,1}), but the root t is (f32[2,3]{1,0})");
}

TEST(VerifyLayouts, ComparesElementwiseOperations) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      q = f32[2,3]{0,1} parameter(1)
      c = pred[] constant(true)
      s = f32[2,3]{0,1} select(c, q, q)
      ROOT a = f32[2,3]{1,0} add(p, s)
    })"),
            "computation e: a = f32[2,3] add(f32[2,3] p, f32[2,3] s): expected operand 1 in the layout of the result, "
            "f32[2,3]{1,0}, got f32[2,3]{0,1}");
}

TEST(VerifyLayouts, ComparesTuplesAndTheirElements) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = f32[2,3]{0,1} parameter(0)
      t = (f32[2,3]{0,1}, f32[2,3]{1,0}) tuple(p, p)
      ROOT g = f32[2,3]{1,0} get-tuple-element(t), index=0
    })"),
            "computation e: t = (f32[2,3], f32[2,3]) tuple(f32[2,3] p, f32[2,3] p): expected element 1 in the layout "
            "of p, f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
            "computation e: g = f32[2,3] get-tuple-element((f32[2,3], f32[2,3]) t): expected the result in the layout "
            "of element 0 of the operand, f32[2,3]{0,1}, got f32[2,3]{1,0}");
}

TEST(VerifyLayouts, ComparesWhatPassesAValueOn) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = (f32[2,3]{0,1}, s32[]) parameter(0)
      ROOT b = (f32[2,3]{1,0}, s32[]) opt-barrier(p)
    })"),
            "computation e: b = (f32[2,3], s32[]) opt-barrier((f32[2,3], s32[]) p): expected the result in the layout "
            "of operand 0, (f32[2,3]{0,1}, s32[]), got (f32[2,3]{1,0}, s32[])");
}

TEST(VerifyLayouts, ComparesUpdatesWithWhatTheyUpdate) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = f32[2,3]{0,1} parameter(0)
      u = f32[1,3]{1,0} parameter(1)
      i = s32[] parameter(2)
      ROOT d = f32[2,3]{1,0} dynamic-update-slice(p, u, i, i)
    })"),
            "computation e: d = f32[2,3] dynamic-update-slice(f32[2,3] p, f32[1,3] u, s32[] i, s32[] i): expected the "
            "result in the layout of operand 0, which it updates, f32[2,3]{0,1}, got f32[2,3]{1,0}");
}

TEST(VerifyLayouts, ComparesCustomCallsWithTheirConstraints) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      ROOT c = f32[2,3]{1,0} custom-call(p), custom_call_target="any", operand_layout_constraints={f32[2,3]{0,1}}
    })"),
            "computation e: c = f32[2,3] custom-call(f32[2,3] p): expected operand 0 in the layout of "
            "operand_layout_constraints, f32[2,3]{0,1}, got f32[2,3]{1,0}");
}

TEST(VerifyLayouts, ComparesFusionsAndCallsWithTheirComputations) {
  EXPECT_EQ(
      Verify(R"(
    fused { fp = f32[2,3]{0,1} parameter(0)  ROOT fr = f32[2,3]{0,1} negate(fp) }
    called { cp = f32[2,3]{1,0} parameter(0)  ROOT cr = f32[2,3]{1,0} negate(cp) }
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      f = f32[2,3]{0,1} fusion(p), kind=kLoop, calls=fused
      ROOT c = f32[2,3]{0,1} call(p), to_apply=called
    })"),
      "computation e: f = f32[2,3] fusion(f32[2,3] p): expected operand 0 in the layout of parameter fp of fused, "
      "f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
      "computation e: c = f32[2,3] call(f32[2,3] p): expected the result in the layout of the root cr of called, "
      "f32[2,3]{1,0}, got f32[2,3]{0,1}");
}

TEST(VerifyLayouts, ComparesLoopsWithTheirComputations) {
  EXPECT_EQ(Verify(R"(
    again { ap = f32[2,3]{0,1} parameter(0)  ROOT no = pred[] constant(false) }
    body { bp = f32[2,3]{1,0} parameter(0)  ROOT br = f32[2,3]{0,1} copy(bp) }
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      ROOT w = f32[2,3]{1,0} while(p), condition=again, body=body
    })"),
            "computation e: w = f32[2,3] while(f32[2,3] p): expected operand 0 in the layout of parameter ap of again, "
            "f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
            "computation e: w = f32[2,3] while(f32[2,3] p): expected the result in the layout of the root br of body, "
            "f32[2,3]{0,1}, got f32[2,3]{1,0}");
  EXPECT_EQ(Verify(R"(
    again { ap = f32[2,3]{1,0} parameter(0)  ROOT no = pred[] constant(false) }
    body { bp = f32[2,3]{1,0} parameter(0)  ROOT br = f32[2,3]{0,1} copy(bp) }
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      ROOT w = f32[2,3]{0,1} while(p), condition=again, body=body
    })"),
            "computation e: w = f32[2,3] while(f32[2,3] p): expected the result in the layout of the operand, "
            "f32[2,3]{1,0}, got f32[2,3]{0,1}");
}

TEST(VerifyLayouts, ComparesBranches) {
  EXPECT_EQ(
      Verify(R"(
    one { op = f32[2,3]{1,0} parameter(0)  ROOT nr = f32[2,3]{1,0} negate(op) }
    two { tp = f32[2,3]{0,1} parameter(0)  ROOT tr = f32[2,3]{0,1} negate(tp) }
    ENTRY e {
      i = s32[] parameter(0)
      p = f32[2,3]{1,0} parameter(1)
      ROOT c = f32[2,3]{1,0} conditional(i, p, p), branch_computations={one, two}
    })"),
      "computation e: c = f32[2,3] conditional(s32[] i, f32[2,3] p, f32[2,3] p): expected operand 2 in the layout "
      "of parameter tp of two, f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
      "computation e: c = f32[2,3] conditional(s32[] i, f32[2,3] p, f32[2,3] p): expected the result in the "
      "layout of the root tr of two, f32[2,3]{0,1}, got f32[2,3]{1,0}");
}

TEST(VerifyLayouts, ComparesAsynchronousOperations) {
  EXPECT_EQ(
      Verify(R"(
    wrapped { wp = f32[2,3]{0,1} parameter(0)  ROOT wr = f32[2,3]{0,1} negate(wp) }
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      s = ((f32[2,3]{1,0}), f32[2,3]{1,0}, s32[]) async-start(p), calls=wrapped
      ROOT d = f32[2,3]{0,1} async-done(s)
    })"),
      "computation e: s = ((f32[2,3]), f32[2,3], s32[]) async-start(f32[2,3] p): expected operand 0 in the layout "
      "of parameter wp of wrapped, f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
      "computation e: s = ((f32[2,3]), f32[2,3], s32[]) async-start(f32[2,3] p): expected element 1 in the layout "
      "of the root wr of wrapped, f32[2,3]{0,1}, got f32[2,3]{1,0}\n"
      "computation e: d = f32[2,3] async-done(((f32[2,3]), f32[2,3], s32[]) s): expected the result in the layout "
      "of element 1 of the operand, f32[2,3]{1,0}, got f32[2,3]{0,1}");
}

TEST(VerifyLayouts, LeavesWhatUsersWroteForOthersAlone) {
  EXPECT_EQ(Verify(R"(
    inner { ip = f32[2,3]{1,0} parameter(0)  ROOT ir = f32[2,3]{0,1} negate(ip) }
    fused { fp = f32[2,3]{1,0} parameter(0)  ROOT fr = f32[2,3]{1,0} call(fp), to_apply=inner }
    ENTRY e {
      p = f32[2,3]{1,0} parameter(0)
      ROOT f = f32[2,3]{1,0} fusion(p), kind=kCustom, calls=fused
    })"),
            "");
}

// That a bitcast keeps its bytes, the other verifier sees, for it is what a bitcast means.
TEST(VerifyLayouts, BitcastsKeepTheirBytes) {
  EXPECT_EQ(Verify(R"(
    ENTRY e {
      p = s4[6]{0:E(4)} parameter(0)
      ROOT b = s4[6]{0} bitcast(p)
    })"),
            "computation e: b = s4[6] bitcast(s4[6] p): operand and result of a bitcast must take the same number of "
            "bytes: operand s4[6]{0:E(4)} takes 3, result s4[6]{0} takes 6");
}

}  // namespace
}  // namespace xla
