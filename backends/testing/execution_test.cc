// Executions: arguments and results, donation, limits, asynchrony, several devices, infeed and outfeed.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/partitioning/entry_shards.h"

namespace xla {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ExecuteOptions Async() {
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  return options;
}

// ---- Arguments and results

TEST(Execute, GivesTheElementsOfATuple) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kNested);
  const auto x = Scalar(*client, 2);
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions options;
    options.mode = mode;
    const BufferList elements = OrDie(program->Execute({x.get()}, options));
    ASSERT_EQ(elements.size(), 2u);
    EXPECT_EQ(elements[0]->shape().ToString(), "f32[]");
    EXPECT_EQ(elements[1]->shape().ToString(), "(f32[], f32[])");
    EXPECT_THAT(Floats(*elements[0]), ElementsAre(-2));
    options.untuple_result = false;
    const BufferList whole = OrDie(program->Execute({x.get()}, options));
    ASSERT_EQ(whole.size(), 1u);
    EXPECT_EQ(whole[0]->shape().ToString(), "(f32[], (f32[], f32[]))");
    EXPECT_THAT(Floats(OrDie(whole[0]->ToLiteral()).element(0)), ElementsAre(-2));
  }
}

TEST(Execute, TakesTuplesAsArguments) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { p = (f32[], token[]) parameter(0) ROOT x = f32[] get-tuple-element(p), index=0 })");
  const auto tuple = OrDie(client->BufferFromLiteral(Literal::Tuple({Literal::Scalar(4.0f), Literal::Token()})));
  EXPECT_THAT(Floats(*OrDie(program->Execute({tuple.get()}))[0]), ElementsAre(4));
}

TEST(Execute, RefusesWrongArguments) {
  const auto client = MakeClient(2);
  const auto add = CompileText(*client, kAdd);
  const auto x = Scalar(*client, 1);
  const auto error = [&](const std::vector<Buffer*>& arguments) { return add->Execute(arguments).status(); };
  EXPECT_EQ(error({x.get()}), absl::InvalidArgumentError("add: the program has 2 parameters, got 1 arguments"));
  EXPECT_EQ(error({x.get(), x.get(), x.get()}),
            absl::InvalidArgumentError("add: the program has 2 parameters, got 3 arguments"));
  EXPECT_EQ(error({x.get(), nullptr}), absl::InvalidArgumentError("add: argument 1 is no buffer (nullptr)"));
  const auto vector = OrDie(client->BufferFromLiteral(Ones(2)));
  EXPECT_EQ(error({x.get(), vector.get()}),
            absl::InvalidArgumentError("add: argument 1 has shape f32[2], expected f32[]"));
  const auto integer = OrDie(client->BufferFromLiteral(Literal::Scalar(int32_t{1})));
  EXPECT_EQ(error({integer.get(), x.get()}),
            absl::InvalidArgumentError("add: argument 0 has shape s32[], expected f32[]"));
  const auto elsewhere = OrDie(client->BufferFromLiteral(Literal::Scalar(1.0f), *client->devices()[1]));
  EXPECT_EQ(error({elsewhere.get(), x.get()}),
            absl::InvalidArgumentError(OfBackend("add: argument 0 is on interpreter device 1, the program reads it on "
                                                 "interpreter device 0; use Buffer::CopyToDevice")));
  const auto other_client = MakeClient();
  const auto foreign = Scalar(*other_client, 1);
  EXPECT_EQ(error({foreign.get(), x.get()}),
            absl::InvalidArgumentError(
                OfBackend("add: argument 0 belongs to another client (interpreter device 0); make it with "
                          "the client that compiled the program")));
  const auto deleted = Scalar(*client, 1);
  deleted->Delete();
  EXPECT_EQ(error({x.get(), deleted.get()}),
            absl::FailedPreconditionError(
                "add: argument 1: the buffer of shape f32[] was deleted and cannot be used any more"));
}

TEST(Execute, AcceptsOneBufferInSeveralPlaces) {
  const auto client = MakeClient();
  const auto x = Scalar(*client, 4);
  EXPECT_THAT(Floats(*OrDie(CompileText(*client, kAdd)->Execute({x.get(), x.get()}))[0]), ElementsAre(8));
}

