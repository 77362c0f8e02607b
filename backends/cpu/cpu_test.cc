// What is the CPU backend's own: memory that is planned, used in place and kept; settings; what it says of itself.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

// Writes x[i] = i, one element in each iteration.
constexpr char kFillByLoop[] = R"(HloModule fill
body {
  p = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[1000] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f = f32[] convert(i)
  update = f32[1] reshape(f)
  filled = f32[1000] dynamic-update-slice(x, update, i)
  ROOT t = (s32[], f32[1000]) tuple(next, filled)
}
cond {
  p = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(1000)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[1000] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[1000]) tuple(zero, x)
  w = (s32[], f32[1000]) while(t), condition=cond, body=body
  ROOT r = f32[1000] get-tuple-element(w), index=1
})";

TEST(CpuMemory, LoopStateStaysInOnePlace) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFillByLoop);
  const std::vector<float> filled = Floats(OrDie(ExecuteOnLiterals(*program, {Ones(1000)})));
  EXPECT_EQ(filled[0], 0);
  EXPECT_EQ(filled[999], 999);
  // The array is the result's from the first iteration on.
  EXPECT_LT(program->memory_need().temporary_bytes, 4000);
}

TEST(CpuMemory, ScratchOfEachThreadIsCounted) {
  const auto program = CompileText(*MakeClient(), R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e { x = f32[100,1000] parameter(0) ROOT s = f32[100,1000] sort(x), dimensions={1}, to_apply=less })");
  EXPECT_GE(program->memory_need().temporary_bytes, 4000);
}

TEST(CpuMemory, DonatedArgumentBecomesTheResult) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[1000] parameter(0) ROOT y = f32[1000] negate(x) })");
  const auto x = OrDie(client->BufferFromLiteral(Ones(1000)));
  const void* const memory = OrDie(x->AcquireExternalReference())->data();
  const BufferList results = OrDie(program->Execute({x.get()}));
  EXPECT_EQ(OrDie(results[0]->AcquireExternalReference())->data(), memory);
  EXPECT_EQ(Floats(*results[0])[999], -1);
  EXPECT_EQ(program->memory_need().alias_bytes, 4000);
}

TEST(CpuMemory, ArenaIsKeptForTheNextRun) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[100] parameter(0) s = f32[100] sort(x), dimensions={0}, to_apply={
    a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
  r = f32[100] reverse(s), dimensions={0}
  ROOT t = f32[100] sort(r), dimensions={0}, to_apply={
    a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=GT } })");
  const Device& device = client->default_device();
  const auto run = [&] { OrDie(ExecuteOnLiterals(*program, {Ones(100)})); };
  run();
  const int64_t kept = device.memory().bytes_in_use;
  run();
  EXPECT_EQ(device.memory().bytes_in_use, kept);
}

TEST(CpuMemory, BorrowedMemoryMayLieAnywhere) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[37] parameter(0) ROOT y = f32[37] add(x, x) })");
  const std::vector<float> memory(64, 3);
  for (int offset = 0; offset < 16; ++offset) {
    const auto x =
        OrDie(client->BufferFromHost(memory.data() + offset, Shape::Array(F32, {37}), HostMemoryUse::kBorrow));
    EXPECT_EQ(Floats(*OrDie(program->Execute({x.get()}))[0]), std::vector<float>(37, 6));
  }
}

