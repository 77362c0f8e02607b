// What programs meet when calls of Vulkan fail: each error says what it is, nothing is left behind, and the next client
// of the process works. The calls fail in a layer (fault_layer.cc) below the loader that the backend opens.
#include <dirent.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/exported_memory.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "backends/vulkan/testing/fault_layer.h"
#include "backends/vulkan/testing/use_fault_layer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vulkan/vulkan.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Of calls that are many alike, enough are a sample.
constexpr int64_t kFirstCalls = 3;
constexpr int64_t kLaterStride = 13;
int64_t NextCall(int64_t call) { return call + (call < kFirstCalls ? 1 : kLaterStride); }

// Kernels, a loop whose end the values decide, a product, and a step of the evaluator on the host.
constexpr char kProgram[] = R"(HloModule faults
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
condition {
  c = (f32[8]) parameter(0)
  x = f32[8] get-tuple-element(c), index=0
  zero = f32[] constant(0)
  total = f32[] reduce(x, zero), dimensions={0}, to_apply=plus
  most = f32[] constant(50)
  ROOT go = pred[] compare(total, most), direction=LT
}
body {
  b = (f32[8]) parameter(0)
  x = f32[8] get-tuple-element(b), index=0
  y = f32[8] add(x, x)
  ROOT next = (f32[8]) tuple(y)
}
ENTRY main {
  x = f32[8] parameter(0)
  m = f32[2,2] parameter(1)
  start = (f32[8]) tuple(x)
  loop = (f32[8]) while(start), condition=condition, body=body
  r = f32[8] get-tuple-element(loop), index=0
  square = f32[2,2] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  root = f32[2,2] cholesky(square), lower=true
  ROOT out = (f32[8], f32[2,2]) tuple(r, root)
})";

std::vector<Literal> Arguments() { return {Ones(8), Literal::FromValues<float>({2, 2}, {3, 0, 1, 2})}; }

std::vector<const char*> FallibleFunctions() {
  std::vector<const char*> names;
  const auto name_of = FindInLayer<NameFallible>(kNameFallible);
  while (name_of(static_cast<int64_t>(names.size())) != nullptr) {
    names.push_back(name_of(static_cast<int64_t>(names.size())));
  }
  return names;
}

class FaultsTest : public testing::TestWithParam<BackendSettings> {
 protected:
  absl::StatusOr<std::shared_ptr<Client>> NewClient() {
    ClientOptions options;
    options.threads = 2;
    options.settings = GetParam();
    return GetClient("vulkan", options);
  }

  // `notes`, if there is one, gets those of the compilation.
  absl::Status RunOn(Client& client, const CompileOptions& options = {}, std::vector<std::string>* notes = nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(kProgram));
    ASSIGN_OR_RETURN(const std::unique_ptr<Executable> program, client.Compile(std::move(module), options));
    if (notes != nullptr) *notes = program->report().notes;
    ASSIGN_OR_RETURN(const Literal result, ExecuteOnLiterals(*program, Arguments()));
    static const Literal& expected = *new Literal(OrDie(RunText(kProgram, Arguments())));
    ExpectSame(result, expected, Alike::kWithinTolerance, "");
    return GetParam().count("export") == 0 ? absl::OkStatus() : GiveAway(client);
  }

  // Memory of a buffer, as another program would be given it.
  absl::Status GiveAway(Client& client) {
    ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> buffer, client.BufferFromLiteral(Ones(8)));
    ASSIGN_OR_RETURN(const auto reference, buffer->AcquireExternalReference());
    const auto* const memory = dynamic_cast<const ExportsMemory*>(reference.get());
    EXPECT_NE(memory, nullptr);
    ASSIGN_OR_RETURN(const ExportedMemory exported, memory->Export());
    close(exported.file_descriptor);
    return absl::OkStatus();
  }

  // A client, a program and a run, none of which outlives the call.
  absl::Status RunAll() {
    ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, NewClient());
    return RunOn(*client);
  }

  void ExpectThatTheNextClientWorks() {
    EXPECT_EQ(LivingObjects(), 0);
    PlanNothing();
    const absl::Status status = RunAll();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(LivingObjects(), 0);
  }

  // How often the run of a program calls these, in their order.
  std::vector<int64_t> CallsOfARun(const std::vector<const char*>& functions) {
    PlanNothing();
    EXPECT_TRUE(RunAll().ok());
    std::vector<int64_t> calls;
    for (const char* const function : functions) calls.push_back(Calls(function));
    return calls;
  }
};