TEST(Execute, ReportsWhatFailsInTheRun) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[] parameter(0) ROOT c = f32[] custom-call(x), custom_call_target="nobody" })");
  const auto x = Scalar(*client, 1);
  EXPECT_THAT(std::string(program->Execute({x.get()}).status().message()), HasSubstr("nobody"));
  const BufferList results = OrDie(program->Execute({x.get()}, Async()));
  EXPECT_THAT(std::string(results[0]->ready().Await().message()), HasSubstr("nobody"));
}

// ---- Donation

TEST(Donation, EndsTheBuffer) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kDouble);
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions options;
    options.mode = mode;
    const auto x = OrDie(client->BufferFromLiteral(Ones(8)));
    const BufferList results = OrDie(program->Execute({x.get()}, options));
    EXPECT_EQ(x->state(), Buffer::State::kDonated);
    EXPECT_FALSE(x->is_live());
    EXPECT_EQ(x->size_bytes(), 0);
    EXPECT_EQ(Floats(*results[0])[0], 2);
    const absl::Status error = absl::FailedPreconditionError(
        "the buffer of shape f32[8] was donated to an execution and cannot be used any more; to keep a buffer, name "
        "its parameter in ExecuteOptions::non_donatable_parameters");
    EXPECT_EQ(x->ToLiteral().status(), error);
    EXPECT_EQ(program->Execute({x.get()}).status().message(), absl::StrCat("double: argument 0: ", error.message()));
    x->Delete();
    EXPECT_EQ(x->state(), Buffer::State::kDonated);
  }
}

TEST(Donation, WritesInPlace) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m, buffer_donor={ (0, {}) }
ENTRY e { x = f32[10000] parameter(0) ROOT n = f32[10000] negate(x) })");
  const auto x = OrDie(client->BufferFromLiteral(Ones(10000)));
  const void* const address = OrDie(x->AcquireExternalReference())->data();
  const BufferList results = OrDie(program->Execute({x.get()}));
  EXPECT_EQ(OrDie(results[0]->AcquireExternalReference())->data(), address);
}

TEST(Donation, CanBeAskedForAndDeclined) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  const auto x = Scalar(*client, 1), y = Scalar(*client, 2);
  ExecuteOptions options;
  options.donated_parameters = {1};
  EXPECT_TRUE(add->Execute({x.get(), y.get()}, options).ok());
  EXPECT_TRUE(x->is_live());
  EXPECT_FALSE(y->is_live());

  const auto program = CompileText(*client, kDouble);
  const auto kept = OrDie(client->BufferFromLiteral(Ones(8)));
  options = {};
  options.non_donatable_parameters = {0};
  EXPECT_EQ(Floats(*OrDie(program->Execute({kept.get()}, options))[0])[0], 2);
  EXPECT_EQ(Floats(*kept)[0], 1);
}

TEST(Donation, RefusesWrongParameters) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  const auto x = Scalar(*client, 1);
  const auto error = [&](std::vector<int64_t> donated, std::vector<int64_t> kept) {
    ExecuteOptions options;
    options.donated_parameters = std::move(donated);
    options.non_donatable_parameters = std::move(kept);
    const auto y = Scalar(*client, 2);
    return add->Execute({x.get(), y.get()}, options).status();
  };
  EXPECT_EQ(error({2}, {}),
            absl::InvalidArgumentError("add: there is no parameter 2 to donate or to keep; the program has 2 "
                                       "parameters"));
  EXPECT_EQ(error({}, {-1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error({1}, {1}),
            absl::InvalidArgumentError("add: parameter 1 is in both donated_parameters and non_donatable_parameters of "
                                       "the options"));
  EXPECT_TRUE(x->is_live());
}

TEST(Donation, RefusesABufferThatStandsInTwoPlaces) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  const auto x = Scalar(*client, 1);
  for (const std::vector<int64_t>& donated : std::vector<std::vector<int64_t>>{{0}, {1}, {0, 1}}) {
    ExecuteOptions options;
    options.donated_parameters = donated;
    EXPECT_EQ(add->Execute({x.get(), x.get()}, options).status(),
              absl::InvalidArgumentError("add: argument 1 is the same buffer as argument 0, and it is donated: a "
                                         "donated buffer may stand in one place only; give a copy for the other"));
  }
  EXPECT_TRUE(x->is_live());
  const auto three = CompileText(*client, R"(HloModule three
ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) z = f32[] parameter(2) s = f32[] add(x, y) ROOT r = f32[] add(s, z) })");
  ExecuteOptions options;
  options.donated_parameters = {1};
  EXPECT_EQ(three->Execute({x.get(), x.get(), x.get()}, options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Donation, IsUndoneIfNothingIsLaunched) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  const auto x = Scalar(*client, 1), deleted = Scalar(*client, 2);
  deleted->Delete();
  ExecuteOptions options;
  options.donated_parameters = {0};
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    options.mode = mode;
    EXPECT_EQ(add->Execute({x.get(), deleted.get()}, options).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(Floats(*x), ElementsAre(1));
  }
}

