// Clients of several processes, which are threads here, and what one process asks of the backend below.
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "backends/literal_execution.h"
#include "backends/replicated/client_over_backend.h"
#include "backends/replicated/testing/process_threads.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The sum of x over four replicas, and the replica's number.
const std::string SumOfFour() { return absl::StrReplaceAll(kSumOfReplicas, {{"replica_count=2", "replica_count=4"}}); }

// Device 0 waits for the others, which wait for their infeed.
constexpr char kOneWaits[] = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
meet { x = f32[2] parameter(0) ROOT y = f32[2] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum }
feed { x = f32[2] parameter(0) t = token[] after-all() in = (f32[2], token[]) infeed(t)
  v = f32[2] get-tuple-element(in), index=0 ROOT y = f32[2] all-reduce(v), channel_id=1, replica_groups={}, to_apply=sum }
ENTRY e { x = f32[2] parameter(0) replica = u32[] replica-id() id = s32[] convert(replica)
  ROOT r = f32[2] conditional(id, x, x), branch_computations={meet, feed} })";

ClientOptions OptionsFor(const std::string& backend, int64_t device_count) {
  ClientOptions options;
  options.device_count = device_count;
  options.threads = 2;
  options.settings["backend"] = backend;
  return options;
}

// Clients of two processes with two devices each.
class Processes : public ::testing::TestWithParam<const char*> {
 protected:
  Processes() {
    for (int64_t p = 0; p < 2; ++p) clients_.push_back(ClientOf(p));
  }

  std::shared_ptr<ClientOverBackend> ClientOf(int64_t process) {
    ClientOptions options = OptionsFor(GetParam(), 4);
    options.process_index = process;
    options.process_count = 2;
    options.settings["rendezvous"] = "threads";
    options.settings["collective_timeout"] = "10s";
    return OrDie(ClientOverBackend::Create(options, all_.Group(process)));
  }

  std::vector<std::unique_ptr<Executable>> Compile(absl::string_view text, const CompileOptions& options = {}) {
    std::vector<std::unique_ptr<Executable>> programs;
    for (const auto& client : clients_) programs.push_back(CompileText(*client, text, options));
    return programs;
  }

  // In all processes at once; the results by process.
  template <typename Result>
  std::vector<Result> InEach(const std::function<Result(int64_t process)>& work) {
    std::vector<absl::optional<Result>> results(2);
    std::thread other([&] { results[1].emplace(work(1)); });
    results[0].emplace(work(0));
    other.join();
    return {*std::move(results[0]), *std::move(results[1])};
  }

  // Device d of all gets the number d + 1.
  std::vector<absl::StatusOr<std::vector<Literal>>> RunAll(std::vector<std::unique_ptr<Executable>>& programs,
                                                           const ExecuteOptions& options = {}) {
    return InEach<absl::StatusOr<std::vector<Literal>>>([&](int64_t process) {
      std::vector<std::vector<Literal>> arguments;
      for (const Device* const device : programs[process]->devices()) {
        arguments.push_back({Literal::Scalar(static_cast<float>(device->id() + 1))});
      }
      return ExecuteOnLiterals(*programs[process], arguments, options);
    });
  }

  ProcessThreads all_{2};
  std::vector<std::shared_ptr<ClientOverBackend>> clients_;
};