TEST(CpuPrograms, ParametersAndResultsMayHaveAnyLayout) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[3,2]{0,1}}
ENTRY e { x = f32[2,3]{0,1} parameter(0) b = f32[3,2]{1,0} bitcast(x) ROOT y = f32[3,2]{0,1} copy(b) })");
  const Literal x = Literal::FromValues<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Floats(OrDie(ExecuteOnLiterals(*program, {x}))), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(CpuPrograms, TheDeviceHasNumberZero) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { r = u32[] replica-id() p = u32[] partition-id() s = u32[] add(r, p) x = u32[4] parameter(0)
  b = u32[4] broadcast(s), dimensions={} ROOT y = u32[4] add(x, b) })");
  EXPECT_TRUE(program->report().fallbacks.empty());
  const Literal x = Literal::FromValues<uint32_t>({4}, std::vector<uint32_t>{1, 2, 3, 4});
  const auto y = OrDie(ExecuteOnLiterals(*program, {x}));
  EXPECT_THAT(std::vector<uint32_t>(y.span<uint32_t>().begin(), y.span<uint32_t>().end()), ElementsAre(1, 2, 3, 4));
}

TEST(CpuPrograms, PartsOfSixBitsAreEvaluated) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { i = s32[3] parameter(0) x = f6e2m3fn[3] convert(i) b = s1[3,6] bitcast-convert(x)
  ROOT r = s32[3,6] convert(b) })");
  const Literal got = OrDie(ExecuteOnLiterals(*program, {Literal::Vector<int32_t>({0, 1, -1})}));
  // 1 is 0 01 000, -1 is 1 01 000; element 0 has the lowest bit.
  const auto bits = got.span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(bits.begin(), bits.end()),
            (std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, -1, 0, -1}));
}

TEST(CpuPrograms, BranchBeyondTheLastIsTheLast) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
a { x = f32[] parameter(0) ROOT r = f32[] sine(x) }
b { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
c { x = f32[] parameter(0) t = token[] after-all() i = (f32[], token[]) infeed(t) ROOT r = f32[] get-tuple-element(i), index=0 }
ENTRY e { i = s32[] parameter(0) x = f32[] parameter(1)
  ROOT r = f32[] conditional(i, x, x, x), branch_computations={a, c, b} })");
  for (const int32_t index : {2, 3, -1, 1000}) {
    const Literal result = OrDie(ExecuteOnLiterals(*program, {Literal::Scalar(index), Literal::Scalar(5.0f)}));
    EXPECT_EQ(*result.data<float>(), -5.0f);
  }
}

// Every level is a loop of one iteration in the body of another.
TEST(CpuPrograms, LoopsNestDeeply) {
  constexpr int kLevels = 40;
  std::string text = "HloModule m\n";
  for (int level = 0; level < kLevels; ++level) {
    const std::string inner =
        level == 0 ? "y = f32[] add(x, x)"
                   : absl::StrCat("u = (s32[], f32[]) tuple(zero, x) w = (s32[], f32[]) while(u), condition=c",
                                  level - 1, ", body=b", level - 1, " y = f32[] get-tuple-element(w), index=1");
    absl::StrAppend(&text, "b", level, " { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 ",
                    "x = f32[] get-tuple-element(p), index=1 zero = s32[] constant(0) one = s32[] constant(1) ",
                    "j = s32[] add(i, one) ", inner, " ROOT t = (s32[], f32[]) tuple(j, y) }\n", "c", level,
                    " { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(1) ",
                    "ROOT l = pred[] compare(i, n), direction=LT }\n");
  }
  absl::StrAppend(&text, "ENTRY e { x = f32[] parameter(0) zero = s32[] constant(0) t = (s32[], f32[]) tuple(zero, x) ",
                  "w = (s32[], f32[]) while(t), condition=c", kLevels - 1, ", body=b", kLevels - 1,
                  " ROOT r = f32[] get-tuple-element(w), index=1 }");
  const auto client = MakeClient();
  const auto program = CompileText(*client, text);
  EXPECT_EQ(*OrDie(ExecuteOnLiterals(*program, {Literal::Scalar(3.0f)})).data<float>(), 6.0f);
}

// As many steps as thunks, of which each may be of several instructions.
size_t StepsOf(const std::string& text) { return CompileText(*MakeClient(), text)->planned_steps().size(); }