TEST(Donation, LeavesOtherReadersTheirValue) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kDouble);
  const auto x = OrDie(client->BufferFromLiteral(Ones(8)));
  const Literal before = OrDie(x->ToLiteral());
  EXPECT_EQ(Floats(*OrDie(program->Execute({x.get()}))[0])[0], 2);
  EXPECT_EQ(Floats(before)[0], 1);
}

// ---- Asynchrony

TEST(Async, WaitsForItsArguments) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  Promised x(*client, Shape::Scalar(F32));
  const auto y = Scalar(*client, 2);
  const Execution execution = OrDie(add->Launch({{x.buffer.get(), y.get()}}, Async()));
  const BufferList& results = execution.results[0];
  EXPECT_FALSE(execution.done.IsReady());
  EXPECT_FALSE(results[0]->ready().IsReady());
  // A result may be an argument before it is there.
  const BufferList next = OrDie(add->Execute({results[0].get(), results[0].get()}, Async()));
  x.Fill(Literal::Scalar(3.0f));
  EXPECT_EQ(execution.done.Await(), absl::OkStatus());
  EXPECT_THAT(Floats(*results[0]), ElementsAre(5));
  EXPECT_THAT(Floats(*next[0]), ElementsAre(10));
}

TEST(Async, InlineWaitsToo) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  Promised x(*client, Shape::Scalar(F32));
  std::thread filler([&x] { x.Fill(Literal::Scalar(3.0f)); });
  EXPECT_THAT(Floats(*OrDie(add->Execute({x.buffer.get(), x.buffer.get()}))[0]), ElementsAre(6));
  filler.join();
}

TEST(Async, ErrorsGoOnToWhatIsComputedFromThem) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  Promised x(*client, Shape::Scalar(F32));
  const auto y = Scalar(*client, 2);
  const BufferList first = OrDie(add->Execute({x.buffer.get(), y.get()}, Async()));
  const BufferList second = OrDie(add->Execute({y.get(), first[0].get()}, Async()));
  const BufferList unrelated = OrDie(add->Execute({y.get(), y.get()}, Async()));
  x.source.Set(absl::DataLossError("torn"));
  EXPECT_EQ(second[0]->ready().Await(), absl::DataLossError("torn"));
  EXPECT_EQ(second[0]->ToLiteral().status(), absl::DataLossError("torn"));
  EXPECT_EQ(add->Execute({second[0].get(), y.get()}).status(), absl::DataLossError("torn"));
  EXPECT_EQ(OrDie(add->Execute({second[0].get(), y.get()}, Async()))[0]->ready().Await(), absl::DataLossError("torn"));
  EXPECT_THAT(Floats(*unrelated[0]), ElementsAre(4));
}

TEST(Async, ObjectsMayGoWhileItRuns) {
  auto client = MakeClient();
  auto add = CompileText(*client, kAdd);
  auto x = std::make_unique<Promised>(*client, Shape::Scalar(F32));
  auto y = Scalar(*client, 2);
  BufferList results = OrDie(add->Execute({x->buffer.get(), y.get()}, Async()));
  x->buffer.reset();
  y.reset();
  add.reset();
  client.reset();
  x->Fill(Literal::Scalar(1.0f));
  EXPECT_THAT(Floats(*results[0]), ElementsAre(3));
}

TEST(Async, NobodyNeedsTheResult) {
  auto client = MakeClient();
  auto add = CompileText(*client, kAdd);
  Promised x(*client, Shape::Scalar(F32));
  Event done;
  {
    const Execution execution = OrDie(add->Launch({{x.buffer.get(), x.buffer.get()}}, Async()));
    done = execution.done;
  }
  x.buffer.reset();
  add.reset();
  client.reset();  // its end does not wait for an execution that may never start
  x.Fill(Literal::Scalar(1.0f));
  EXPECT_EQ(done.Await(), absl::CancelledError("the client has ended"));
}