TEST_P(Processes, KnowTheDevicesOfAll) {
  const ClientOverBackend& client = *clients_[1];
  EXPECT_EQ(client.platform_name(), "replicated");
  EXPECT_EQ(client.process_index(), 1);
  EXPECT_EQ(client.process_count(), 2);
  ASSERT_EQ(client.devices().size(), 4u);
  ASSERT_EQ(client.addressable_devices().size(), 2u);
  EXPECT_EQ(client.default_device().id(), 2);
  Device& other = *client.devices()[1];
  EXPECT_EQ(other.process_index(), 0);
  EXPECT_FALSE(other.is_addressable());
  EXPECT_EQ(other.description(), absl::StrCat(GetParam(), " device 1"));
  EXPECT_EQ(client.devices()[3]->description(), absl::StrCat(GetParam(), " device 3"));
  EXPECT_EQ(clients_[1]->BufferFromLiteral(Literal::Scalar(1.0f), other).status(),
            absl::InvalidArgumentError(absl::StrCat("cannot make a buffer on ", GetParam(),
                                                    " device 1, which belongs to process 0, in process 1")));
  EXPECT_EQ(other.TransferToInfeed(Literal::Scalar(1.0f)).code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(Processes, RunAProgramTogether) {
  auto programs = Compile(SumOfFour());
  EXPECT_EQ(programs[1]->replica_count(), 4);
  ASSERT_EQ(programs[1]->devices().size(), 2u);
  EXPECT_EQ(programs[0]->fingerprint(), programs[1]->fingerprint());
  for (int launch = 0; launch < 3; ++launch) {
    const auto results = RunAll(programs);
    for (size_t p = 0; p < 2; ++p) {
      ASSERT_TRUE(results[p].ok()) << results[p].status();
      for (size_t d = 0; d < 2; ++d) {
        EXPECT_EQ(*(*results[p])[d].element(0).data<float>(), 10.0f);
        EXPECT_EQ(*(*results[p])[d].element(1).data<uint32_t>(), 2 * p + d);
      }
    }
  }
}

TEST_P(Processes, MayHaveDevicesInAnyOrder) {
  CompileOptions options;
  options.device_assignment = {3, 0, 2, 1};
  auto programs = Compile(SumOfFour(), options);
  EXPECT_EQ(programs[1]->devices()[0]->id(), 3);
  EXPECT_EQ(programs[1]->devices()[1]->id(), 2);
  const auto results = RunAll(programs);
  ASSERT_TRUE(results[1].ok()) << results[1].status();
  EXPECT_EQ(*(*results[1])[1].element(0).data<float>(), 10.0f);
  EXPECT_EQ(*(*results[1])[1].element(1).data<uint32_t>(), 2u);
}

TEST_P(Processes, LaunchLaterWhatIsNotReady) {
  auto programs = Compile(SumOfFour());
  const auto sums = InEach<std::vector<float>>([&](int64_t p) {
    EventSource source;
    const auto value = std::make_shared<Literal>();
    const absl::Span<Device* const> devices = programs[p]->devices();
    auto late =
        OrDie(clients_[p]->BufferFromFuture(Future<Literal>(source.event(), value), Shape::Scalar(F32), *devices[0]));
    auto there = OrDie(clients_[p]->BufferFromLiteral(Literal::Scalar(2.0f), *devices[1]));
    ExecuteOptions options;
    options.mode = ExecutionMode::kAsync;
    options.donated_parameters = {0};
    Buffer* const first[] = {late.get()};
    Buffer* const second[] = {there.get()};
    ExecutionReport report;
    options.report = &report;
    const Execution execution = OrDie(programs[p]->Launch({first, second}, options));
    EXPECT_FALSE(execution.done.IsReady());
    EXPECT_EQ(late->state(), Buffer::State::kDonated);
    EXPECT_THAT(std::string(there->ToLiteral().status().message()), HasSubstr("was donated to an execution"));
    programs[p].reset();  // the launch lives on
    *value = Literal::Scalar(1.0f);
    source.Set(absl::OkStatus());
    EXPECT_EQ(execution.done.Await(), absl::OkStatus());
    EXPECT_EQ(report.collectives.size(), 1u);
    return Floats(*execution.results[1][0]);
  });
  EXPECT_THAT(sums, ElementsAre(ElementsAre(6), ElementsAre(6)));
}

TEST_P(Processes, KeepWhatIsDeletedAfterTheLaunch) {
  auto programs = Compile(SumOfFour());
  const auto statuses = InEach<absl::Status>([&](int64_t p) {
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::vector<Buffer*>> arguments;
    for (Device* const device : programs[p]->devices()) {
      buffers.push_back(OrDie(clients_[p]->BufferFromLiteral(Literal::Scalar(2.0f), *device)));
      arguments.push_back({buffers.back().get()});
    }
    ExecuteOptions options;
    options.mode = ExecutionMode::kAsync;
    const auto results = OrDie(programs[p]->ExecuteSharded(arguments, options));
    for (const auto& buffer : buffers) buffer->Delete();
    EXPECT_EQ(buffers[0]->state(), Buffer::State::kDeleted);
    EXPECT_EQ(buffers[0]->size_bytes(), 0);
    EXPECT_THAT(std::string(programs[p]->ExecuteSharded(arguments, options).status().message()),
                HasSubstr("was deleted and cannot be used any more"));
    return results[0][0]->ready().Await();
  });
  EXPECT_THAT(statuses, ElementsAre(absl::OkStatus(), absl::OkStatus()));
}

TEST_P(Processes, TellTheOthersOfAnArgumentThatFails) {
  auto programs = Compile(SumOfFour());
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    const absl::Time start = absl::Now();
    const auto statuses = InEach<absl::Status>([&](int64_t p) {
      const Future<Literal> value =
          p == 1 ? Future<Literal>(absl::DataLossError("lost on its way")) : Future<Literal>(Literal::Scalar(1.0f));
      std::vector<std::unique_ptr<Buffer>> buffers;
      std::vector<absl::Span<Buffer* const>> spans;
      std::vector<Buffer*> pointers;
      for (Device* const device : programs[p]->devices()) {
        buffers.push_back(OrDie(clients_[p]->BufferFromFuture(value, Shape::Scalar(F32), *device)));
        pointers.push_back(buffers.back().get());
      }
      for (Buffer*& pointer : pointers) spans.push_back(absl::MakeConstSpan(&pointer, 1));
      ExecuteOptions options;
      options.mode = mode;
      const auto execution = programs[p]->Launch(spans, options);
      return execution.ok() ? execution->done.Await() : execution.status();
    });
    EXPECT_EQ(statuses[1], absl::DataLossError("lost on its way"));
    EXPECT_FALSE(statuses[0].ok());
    EXPECT_LT(absl::Now() - start, absl::Seconds(5)) << "before the timeout of collectives";
  }
}

TEST_P(Processes, RefuseToRunDifferentPrograms) {
  std::vector<std::unique_ptr<Executable>> programs;
  programs.push_back(CompileText(*clients_[0], SumOfFour()));
  CompileOptions options;
  options.optimization_level = 0;
  programs.push_back(CompileText(*clients_[1], SumOfFour(), options));
  EXPECT_NE(programs[0]->fingerprint(), programs[1]->fingerprint());
  for (const auto& result : RunAll(programs)) {
    EXPECT_EQ(result.status(), absl::FailedPreconditionError("another process runs another program"));
  }
}

TEST_P(Processes, PairLaunchesByTheirIds) {
  auto programs = Compile(SumOfFour());
  ExecuteOptions options;
  for (const int64_t id : {7, 3}) {
    options.launch_id = id;
    EXPECT_TRUE(RunAll(programs, options)[0].ok());
  }
  options.launch_id = -1;
  EXPECT_EQ(RunAll(programs, options)[0].status(),
            absl::InvalidArgumentError("sum_of_replicas: ExecuteOptions::launch_id must not be negative, got -1"));
}

TEST_P(Processes, EndAtTheLimitsOfALaunchThatNobodyJoins) {
  auto programs = Compile(SumOfFour());
  std::vector<std::vector<Literal>> arguments(2, {Literal::Scalar(1.0f)});
  ExecuteOptions options;
  options.timeout = absl::Milliseconds(50);
  EXPECT_EQ(ExecuteOnLiterals(*programs[0], arguments, options).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_P(Processes, StopLaunchesOfAClientThatEnds) {
  auto program = CompileText(*clients_[0], SumOfFour());
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<std::vector<Buffer*>> arguments;
  for (Device* const device : program->devices()) {
    buffers.push_back(OrDie(clients_[0]->BufferFromLiteral(Literal::Scalar(2.0f), *device)));
    arguments.push_back({buffers.back().get()});
  }
  std::vector<absl::Span<Buffer* const>> spans(arguments.begin(), arguments.end());
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  Event done = OrDie(program->Launch(spans, options)).done;
  buffers.clear();
  program.reset();
  const absl::Time start = absl::Now();
  clients_[0].reset();
  EXPECT_EQ(done.Await().code(), absl::StatusCode::kCancelled);
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST_P(Processes, HaveFeedsOfTheirOwn) {
  auto programs = Compile(absl::StrReplaceAll(kFeeds, {{"HloModule feeds", "HloModule feeds, replica_count=4"}}));
  const auto given = InEach<std::vector<float>>([&](int64_t p) {
    FeedQueues queues;
    queues.infeed = {{Literal::Vector<float>({1, 1})}, {Literal::Vector<float>({2, p == 0 ? 3.0f : 4.0f})}};
    ExecuteOptions options;
    options.feeds = &queues;
    EXPECT_EQ(ExecuteOnLiterals(*programs[p], std::vector<std::vector<Literal>>(2), options).status(),
              absl::OkStatus());
    EXPECT_EQ(queues.outfeed.size(), 2u);
    // And those of the devices.
    Device& device = *programs[p]->devices()[1];
    for (Device* const each : programs[p]->devices()) {
      EXPECT_EQ(each->TransferToInfeed(Literal::Vector<float>({5, 6})), absl::OkStatus());
    }
    EXPECT_EQ(ExecuteOnLiterals(*programs[p], std::vector<std::vector<Literal>>(2)).status(), absl::OkStatus());
    EXPECT_THAT(Floats(OrDie(device.TransferFromOutfeed(Shape::Array(F32, {2})))), ElementsAre(10, 12));
    return Floats(queues.outfeed[1][0]);
  });
  EXPECT_THAT(given, ElementsAre(ElementsAre(4, 6), ElementsAre(4, 8)));
}

TEST_P(Processes, LoadWhatOneOfThemHasWritten) {
  const std::string written = OrDie(CompileText(*clients_[1], SumOfFour())->Serialize());
  std::vector<std::unique_ptr<Executable>> programs;
  for (const auto& client : clients_) programs.push_back(OrDie(client->Client::Deserialize(written)));
  EXPECT_EQ(*(*OrDie(RunAll(programs)[0]).begin()).element(0).data<float>(), 10.0f);
  EXPECT_EQ(
      clients_[0]->Client::Deserialize("halo replicated 1 2\n").status(),
      absl::InvalidArgumentError("not an executable of the backend 'replicated 1': its first line says otherwise"));
  EXPECT_EQ(clients_[0]->Client::Deserialize("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(clients_[0]->Client::Deserialize("halo replicated 1 4 1\nnothing").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(Processes, EachNeedADeviceOfTheProgram) {
  const auto error = [&](CompileOptions options) {
    return clients_[0]->Client::Compile(OrDie(ParseHloModule(kSumOfReplicas)), options).status();
  };
  EXPECT_EQ(error({}),
            absl::InvalidArgumentError(
                "the program runs on 2 devices (2 replicas x 1 partitions), none of them in process 1 of 2; "
                "run it with fewer processes, or set CompileOptions::device_assignment so that each has one"));
  CompileOptions options;
  options.device_assignment = {1, 2};
  EXPECT_EQ(error(options), absl::OkStatus());
  options.device_assignment = {1, 1};
  EXPECT_EQ(error(options), absl::InvalidArgumentError("the device assignment names device 1 twice"));
  options.device_assignment = {1};
  EXPECT_EQ(error(options), absl::InvalidArgumentError("the device assignment has 1 devices, the program runs on 2 "
                                                       "devices (2 replicas x 1 partitions)"));
  options = {};
  options.replica_count = 8;
  EXPECT_EQ(error(options),
            absl::InvalidArgumentError("the program runs on 8 devices (8 replicas x 1 partitions), all processes "
                                       "together have 4; set ClientOptions::device_count"));
  options.replica_count = -1;
  EXPECT_EQ(error(options),
            absl::InvalidArgumentError("cannot run -1 replicas x 1 partitions; both must be at least 1"));
  options = {};
  options.own_devices = {0};
  EXPECT_THAT(std::string(error(options).message()), HasSubstr("it sets them itself"));
}

INSTANTIATE_TEST_SUITE_P(Backends, Processes, ::testing::Values("interpreter", "cpu"));

// ---- In one process

TEST(OneProcess, MeetsInMemoryAndReportsWhatThatCosts) {
  const auto client = OrDie(GetClient("replicated", OptionsFor("cpu", 4)));
  const auto program = CompileText(*client, SumOfFour());
  for (const ExecutionMode mode : {ExecutionMode::kInline, ExecutionMode::kAsync}) {
    ExecutionReport report;
    ExecuteOptions options;
    options.mode = mode;
    options.report = &report;
    const std::vector<std::vector<Literal>> arguments(4, {Literal::Scalar(2.0f)});
    const auto results = OrDie(ExecuteOnLiterals(*program, arguments, options));
    EXPECT_EQ(*results[3].element(0).data<float>(), 8.0f);
    EXPECT_GT(report.steps, 0);
    ASSERT_EQ(report.collectives.size(), 1u);
    EXPECT_EQ(report.collectives[0].calls, 4);
    EXPECT_EQ(report.collectives[0].bytes, 32);
    EXPECT_GT(report.collectives[0].waiting + report.collectives[0].transfer, absl::ZeroDuration());
  }
}

TEST(OneProcess, HasATimeoutOfCollectivesIfAskedForOne) {
  for (const char* const backend : {"interpreter", "cpu"}) {
    ClientOptions options = OptionsFor(backend, 2);
    options.settings["collective_timeout"] = "100ms";
    const auto client = OrDie(GetClient("replicated", options));
    const auto program = CompileText(*client, kOneWaits);
    const std::vector<std::vector<Literal>> arguments(2, {Literal::Vector<float>({1, 2})});
    EXPECT_THAT(ExecuteOnLiterals(*program, arguments).status().ToString(),
                AllOf(HasSubstr("DEADLINE_EXCEEDED"),
                      HasSubstr("device 0 has waited 100ms at y with devices {0,1}, which is as long as it may")));
  }
}

TEST(OneProcess, RefusesWrongOptions) {
  ClientOptions options = OptionsFor("abacus", 1);
  EXPECT_EQ(GetClient("replicated", options).status().code(), absl::StatusCode::kNotFound);
  options = OptionsFor("cpu", 3);
  options.process_count = 2;
  EXPECT_EQ(GetClient("replicated", options).status().code(), absl::StatusCode::kInvalidArgument);
  options = OptionsFor("cpu", -1);
  EXPECT_EQ(GetClient("replicated", options).status().code(), absl::StatusCode::kInvalidArgument);
  options = OptionsFor("cpu", 1);
  options.threads = -1;
  EXPECT_EQ(GetClient("replicated", options).status(),
            absl::InvalidArgumentError("the number of threads must not be negative, got -1"));
}

}  // namespace
}  // namespace xla