TEST(CpuPrograms, SmallInstructionsAreOneStep) {
  EXPECT_EQ(StepsOf(R"(HloModule slices
ENTRY e {
  x = f32[100000] parameter(0)
  a = f32[1] slice(x), slice={[7:8]}
  b = f32[2] slice(x), slice={[70:74:2]}
  c = f32[3] slice(x), slice={[700:703]}
  ROOT t = tuple(a, b, c)
})"),
            1);
}

// They are equal, and one function of the code of all would take longer to compile.
TEST(CpuPrograms, SmallInstructionsOfMuchCodeAreSeveralSteps) {
  std::string text = "HloModule sines\nENTRY e {\n v0 = f32[8] parameter(0)\n";
  constexpr int kCount = 256;
  for (int i = 1; i <= kCount; ++i) {
    absl::StrAppend(&text, i == kCount ? " ROOT " : " ", "v", i, " = f32[8] sine(v", i - 1, ")\n");
  }
  EXPECT_GT(StepsOf(text + "}\n"), 1);
}

TEST(CpuPrograms, RefuseConstantsWithoutValues) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[1000] parameter(0) c = f32[1000] constant({...}) ROOT y = f32[1000] add(x, c) })");
  const auto result = ExecuteOnLiterals(*program, {Ones(1000)});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("was left out when the module was printed"));
}

TEST(CpuWeights, WhatIsMadeOfThemIsKeptUntilTheyChange) {
  const auto client = MakeClient();
  CompileOptions options;
  options.weights = {1};
  const auto program = OrDie(client->Compile(OrDie(ParseHloModule(R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  w = f32[4,8] parameter(1)
  l = f32[4,8] log(w)
  ROOT y = f32[4,8] dot(x, l), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})")),
                                             options));
  const auto x = OrDie(client->BufferFromLiteral(Literal::FromValues<float>({4, 4}, std::vector<float>(16, 1))));
  const Shape shape = Shape::Array(F32, {4, 8});
  std::vector<float> memory(32, 1.0f), other(32, 2.0f);
  const auto run = [&](Buffer& w) { return Floats(*OrDie(program->Execute({x.get(), &w}))[0]); };
  const auto w = OrDie(client->BufferFromHost(memory.data(), shape, HostMemoryUse::kBorrow));
  EXPECT_THAT(run(*w), Each(0));
  const auto changed = OrDie(client->BufferFromHost(other.data(), shape, HostMemoryUse::kBorrow));
  EXPECT_THAT(run(*changed), Each(FloatNear(4 * std::log(2.0f), 1e-5f)));
  // Against the rules: it shows that nothing looks at the weight again.
  std::fill(memory.begin(), memory.end(), 2.0f);
  EXPECT_THAT(run(*w), Each(0));
  const auto copy = OrDie(client->BufferFromHost(memory.data(), shape, HostMemoryUse::kCopyNow));
  EXPECT_THAT(run(*copy), Each(FloatNear(4 * std::log(2.0f), 1e-5f)));
}

