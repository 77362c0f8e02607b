// For the tests of clients: programs as HLO text, ready to run.
#ifndef BACKENDS_TESTING_TEST_PROGRAMS_H_
#define BACKENDS_TESTING_TEST_PROGRAMS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "gtest/gtest.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {

// x + y on scalars.
inline constexpr char kAdd[] = R"(HloModule add
ENTRY main { x = f32[] parameter(0) y = f32[] parameter(1) ROOT sum = f32[] add(x, y) })";

// x + x on eight elements, in the memory of x if it may be.
inline constexpr char kDouble[] = R"(HloModule double, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main { x = f32[8] parameter(0) ROOT sum = f32[8] add(x, x) })";

// (-x, (x, x)) of a scalar.
inline constexpr char kNested[] = R"(HloModule nested
ENTRY main {
  x = f32[] parameter(0)
  n = f32[] negate(x)
  p = (f32[], f32[]) tuple(x, x)
  ROOT r = (f32[], (f32[], f32[])) tuple(n, p)
})";

// Never ends.
inline constexpr char kForever[] = R"(HloModule forever
condition { c = (f32[4]) parameter(0) ROOT go = pred[] constant(true) }
body {
  b = (f32[4]) parameter(0)
  v = f32[4] get-tuple-element(b), index=0
  w = f32[4] add(v, v)
  ROOT next = (f32[4]) tuple(w)
}
ENTRY main {
  x = f32[4] parameter(0)
  start = (f32[4]) tuple(x)
  loop = (f32[4]) while(start), condition=condition, body=body
  ROOT r = f32[4] get-tuple-element(loop), index=0
})";

// The sum of x over two replicas, and the replica's number.
inline constexpr char kSumOfReplicas[] = R"(HloModule sum_of_replicas, replica_count=2
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[] parameter(0)
  sum = f32[] all-reduce(x), replica_groups={}, to_apply=plus
  id = u32[] replica-id()
  ROOT r = (f32[], u32[]) tuple(sum, id)
})";

// Takes a value of the infeed and gives it, doubled, to the outfeed.
inline constexpr char kFeeds[] = R"(HloModule feeds
ENTRY main {
  t = token[] after-all()
  in = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(in), index=0
  u = token[] get-tuple-element(in), index=1
  y = f32[2] add(x, x)
  out = token[] outfeed(y, u), outfeed_shape=f32[2]
  ROOT r = () tuple()
})";

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) ADD_FAILURE() << value.status();
  CHECK(value.ok());
  return *std::move(value);
}

// The backend that the tests are compiled for.
inline constexpr char kBackend[] = HALO_TESTED_BACKEND;
inline bool IsInterpreter() { return kBackend == absl::string_view("interpreter"); }
// A message as this backend says it, from what the interpreter says. Devices of `replicated` are those of cpu.
inline std::string OfBackend(absl::string_view message) {
  const absl::string_view kind = kBackend == absl::string_view("replicated") ? "cpu" : kBackend;
  return absl::StrReplaceAll(message, {{"interpreter", kind}});
}

inline std::shared_ptr<Client> MakeClient(int64_t device_count = 1) {
  ClientOptions options;
  options.device_count = device_count;
  options.threads = 2;
  return OrDie(GetClient(kBackend, options));
}

inline std::unique_ptr<Executable> CompileText(Client& client, absl::string_view text,
                                               const CompileOptions& options = {}) {
  return OrDie(client.Compile(OrDie(ParseHloModule(text)), options));
}

inline std::unique_ptr<Buffer> Scalar(Client& client, float value) {
  return OrDie(client.BufferFromLiteral(Literal::Scalar(value)));
}

inline Literal Ones(int64_t count) { return Literal::FromValues<float>({count}, std::vector<float>(count, 1)); }

inline std::vector<float> Floats(const Literal& literal) {
  const auto span = literal.span<float>();
  return std::vector<float>(span.begin(), span.end());
}

inline std::vector<float> Floats(const Buffer& buffer) { return Floats(OrDie(buffer.ToLiteral())); }

// A buffer whose value comes when `fill` says so.
struct Promised {
  EventSource source;
  std::shared_ptr<Literal> literal = std::make_shared<Literal>();
  std::unique_ptr<Buffer> buffer;

  Promised(Client& client, const Shape& shape)
      : buffer(
            OrDie(client.BufferFromFuture(Future<Literal>(source.event(), literal), shape, client.default_device()))) {}
  void Fill(Literal value) {
    *literal = std::move(value);
    source.Set(absl::OkStatus());
  }
};

}  // namespace xla

#endif  // BACKENDS_TESTING_TEST_PROGRAMS_H_
