// What is written is read back as the same: models as models, programs as models that compute the same.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/model/session.h"
#include "builders/nnef1/writing/write_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::HasSubstr;

std::string Folder(const std::string& name) { return absl::StrCat(::testing::TempDir(), "/", name); }

std::unique_ptr<HloModule> Parsed(const std::string& body) {
  auto module = ParseHloModule(absl::StrCat(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
or { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] or(a, b) }
ENTRY e {
)",
                                            body, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  return *std::move(module);
}

// The program's results on the interpreter, as leaves, and those of the model that it becomes, written and read.
void ExpectSameResults(const std::string& body, const std::string& name) {
  SCOPED_TRACE(body);
  const std::unique_ptr<HloModule> module = Parsed(body);
  ASSERT_NE(module, nullptr);
  const auto client = GetClient("interpreter");
  ASSERT_TRUE(client.ok());
  std::vector<Literal> inputs;
  for (const HloInstruction* parameter : module->entry()->parameters()) {
    const auto spec = DefaultInputSpec(parameter->shape(), 7 + inputs.size());
    auto input = MakeInput(spec, nullptr, nullptr);
    ASSERT_TRUE(input.ok()) << input.status();
    inputs.push_back(*std::move(input));
  }
  const auto evaluator = Evaluator::Create(*module, EvaluatorOptions());
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  FeedQueues queues;
  auto want = (*evaluator)->Run({inputs}, &queues);
  ASSERT_TRUE(want.ok()) << want.status();
  Literal& result = want->front();
  const std::vector<Literal> wanted = result.IsTuple() ? result.TakeElements() : std::vector<Literal>{result};

  const auto model = ModelFromHlo(*module);
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_TRUE(WriteModel(*model, Folder(name)).ok());
  LoadOptions options;
  options.types = model->types;
  const auto again = LoadModel(Folder(name), options);
  ASSERT_TRUE(again.ok()) << again.status() << WriteFlatDocument(model->graph);
  EXPECT_EQ(WriteFlatDocument(again->graph), WriteFlatDocument(model->graph));
  auto lowered = LowerToHlo(*again, LoweringOptions());
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const auto session = Session::Create(client->get(), *std::move(lowered), CompileOptions());
  ASSERT_TRUE(session.ok()) << session.status();
  const auto got = (*session)->Run(inputs);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Comparison comparison =
        CompareArrays((*got)[i], wanted[i], DefaultTolerance(wanted[i].shape().element_type()));
    EXPECT_TRUE(comparison.matches()) << DescribeComparison("result", comparison, (*got)[i], wanted[i])
                                      << WriteFlatDocument(model->graph);
  }
}

TEST(ModelFromHlo, Elementwise) {
  ExpectSameResults(R"(
    x = f32[2,3] parameter(0)
    y = f32[3] parameter(1)
    b = f32[2,3] broadcast(y), dimensions={1}
    one = f32[] constant(1)
    ones = f32[2,3] broadcast(one), dimensions={}
    s = f32[2,3] add(x, b)
    t = f32[2,3] tanh(s)
    c = pred[2,3] compare(t, ones), direction=LT
    z = f32[2,3] select(c, t, x)
    low = f32[] constant(0.5)
    clamped = f32[2,3] clamp(low, z, one)
    ROOT r = (f32[2,3], pred[2,3], f32[2,3]) tuple(clamped, c, x))",
                    "elementwise");
}

TEST(ModelFromHlo, Shapes) {
  ExpectSameResults(R"(
    x = f32[2,3,4] parameter(0)
    t = f32[4,2,3] transpose(x), dimensions={2,0,1}
    r = f32[4,6] reshape(t)
    s = f32[2,2] slice(r), slice={[0:4:2], [1:6:4]}
    v = f32[2,2] reverse(s), dimensions={1}
    c = f32[2,4] concatenate(s, v), dimensions={1}
    half = f32[] constant(0.5)
    p = f32[3,5] pad(c, half), padding=-1_2x0_1
    ROOT u = f32[5,3,2] broadcast(p), dimensions={1,0})",
                    "shapes");
}

TEST(ModelFromHlo, ReductionsAndWindows) {
  ExpectSameResults(R"(
    x = f32[1,2,6] parameter(0)
    zero = f32[] constant(0)
    low = f32[] constant(-inf)
    s = f32[1,6] reduce(x, zero), dimensions={1}, to_apply=add
    m = f32[] reduce(x, low), dimensions={0,1,2}, to_apply=max
    w = f32[1,2,4] reduce-window(x, low), window={size=1x1x3 stride=1x1x2 pad=0_0x0_0x1_2}, to_apply=max
    b = f32[1,2,5] reduce-window(x, zero), window={size=1x1x2}, to_apply=add
    i = s64[3] iota(), iota_dimension=0
    f = f32[3] convert(i)
    ROOT r = (f32[1,6], f32[], f32[1,2,4], f32[1,2,5], f32[3], s64[3]) tuple(s, m, w, b, f, i))",
                    "reductions");
}

TEST(ModelFromHlo, DotsAndConvolutions) {
  ExpectSameResults(R"(
    a = f32[2,3,4] parameter(0)
    b = f32[2,4,5] parameter(1)
    d = f32[2,3,5] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
    e = f32[3,4,3,4] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
    i = f32[1,5,5,2] parameter(2)
    k = f32[3,2,2,4] parameter(3)
    c = f32[1,3,6,4] convolution(i, k), window={size=3x2 stride=2x1 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
    t = f32[1,11,6,4] convolution(i, k), window={size=3x2 pad=2_2x1_1 lhs_dilate=2x1}, dim_labels=b01f_01io->b01f
    ROOT r = (f32[2,3,5], f32[3,4,3,4], f32[1,3,6,4], f32[1,11,6,4]) tuple(d, e, c, t))",
                    "dots");
}

TEST(ModelFromHlo, NamesAndRepeatedResults) {
  ExpectSameResults(R"(
    for.1 = f32[2] parameter(0)
    large = f32[70] iota(), iota_dimension=0
    in = f32[2] negate(for.1)
    ROOT r = (f32[2], f32[2], f32[70]) tuple(in, in, large))",
                    "names");
}

TEST(ModelFromHlo, RefusesWhatNnefCannotSay) {
  const std::pair<const char*, const char*> cases[] = {
      {"ROOT x = s32[2] parameter(0)", "element types are"},
      {"x = f32[2] parameter(0) y = f64[2] convert(x) ROOT r = f32[2] convert(y)", "all floats have one type"},
      {"x = f32[0] parameter(0) ROOT y = f32[0] negate(x)", "extents are positive"},
      {"x = f32[2] parameter(0) ROOT y = f32[2] cbrt(x)", "there is no such operation"},
      {"ROOT c = f32[] constant(1)", "at least one input"},
      {"x = s64[2] parameter(0) ROOT y = s64[2] add(x, x)", "'add' takes tensor<scalar>"},
  };
  for (const auto& [body, why] : cases) {
    const std::unique_ptr<HloModule> module = Parsed(body);
    ASSERT_NE(module, nullptr);
    const absl::Status status = ModelFromHlo(*module).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << body;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