// The value that it sends is the one that is kept, in its place.
TEST(CpuWeights, WhatIsMadeOfThemIsSentInEveryRun) {
  const auto client = MakeClient();
  CompileOptions options;
  options.weights = {0};
  const auto program = OrDie(client->Compile(OrDie(ParseHloModule(R"(HloModule m
ENTRY e {
  w = f32[8] parameter(0)
  l = f32[8] log(w)
  t = token[] after-all()
  s = (f32[8], u32[], token[]) send(l, t), channel_id=1
  sent = token[] send-done(s), channel_id=1
  r = (f32[8], u32[], token[]) recv(sent), channel_id=1
  received = (f32[8], token[]) recv-done(r), channel_id=1
  ROOT y = f32[8] get-tuple-element(received), index=0
})")),
                                             options));
  const auto w = OrDie(client->BufferFromLiteral(Ones(8)));
  for (int run = 0; run < 3; ++run) EXPECT_THAT(Floats(*OrDie(program->Execute({w.get()}))[0]), Each(0)) << run;
}

// Too large to be folded, which leaves it to the first run.
TEST(CpuWeights, WhatIsMadeOfConstantsIsKept) {
  constexpr int64_t kRows = 600, kColumns = 700;
  std::string rows;
  for (int64_t r = 0; r < kRows; ++r) {
    absl::StrAppend(&rows, r == 0 ? "{" : ",{");
    for (int64_t c = 0; c < kColumns; ++c) absl::StrAppend(&rows, c == 0 ? "" : ",", (r * 3 + c * 5) % 7);
    absl::StrAppend(&rows, "}");
  }
  const auto client = MakeClient(2);
  const auto program = OrDie(client->Compile(OrDie(ParseHloModule(absl::StrCat(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[] parameter(0)
  c = f32[600,700] constant({)",
                                                                               rows, R"(})
  t = f32[700,600] transpose(c), dimensions={1,0}
  s = f32[700,600] sort(t), dimensions={1}, to_apply=less
  xs = f32[700,600] broadcast(x), dimensions={}
  ROOT y = f32[700,600] add(s, xs)
})"))),
                                             CompileOptions()));
  for (const float x : {0.0f, 10.0f}) {
    const std::vector<float> y = Floats(OrDie(ExecuteOnLiterals(*program, {Literal::FromValues<float>({}, {x})})));
    EXPECT_EQ(y[0], x);
    EXPECT_EQ(y[599], x + 6);
    EXPECT_TRUE(std::is_sorted(y.begin(), y.begin() + 600));
  }
}

TEST(CpuCompile, RefusesWrongOptions) {
  const auto client = MakeClient(2);
  const auto error = [&](const CompileOptions& options) {
    return client->Compile(OrDie(ParseHloModule(kAdd)), options).status();
  };
  CompileOptions options;
  options.weights = {0, 2};
  EXPECT_EQ(error(options),
            absl::InvalidArgumentError("add: CompileOptions::weights names parameter 2, the program has 2 parameters"));
}

// ---- Serialised executables

constexpr char kTwoKernels[] = R"(HloModule two
ENTRY e { x = f32[100] parameter(0) t = f32[100] tanh(x) r = f32[100] reverse(t), dimensions={0}
  s = f32[100] sort(r), dimensions={0}, to_apply={
    a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
  ROOT y = f32[100] exponential(s) })";

std::string NotesOf(const Executable& executable) {
  std::string notes;
  for (const std::string& note : executable.report().notes) absl::StrAppend(&notes, note, "\n");
  return notes;
}

// Whether the kernels were loaded, not compiled.
bool LoadsItsCode(const Executable& executable) {
  for (const auto& [stage, time] : executable.report().stages) {
    if (stage == "of which loading kernels") return true;
  }
  return false;
}

TEST(CpuSerialized, ComesWithItsCode) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kTwoKernels);
  const std::string bytes = OrDie(program->Serialize());
  EXPECT_THAT(bytes, HasSubstr("\x7f"
                               "ELF"));
  const auto other_client = MakeClient();
  const auto loaded = OrDie(other_client->Deserialize(bytes));
  EXPECT_EQ(NotesOf(*loaded), "");
  EXPECT_FALSE(LoadsItsCode(*program));
  EXPECT_TRUE(LoadsItsCode(*loaded));
  EXPECT_EQ(loaded->fingerprint(), program->fingerprint());
  EXPECT_EQ(OrDie(loaded->Serialize()), bytes);
  EXPECT_EQ(Floats(OrDie(ExecuteOnLiterals(*loaded, {Ones(100)}))),
            Floats(OrDie(ExecuteOnLiterals(*program, {Ones(100)}))));
}

TEST(CpuSerialized, KeepsTheOptionsOfItsCode) {
  const auto client = MakeClient();
  CompileOptions options;
  options.optimization_level = 0;
  options.fast_math = true;
  options.weights = {0};
  const std::string bytes = OrDie(CompileText(*client, kTwoKernels, options)->Serialize());
  const auto loaded = OrDie(client->Deserialize(bytes));
  EXPECT_EQ(NotesOf(*loaded), "");
  EXPECT_TRUE(LoadsItsCode(*loaded));
  EXPECT_EQ(OrDie(loaded->Serialize()), bytes);
}

TEST(CpuSerialized, DamagedCodeIsMadeAgain) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kTwoKernels);
  const std::string bytes = OrDie(program->Serialize());
  const size_t object = bytes.find(
      "\x7f"
      "ELF");
  ASSERT_NE(object, std::string::npos);
  std::string damaged = bytes;
  damaged[object + 100] ^= 1;
  const auto loaded = OrDie(client->Deserialize(damaged));
  EXPECT_EQ(NotesOf(*loaded),
            "the code of the executable is damaged (its checksum is wrong), the program was compiled again with the "
            "options given now\n");
  EXPECT_EQ(Floats(OrDie(ExecuteOnLiterals(*loaded, {Ones(100)}))),
            Floats(OrDie(ExecuteOnLiterals(*program, {Ones(100)}))));
}

