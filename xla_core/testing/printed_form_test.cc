#include "xla_core/testing/printed_form.h"

#include <memory>

#include "gmock/gmock.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using testing::HasSubstr;

// Something of each kind that an instruction has besides its operands: options of a call that the verifier asks for,
// the length of a loop, an order, a sharding, an accuracy, attributes of a frontend.
constexpr char kEverything[] = R"(HloModule m, num_partitions=2
condition { s = (s32[], f32[2,2]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[2,2]) parameter(0)  i = s32[] get-tuple-element(s), index=0  one = s32[] constant(1)
  next = s32[] add(i, one)  x = f32[2,2] get-tuple-element(s), index=1
  ROOT t = (s32[], f32[2,2]) tuple(next, x) }
ENTRY e {
  p = f32[2,2] parameter(0), sharding={devices=[2,1]<=[2]}
  first = u64[2] rng-get-and-update-state(), delta=9
  second = u64[2] rng-get-and-update-state(), delta=9, control-predecessors={first}
  svd = (f32[2,2], f32[2], s32[]) custom-call(p), custom_call_target="lapack_ssyevd_ffi",
    api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : ui8, uplo = 76 : ui8}
  vectors = f32[2,2] get-tuple-element(svd), index=0, frontend_attributes={a="1"}
  bent = f32[2,2] tanh(vectors), result_accuracy={mode=highest}
  zero = s32[] constant(0)
  s = (s32[], f32[2,2]) tuple(zero, bent)
  loop = (s32[], f32[2,2]) while(s), condition=condition, body=body, backend_config={"known_trip_count":{"n":"3"}}
  ROOT t = ((s32[], f32[2,2]), u64[2]) tuple(loop, second)
})";

std::unique_ptr<HloModule> Everything() {
  auto module = ParseHloModule(kEverything);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

std::string MessageFor(const PrintOptions& options) {
  return std::string(CheckPrintedForm(*Everything(), options).message());
}

TEST(PrintedForm, EachFormIsTheWholeProgram) {
  for (const PrintOptions& form : {PrintOptions::Long(), PrintOptions::Short(), PrintOptions::Canonical()}) {
    EXPECT_EQ(MessageFor(form), "");
  }
}

TEST(PrintedForm, SaysWhatIsMissing) {
  PrintOptions options;
  options.control_predecessors = false;
  EXPECT_THAT(MessageFor(options), HasSubstr("another program once printed: in e: only the first waits for first"));
  options = PrintOptions();
  options.backend_config = false;
  EXPECT_THAT(MessageFor(options), HasSubstr("is not valid any more once printed"));
}

}  // namespace
}  // namespace xla