TEST(Async, EndsWithItsClient) {
  // The second if no thread has come to it yet.
  const auto is_abandoned =
      AnyOf(HasSubstr("the run was abandoned: its results have no receiver"), HasSubstr("the client has ended"));
  for (const char* text : {kForever, kFeeds}) {
    auto client = MakeClient();
    auto program = CompileText(*client, text);
    BufferList arguments;
    if (text == kForever) arguments.push_back(OrDie(client->BufferFromLiteral(Ones(4))));
    std::vector<Buffer*> pointers;
    for (const auto& argument : arguments) pointers.push_back(argument.get());
    const Event done = OrDie(program->Launch({pointers}, Async())).done;
    EXPECT_FALSE(done.WaitUntil(absl::Now() + absl::Milliseconds(5)));
    arguments.clear();
    program.reset();
    client.reset();
    EXPECT_EQ(done.Await().code(), absl::StatusCode::kCancelled);
    EXPECT_THAT(std::string(done.status().message()), is_abandoned);
  }
}

TEST(Async, ClientMayEndInACallback) {
  auto client = MakeClient();
  auto add = CompileText(*client, kAdd);
  const auto x = std::make_shared<std::unique_ptr<Promised>>(std::make_unique<Promised>(*client, Shape::Scalar(F32)));
  const auto results =
      std::make_shared<BufferList>(OrDie(add->Execute({(*x)->buffer.get(), (*x)->buffer.get()}, Async())));
  const Event ready = (*results)[0]->ready();
  EventSource ended;
  const Event has_ended = ended.event();
  const auto source = std::make_shared<EventSource>(std::move(ended));
  ready.OnReady([results, source](const absl::Status&) {
    results->clear();  // the last reference to the client, on one of its own threads
    source->Set(absl::OkStatus());
  });
  (*x)->buffer.reset();
  add.reset();
  client.reset();
  (*x)->Fill(Literal::Scalar(1.0f));
  EXPECT_EQ(has_ended.Await(), absl::OkStatus());
}

TEST(Async, CallbacksMayRunPrograms) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  EventSource source;
  float sum = 0;
  source.event().OnReady([&](const absl::Status&) {
    const Future<Literal> there(Literal::Scalar(4.0f));
    const auto x = OrDie(client->BufferFromFuture(there, Shape::Scalar(F32), client->default_device()));
    sum = Floats(*OrDie(add->Execute({x.get(), x.get()}))[0])[0];
  });
  source.Set(absl::OkStatus());
  EXPECT_EQ(sum, 8);
}

TEST(Async, LongChainsRun) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  constexpr int kLength = 2000;
  const auto one = Scalar(*client, 1);
  for (const bool fails : {false, true}) {
    Promised x(*client, Shape::Scalar(F32));
    BufferList chain = OrDie(add->Execute({x.buffer.get(), one.get()}, Async()));
    for (int i = 1; i < kLength; ++i) {
      chain.push_back(std::move(OrDie(add->Execute({chain.back().get(), one.get()}, Async()))[0]));
    }
    if (fails) {
      x.source.Set(absl::DataLossError("torn"));
      EXPECT_EQ(chain.back()->ready().Await(), absl::DataLossError("torn"));
    } else {
      x.Fill(Literal::Scalar(0.0f));
      EXPECT_THAT(Floats(*chain.back()), ElementsAre(kLength));
    }
  }
}

// ---- Limits

// Where the error of a run appears depends on the mode.
absl::Status ErrorOfRun(Executable& program, Buffer& argument, ExecuteOptions options, ExecutionMode mode) {
  options.mode = mode;
  const auto results = program.Execute({&argument}, options);
  return results.ok() ? (*results)[0]->ready().Await() : results.status();
}