// Wherever the bytes end.
TEST(CpuSerialized, SurvivesDamageAnywhere) {
  const auto client = MakeClient();
  const std::string bytes = OrDie(CompileText(*client, kAdd)->Serialize());
  EXPECT_EQ(client->Deserialize("halo executable, cpu 2, 1 x 1, 99999999\nabc").status(),
            absl::InvalidArgumentError(
                "damaged executable: it ends within its code, which takes 99999999 bytes, of which 3 are there"));
  EXPECT_FALSE(client->Deserialize("halo executable, cpu 2, 1 x 1, -5\nabc").ok());
  EXPECT_FALSE(client->Deserialize("halo executable, cpu 1, 1 x 1\nabc").ok());
  for (size_t end = 0; end < bytes.size(); end += 97) {
    const auto loaded = client->Deserialize(bytes.substr(0, end));
    EXPECT_TRUE(loaded.ok() || absl::IsInvalidArgument(loaded.status())) << end;
  }
}

TEST(CpuSerialized, CodeOfAnotherProgramIsNotTaken) {
  const auto client = MakeClient();
  const std::string one = OrDie(CompileText(*client, R"(HloModule a
ENTRY e { x = f32[64] parameter(0) ROOT y = f32[64] negate(x) })")
                                    ->Serialize());
  const std::string other = OrDie(CompileText(*client, R"(HloModule a
ENTRY e { x = f32[64] parameter(0) ROOT y = f32[64] cosine(x) })")
                                      ->Serialize());
  // The header and the code of one, the module of the other.
  const auto split = [](const std::string& bytes) {
    const size_t begin = bytes.find('\n') + 1;
    const size_t comma = bytes.rfind(", ", begin) + 2;
    return begin + static_cast<size_t>(std::stoll(bytes.substr(comma, begin - 1 - comma)));
  };
  const auto loaded = OrDie(client->Deserialize(one.substr(0, split(one)) + other.substr(split(other))));
  EXPECT_EQ(NotesOf(*loaded),
            "the code of the executable is for another processor or version, the program was compiled again\n");
  const Literal zeros = Literal::FromValues<float>({64}, std::vector<float>(64, 0));
  EXPECT_EQ(Floats(OrDie(ExecuteOnLiterals(*loaded, {zeros})))[0], 1);
}

// ---- Clients

TEST(CpuClient, UsesThreadsOfTheCaller) {
  ClientOptions options;
  options.thread_pool = std::make_shared<ThreadPool>(2);
  const auto client = OrDie(GetClient("cpu", options));
  const auto program = CompileText(*client, kAdd);
  EXPECT_EQ(*OrDie(ExecuteOnLiterals(*program, {Literal::Scalar(1.0f), Literal::Scalar(2.0f)})).data<float>(), 3.0f);
}

}  // namespace
}  // namespace xla