// Some errors have a remedy, such as a second pool or another kind of memory.
TEST_P(FaultsTest, EveryCallMayLackMemory) {
  int64_t failed_runs = 0;
  const std::vector<const char*> functions = FallibleFunctions();
  const std::vector<int64_t> calls = CallsOfARun(functions);
  for (size_t i = 0; i < functions.size(); ++i) {
    for (int64_t call = 1; call <= calls[i]; call = NextCall(call)) {
      SCOPED_TRACE(absl::StrCat("call ", call, " of ", calls[i], " of ", functions[i]));
      Plan({functions[i], call, /*is_lasting=*/false, VK_ERROR_OUT_OF_DEVICE_MEMORY});
      const absl::Status status = RunAll();
      EXPECT_EQ(LivingObjects(), 0);
      if (status.ok()) continue;
      ++failed_runs;
      EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
      EXPECT_THAT(status.message(), HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY"));
    }
  }
  EXPECT_GT(failed_runs, 0);
  ExpectThatTheNextClientWorks();
}

TEST_P(FaultsTest, TellsTheSizesWhenMemoryRunsOut) {
  const int64_t calls = CallsOfARun({"vkAllocateMemory"})[0];
  EXPECT_GT(calls, 0);
  for (int64_t call = 1; call <= calls; ++call) {
    SCOPED_TRACE(absl::StrCat("from call ", call, " of ", calls, " on"));
    Plan({"vkAllocateMemory", call, /*is_lasting=*/true, VK_ERROR_OUT_OF_DEVICE_MEMORY});
    const absl::Status status = RunAll();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                testing::ContainsRegex("out of memory on .*: [0-9]+ more bytes are needed"));
    ExpectThatTheNextClientWorks();
  }
}

TEST_P(FaultsTest, ALostDeviceEndsItsClientAndNoOther) {
  for (const char* const function : {"vkQueueSubmit", "vkWaitSemaphores"}) {
    const int64_t calls = CallsOfARun({function})[0];
    EXPECT_GT(calls, 0) << function;
    for (int64_t call = 1; call <= calls; call = NextCall(call)) {
      SCOPED_TRACE(absl::StrCat("call ", call, " of ", calls, " of ", function));
      Plan({function, call, /*is_lasting=*/false, VK_ERROR_DEVICE_LOST});
      {
        const auto client = NewClient();
        const absl::Status status = client.ok() ? RunOn(**client) : client.status();
        // How often a run waits depends on how long the device takes.
        if (status.ok() && Calls(function) < call) break;
        EXPECT_TRUE(absl::IsAborted(status)) << status;
        EXPECT_THAT(status.message(), HasSubstr("make a new client"));
        // Whatever it is asked for next.
        if (client.ok()) {
          EXPECT_TRUE(absl::IsAborted(RunOn(**client)));
        }
      }
      ExpectThatTheNextClientWorks();
    }
  }
}

TEST_P(FaultsTest, TellsThatADeviceCannotBeOpened) {
  Plan({"vkCreateDevice", 1, /*is_lasting=*/true, VK_ERROR_INITIALIZATION_FAILED});
  const absl::Status status = RunAll();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("cannot open the device "));
  ExpectThatTheNextClientWorks();
}

std::string NameOf(const BackendSettings& settings) {
  if (settings.empty()) return "AsItIs";
  return settings.count("export") == 0 ? "Staged" : "Exported";
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return files;
  while (const dirent* const entry = readdir(open)) {
    if (absl::EndsWith(entry->d_name, ".halo")) files.push_back(absl::StrCat(folder, "/", entry->d_name));
  }
  closedir(open);
  return files;
}

// What the layer adds to the driver's data makes them worth an entry.
TEST_P(FaultsTest, ADamagedCacheFileIsMadeAgain) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/faults_cache_", NameOf(GetParam()));
  CompileOptions options;
  options.settings["cache"] = folder;
  const auto give_kernels = FindInLayer<SetGivesKernels>(kSetGivesKernels);
  PlanNothing();
  give_kernels(true);
  {
    const auto client = NewClient();
    ASSERT_TRUE(client.ok()) << client.status();
    std::vector<std::string> notes;
    const auto run = [&] { return RunOn(**client, options, &notes); };
    EXPECT_TRUE(run().ok());
    EXPECT_THAT(notes, IsEmpty());
    ASSERT_EQ(FilesOf(folder).size(), 1u);
    const std::string path = FilesOf(folder)[0];
    ASSERT_TRUE(WriteFile(path, "not what it was").ok());
    EXPECT_TRUE(run().ok());
    EXPECT_THAT(notes,
                ElementsAre(absl::StrCat("the cache entry ", path, " is ignored: it is not a file of this cache")));
    EXPECT_TRUE(run().ok());
    EXPECT_THAT(notes, IsEmpty()) << "it was written again";
    EXPECT_EQ(FilesOf(folder).size(), 1u);
  }
  give_kernels(false);
  ExpectThatTheNextClientWorks();
}

INSTANTIATE_TEST_SUITE_P(Devices, FaultsTest,
                         testing::Values(BackendSettings(), BackendSettings({{"memory", "staged"}}),
                                         BackendSettings({{"export", "true"}})),
                         [](const auto& tested) { return NameOf(tested.param); });

}  // namespace
}  // namespace vulkan
}  // namespace xla