TEST(Limits, StopARunThatDoesNotEnd) {
  const auto client = MakeClient();
  const auto forever = CompileText(*client, kForever);
  const auto x = OrDie(client->BufferFromLiteral(Ones(4)));
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    const auto error = [&](const ExecuteOptions& options) { return ErrorOfRun(*forever, *x, options, mode); };
    ExecuteOptions options;
    options.timeout = absl::Milliseconds(20);
    EXPECT_EQ(error(options), absl::DeadlineExceededError("the time limit of 20ms passed while running the program"));
    options = {};
    options.deadline = absl::Now() + absl::Milliseconds(20);
    EXPECT_EQ(error(options), absl::DeadlineExceededError("the deadline passed while running the program"));
    options = {};
    options.max_steps = 1000;
    EXPECT_EQ(error(options).code(), absl::StatusCode::kResourceExhausted);
    options = {};
    const auto cancellation = std::make_shared<Cancellation>();
    options.cancellation = cancellation;
    std::thread canceller([&] {
      absl::SleepFor(absl::Milliseconds(20));
      cancellation->Cancel();
    });
    EXPECT_EQ(error(options), absl::CancelledError("cancelled while running the program"));
    canceller.join();
    EXPECT_EQ(error(options).code(), absl::StatusCode::kCancelled);
  }
}

TEST(Limits, StopACompilation) {
  const auto client = MakeClient();
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "working");
  CompileOptions options;
  options.resources = &resources;
  EXPECT_TRUE(client->Compile(OrDie(ParseHloModule(kForever)), options).ok());
  cancellation->Cancel();
  for (const bool verify : {true, false}) {
    options.verify = verify;
    EXPECT_EQ(client->Compile(OrDie(ParseHloModule(kForever)), options).status(),
              absl::CancelledError("cancelled while compiling the program"));
  }
}

// A timeout counts from the launch, a context from when it was made.
TEST(Limits, OfTheCallerHoldBesidesThoseOfTheLaunch) {
  const auto client = MakeClient();
  const auto forever = CompileText(*client, kForever);
  const auto x = OrDie(client->BufferFromLiteral(Ones(4)));
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    const auto error = [&](const ExecuteOptions& options) { return ErrorOfRun(*forever, *x, options, mode); };
    ResourceLimits limits;
    limits.timeout = absl::Milliseconds(60);
    limits.timeout_name = "--timeout";
    const ResourceContext resources(limits, "working");
    ExecuteOptions options;
    options.resources = &resources;
    options.timeout = absl::Milliseconds(20);
    EXPECT_EQ(error(options), absl::DeadlineExceededError("the time limit of 20ms passed while running the program"));
    options.timeout = absl::Minutes(1);
    EXPECT_EQ(error(options),
              absl::DeadlineExceededError("the time limit of 60ms (--timeout) passed while running the program"));
  }
}

TEST(Limits, OfTheCallersMemoryHold) {
  const auto client = MakeClient();
  const auto program = CompileText(
      *client, "HloModule m\nENTRY e { z = f32[] constant(0) ROOT b = f32[1000] broadcast(z), dimensions={} }");
  ResourceLimits limits;
  limits.max_memory_bytes = 10'000;
  const ResourceContext resources(limits, "working");
  ExecuteOptions options;
  options.resources = &resources;
  EXPECT_TRUE(program->Execute({}, options).ok());
  ASSERT_TRUE(resources.memory().Reserve(8000).ok());
  EXPECT_EQ(program->Execute({}, options).status().code(), absl::StatusCode::kResourceExhausted);
  resources.memory().Release(8000);
  EXPECT_TRUE(program->Execute({}, options).ok());
  EXPECT_EQ(resources.memory().used(), 0);
}

TEST(Limits, BoundTheMemoryOfARun) {
  const auto client = MakeClient();
  const auto program = CompileText(
      *client, "HloModule m\nENTRY e { z = f32[] constant(0) ROOT b = f32[1000] broadcast(z), dimensions={} }");
  ExecuteOptions options;
  options.max_memory_bytes = 3000;
  EXPECT_EQ(program->Execute({}, options).status().code(), absl::StatusCode::kResourceExhausted);
  options.max_memory_bytes = 4000;
  EXPECT_TRUE(program->Execute({}, options).ok());
  options.max_memory_bytes = -1;
  EXPECT_EQ(program->Execute({}, options).status(),
            absl::InvalidArgumentError("m: the memory limit must not be negative, got -1 bytes"));
  options = {};
  options.max_steps = -1;
  EXPECT_EQ(program->Execute({}, options).status(),
            absl::InvalidArgumentError("m: the step limit must not be negative, got -1"));
}

TEST(Limits, HoldWhileArgumentsAreAwaited) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  Promised x(*client, Shape::Scalar(F32));
  const auto y = Scalar(*client, 1);
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    const auto error = [&](ExecuteOptions options) {
      options.mode = mode;
      auto results = add->Execute({x.buffer.get(), y.get()}, options);
      return results.ok() ? (*results)[0]->ready().Await() : results.status();
    };
    ExecuteOptions options;
    options.timeout = absl::Milliseconds(10);
    EXPECT_EQ(error(options),
              absl::DeadlineExceededError("the time limit of 10ms passed while waiting for the arguments"));
    options = {};
    const auto cancellation = std::make_shared<Cancellation>();
    options.cancellation = cancellation;
    std::thread canceller([&] {
      absl::SleepFor(absl::Milliseconds(10));
      cancellation->Cancel();
    });
    EXPECT_EQ(error(options), absl::CancelledError("cancelled while waiting for the arguments"));
    canceller.join();
  }
}

// ---- What a run tells

class CountingSink : public ProfileSink {
 public:
  void OnInstruction(const HloInstruction&, int64_t, absl::Time, absl::Time) override { ++count; }
  std::atomic<int> count{0};
};

TEST(Execute, TellsWhatItDid) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kNested);
  const auto x = Scalar(*client, 1);
  CountingSink sink;
  ExecutionReport report;
  std::atomic<int64_t> done{0};
  ExecuteOptions options;
  options.profile = &sink;
  options.report = &report;
  options.progress = [&done](int64_t now, int64_t) { done = now; };
  EXPECT_TRUE(program->Execute({x.get()}, options).ok());
  // Compilers make fewer instructions of it, or run several as one.
  if (IsInterpreter()) {
    EXPECT_EQ(report.steps, 3);
    EXPECT_EQ(report.fallback_steps, 0);
    EXPECT_EQ(done, 3);
    EXPECT_EQ(sink.count, 3);
  }
  EXPECT_GT(sink.count, 0);
  EXPECT_LE(sink.count, report.steps);
  EXPECT_GT(done, 0);
  EXPECT_GT(report.elapsed, absl::ZeroDuration());
}

TEST(Execute, SeedDecidesRandomNumbers) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[4] rng(a, b), distribution=rng_uniform })");
  const auto draw = [&](uint64_t seed) {
    ExecuteOptions options;
    options.seed = seed;
    return Floats(*OrDie(program->Execute({}, options))[0]);
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

// ---- Several devices

TEST(ExecuteSharded, RunsOnAllDevices) {
  const auto client = MakeClient(3);
  CompileOptions compile_options;
  compile_options.device_assignment = {2, 0};
  const auto program = CompileText(*client, kSumOfReplicas, compile_options);
  const auto a = OrDie(client->BufferFromLiteral(Literal::Scalar(1.0f), *client->devices()[2]));
  const auto b = OrDie(client->BufferFromLiteral(Literal::Scalar(5.0f), *client->devices()[0]));
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecuteOptions options;
    options.mode = mode;
    options.launch_id = 7;
    const auto results = OrDie(program->ExecuteSharded({{a.get()}, {b.get()}}, options));
    ASSERT_EQ(results.size(), 2u);
    EXPECT_THAT(Floats(*results[0][0]), ElementsAre(6));
    EXPECT_THAT(Floats(*results[1][0]), ElementsAre(6));
    EXPECT_EQ(*OrDie(results[1][1]->ToLiteral()).data<uint32_t>(), 1u);
    EXPECT_EQ(&results[0][0]->device(), client->devices()[2]);
  }
}

TEST(ExecuteSharded, RunsAProgramOnWholeArrays) {
  const auto client = MakeClient(4);
  const std::unique_ptr<HloModule> module = OrDie(ParseHloModule(R"(HloModule whole, num_partitions=4
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[6] parameter(0), sharding={devices=[4]<=[4]}
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=plus
  y = f32[6] broadcast(sum), dimensions={}
  ROOT r = f32[6] add(x, y), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
})"));
  CompileOptions options;
  options.spmd = true;
  const auto program = OrDie(client->Compile(*module, options));
  EXPECT_EQ(program->partition_count(), 4);
  EXPECT_EQ(program->program_shape().parameters[0].ToString(), "f32[2]");
  EXPECT_EQ(program->program_shape().result.ToString(), "f32[3]");
  const EntryShards shards = OrDie(EntryShards::Of(*module, 4));
  const std::vector<Literal> arguments = {Literal::FromValues<float>({6}, {1, 2, 3, 4, 5, 6})};
  std::vector<std::vector<Literal>> of_devices;
  for (int64_t device = 0; device < 4; ++device) {
    of_devices.push_back(OrDie(shards.ArgumentsOf(device, arguments, ShardPadding::kAllBits)));
  }
  const std::vector<Literal> results = OrDie(ExecuteOnLiterals(*program, of_devices));
  EXPECT_THAT(Floats(OrDie(shards.JoinResults(results))), ElementsAre(22, 23, 24, 25, 26, 27));
  // As it is, it has no shards: each device computes all of it.
  EXPECT_EQ(OrDie(client->Compile(*module))->program_shape().result.ToString(), "f32[6]");
}

TEST(ExecuteSharded, RefusesWhatCannotBePartitioned) {
  const auto client = MakeClient(2);
  const auto error = [&](absl::string_view text, CompileOptions options) {
    options.spmd = true;
    return client->Compile(OrDie(ParseHloModule(text)), options).status();
  };
  EXPECT_EQ(error("HloModule m ENTRY e { ROOT x = f32[8] parameter(0), sharding={devices=[4]<=[4]} }", {}).code(),
            absl::StatusCode::kInvalidArgument);
  CompileOptions replicas;
  replicas.replica_count = 2;
  EXPECT_THAT(std::string(error(kAdd, replicas).message()), HasSubstr("CompileOptions::spmd is for one replica"));
  CompileOptions too_many;
  too_many.partition_count = 3;
  EXPECT_EQ(error(kAdd, too_many).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ExecuteSharded, RefusesWrongArguments) {
  const auto client = MakeClient(2);
  const auto program = CompileText(*client, kSumOfReplicas);
  const auto a = Scalar(*client, 1);
  EXPECT_EQ(program->Execute({a.get()}).status(),
            absl::InvalidArgumentError("sum_of_replicas: the program runs on 2 devices; use ExecuteSharded with "
                                       "arguments for each"));
  EXPECT_EQ(program->ExecuteSharded({{a.get()}}).status(),
            absl::InvalidArgumentError("sum_of_replicas: the program runs on 2 devices (2 replicas x 1 partitions), "
                                       "got arguments for 1"));
  EXPECT_EQ(program->ExecuteSharded({{a.get()}, {}}).status(),
            absl::InvalidArgumentError("sum_of_replicas: the program has 1 parameters, got 0 arguments for device 1"));
  EXPECT_EQ(
      program->ExecuteSharded({{a.get()}, {a.get()}}).status(),
      absl::InvalidArgumentError(OfBackend("sum_of_replicas: argument 0 of device 1 is on interpreter device 0, the "
                                           "program reads it on interpreter device 1; use Buffer::CopyToDevice")));
}

TEST(ExecuteSharded, OneDeviceThatFailsFailsAll) {
  const auto client = MakeClient(2);
  const auto program = CompileText(*client, R"(HloModule m, replica_count=2
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
bad { x = f32[] parameter(0) ROOT c = f32[] custom-call(x), custom_call_target="nobody" }
good { x = f32[] parameter(0) ROOT n = f32[] negate(x) }
ENTRY e {
  x = f32[] parameter(0)
  id = u32[] replica-id()
  zero = u32[] constant(0)
  first = pred[] compare(id, zero), direction=EQ
  c = f32[] conditional(first, x, x), true_computation=bad, false_computation=good
  ROOT sum = f32[] all-reduce(c), replica_groups={}, to_apply=plus
})");
  const auto a = Scalar(*client, 1);
  const auto b = OrDie(client->BufferFromLiteral(Literal::Scalar(5.0f), *client->devices()[1]));
  const Execution execution = OrDie(program->Launch({{a.get()}, {b.get()}}, Async()));
  EXPECT_THAT(std::string(execution.done.Await().message()), HasSubstr("nobody"));
  EXPECT_THAT(std::string(execution.results[1][0]->ready().Await().message()), HasSubstr("nobody"));
}

// ---- Infeed and outfeed

Literal Pair(float a, float b) { return Literal::Vector<float>({a, b}); }

TEST(Feeds, QueuesOfARun) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  FeedQueues feeds;
  feeds.infeed = {{Pair(1, 2)}};
  ExecuteOptions options;
  options.feeds = &feeds;
  EXPECT_TRUE(OrDie(program->Execute({}, options)).empty());
  ASSERT_EQ(feeds.outfeed.size(), 1u);
  EXPECT_THAT(Floats(feeds.outfeed[0][0]), ElementsAre(2, 4));
  FeedQueues empty;
  options.feeds = &empty;
  EXPECT_EQ(program->Execute({}, options).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Feeds, QueuesOfTheDevice) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  Device& device = client->default_device();
  EXPECT_EQ(device.TransferToInfeed(Pair(1, 2)), absl::OkStatus());
  EXPECT_TRUE(program->Execute({}).ok());
  EXPECT_EQ(device.TransferFromOutfeed(Shape::Array(F32, {3})).status(),
            absl::InvalidArgumentError("the next value of the outfeed queue has shape f32[2], asked for f32[3]"));
  EXPECT_THAT(Floats(*device.TransferFromOutfeed(Shape::Array(F32, {2}))), ElementsAre(2, 4));
  // A compiled program keeps its arena for the next run.
  EXPECT_LE(device.memory().bytes_in_use, IsInterpreter() ? 0 : program->memory_need().temporary_bytes);
}

TEST(Feeds, WorkWhileAProgramRuns) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  Device& device = client->default_device();
  const Execution execution = OrDie(program->Launch({{}}, Async()));
  EXPECT_FALSE(execution.done.WaitUntil(absl::Now() + absl::Milliseconds(5)));
  std::thread feeder([&device] { EXPECT_EQ(device.TransferToInfeed(Pair(3, 4)), absl::OkStatus()); });
  EXPECT_THAT(Floats(*device.TransferFromOutfeed(Shape::Array(F32, {2}))), ElementsAre(6, 8));
  EXPECT_EQ(execution.done.Await(), absl::OkStatus());
  feeder.join();
}

TEST(Feeds, ExecutionsThatWaitDoNotHoldUpOthers) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  const auto add = CompileText(*client, kAdd);
  Device& device = client->default_device();
  constexpr int kWaiting = 8;
  std::vector<Event> done;
  for (int i = 0; i < kWaiting; ++i) done.push_back(OrDie(program->Launch({{}}, Async())).done);
  const auto x = Scalar(*client, 1);
  EXPECT_THAT(Floats(*OrDie(add->Execute({x.get(), x.get()}, Async()))[0]), ElementsAre(2));
  for (int i = 0; i < kWaiting; ++i) EXPECT_EQ(device.TransferToInfeed(Pair(1, 2)), absl::OkStatus());
  EXPECT_EQ(AllOf(done).Await(), absl::OkStatus());
}

TEST(Feeds, RefuseAValueOfAnotherShape) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  EXPECT_EQ(client->default_device().TransferToInfeed(Literal::Scalar(1.0f)), absl::OkStatus());
  EXPECT_EQ(
      program->Execute({}).status(),
      absl::InvalidArgumentError(OfBackend("in: the next value of the infeed queue of interpreter device 0 has shape "
                                           "f32[], expected f32[2]")));
  EXPECT_FALSE(client->default_device().TransferToInfeed(Literal()).ok());
}

TEST(Feeds, WaitsHaveLimits) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  Device& device = client->default_device();
  const Shape shape = Shape::Array(F32, {2});
  ExecuteOptions options;
  options.timeout = absl::Milliseconds(10);
  EXPECT_EQ(program->Execute({}, options).status(),
            absl::DeadlineExceededError(
                OfBackend("in: waited for the infeed queue of interpreter device 0: the time limit of "
                          "10ms passed while running the program")));
  TransferOptions transfer;
  transfer.deadline = absl::Now() + absl::Milliseconds(10);
  EXPECT_EQ(
      device.TransferFromOutfeed(shape, transfer).status(),
      absl::DeadlineExceededError(OfBackend("interpreter device 0: nothing came out of the outfeed queue until the "
                                            "deadline")));
  transfer = {};
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  transfer.cancellation = cancellation;
  EXPECT_EQ(device.TransferFromOutfeed(shape, transfer).status(),
            absl::CancelledError(OfBackend("interpreter device 0: the transfer was cancelled")));
}

TEST(Feeds, QueuedValuesCountAsMemory) {
  ClientOptions options;
  options.max_memory_bytes = 20;
  const auto client = OrDie(GetClient(kBackend, options));
  Device& device = client->default_device();
  EXPECT_EQ(device.TransferToInfeed(Pair(1, 2)), absl::OkStatus());
  EXPECT_EQ(device.TransferToInfeed(Pair(1, 2)), absl::OkStatus());
  EXPECT_EQ(device.TransferToInfeed(Pair(1, 2)).code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace xla
