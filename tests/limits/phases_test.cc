// Every phase ends at its limits: cancelled before it begins, and at a deadline that passes while it works. Phases that
// are short by themselves are given a large program.
#include <time.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/model/model.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/all_analyses.h"
#include "passes/analyses/aliasing.h"
#include "passes/analyses/exactness.h"
#include "passes/analyses/printed_analyses.h"
#include "passes/base/pass_context.h"
#include "passes/memory/buffer_assignment.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "tools/views/cost_table.h"
#include "tools/views/instruction_cost.h"
#include "tools/views/module_diff.h"
#include "tools/views/view_flags.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// A phase shorter than this cannot be told from one that does not look: the clock of the limits has ticks of 4 ms.
constexpr absl::Duration kShortest = absl::Milliseconds(60);

struct Phase {
  std::string name;
  std::function<absl::Status(const ResourceContext* resources)> run;
};

// Seven instructions for each block, and a loop.
std::string ProgramText(int64_t blocks) {
  std::string text = R"(HloModule large
condition { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  ten = s32[] constant(10)
  ROOT less = pred[] compare(i, ten), direction=LT }
body { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  one = s32[] constant(1)
  next = s32[] add(i, one)  v = f32[4] get-tuple-element(p), index=1  w = f32[4] add(v, v)
  ROOT t = (s32[], f32[4]) tuple(next, w) }
ENTRY e {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[4]) tuple(zero, x)
  loop = (s32[], f32[4]) while(start), condition=condition, body=body
  least = s32[4] constant({1, 2, 3, 4})
  v0 = f32[4] get-tuple-element(loop), index=1
)";
  for (int64_t k = 1; k <= blocks; ++k) {
    absl::StrAppend(&text, "  a", k, " = f32[4] add(v", k - 1, ", x)\n  t", k, " = (f32[4], f32[4]) tuple(a", k,
                    ", x)\n  g", k, " = f32[4] get-tuple-element(t", k, "), index=0\n  sin", k, " = f32[4] sine(g", k,
                    ")\n  int", k, " = s32[4] convert(sin", k, ")\n  m", k, " = s32[4] maximum(int", k, ", least)\n  v",
                    k, " = f32[4] convert(m", k, ")\n");
  }
  return absl::StrCat(text, "  ROOT r = f32[4] negate(v", blocks, ")\n}\n");
}

std::string Nnef1Text(int64_t operations) {
  std::string text = "version 1.0;\ngraph g(x) -> (y) {\n  x = external(shape = [4]);\n  v0 = relu(x);\n";
  for (int64_t k = 1; k <= operations; ++k) absl::StrAppend(&text, "  v", k, " = add(v", k - 1, ", x);\n");
  return absl::StrCat(text, "  y = relu(v", operations, ");\n}\n");
}

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

webnn::GraphDefinition WebnnGraph(webnn::MLGraphBuilder& builder, int64_t operators) {
  const webnn::MLOperand x = OrDie(builder.input("x", {webnn::MLOperandDataType::kFloat32, {4}}));
  webnn::MLOperand y = x;
  for (int64_t k = 0; k < operators; ++k) y = OrDie(builder.add(y, x));
  return OrDie(builder.Define({{"y", y}}));
}

absl::Status Optimize(const HloModule& module, absl::string_view pipeline, const ResourceContext* resources) {
  const ResourceContext limits(resources, "optimizing the program");
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> copy, CloneModule(module, limits));
  PassContext context;
  context.resources = &limits;
  ASSIGN_OR_RETURN(const Pipeline steps, PipelineByName(std::string(pipeline)));
  return RunPasses(steps, PassRunnerOptions(), context, *copy, nullptr).status();
}

absl::Status Compile(const HloModule& module, absl::string_view backend, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, GetClient(std::string(backend)));
  CompileOptions options;
  options.resources = resources;
  return client->Compile(module, options).status();
}

class PhasesTest : public testing::Test {
 protected:
  void Add(std::string name, std::function<absl::Status(const ResourceContext*)> run) {
    phases_.push_back({std::move(name), std::move(run)});
  }

  void SetUp() override {
    text_ = ProgramText(/*blocks=*/15'000);
    large_ = OrDie(ParseHloModule(text_));
    small_ = OrDie(ParseHloModule(ProgramText(/*blocks=*/400)));
    proto_ = OrDie(WriteHloProto(*large_, ProtoEncoding::kBinary));
    AddPhasesOfText();
    AddAnalyses();
    AddPhasesOfViews();
    AddPhasesOfFrontends();
    AddPhasesOfBackends();
  }

  void AddPhasesOfText() {
    Add("reading text", [this](const ResourceContext* resources) {
      ParseOptions options;
      options.resources = resources;
      return ParseHloModule(text_, options).status();
    });
    Add("reading a proto",
        [this](const ResourceContext* resources) { return ReadHloProto(proto_, resources).status(); });
    Add("verifying", [this](const ResourceContext* resources) {
      VerifierOptions options;
      options.resources = resources;
      return VerifyModule(*large_, options);
    });
    Add("printing text",
        [this](const ResourceContext* resources) { return PrintModule(*large_, PrintOptions(), resources).status(); });
    Add("writing a proto", [this](const ResourceContext* resources) {
      return WriteHloProto(*large_, ProtoEncoding::kBinary, HloProtoKind::kModule, resources).status();
    });
    Add("reading JSON",
        [this](const ResourceContext* resources) { return ParseJson(json_, "json", resources).status(); });
  }

  void AddAnalyses() {
    for (const PrintedAnalysis& analysis : AllAnalyses()) {
      Add(absl::StrCat("analysis ", analysis.name),
          [this, &analysis](const ResourceContext* resources) { return analysis.Print(*large_, resources).status(); });
    }
    Add("aliasing", [this](const ResourceContext* resources) {
      PassContext context;
      return context.analyses.Get<Aliasing>(*large_, resources).status();
    });
    Add("exact outputs",
        [this](const ResourceContext* resources) { return FindExactOutputs(*large_, resources).status(); });
    planned_ = CloneModule(*large_);
    PassContext context;
    const absl::StatusOr<Pipeline> copies = ParsePasses("insert-copies");
    EXPECT_TRUE(copies.ok() && RunPasses(*copies, PassRunnerOptions(), context, *planned_, nullptr).ok());
    Add("assigning buffers",
        [this](const ResourceContext* resources) { return AssignBuffers(*planned_, resources).status(); });
    for (const absl::string_view pipeline : {"simplify", "cpu"}) {
      Add(absl::StrCat("pipeline ", pipeline),
          [this, pipeline](const ResourceContext* resources) { return Optimize(*small_, pipeline, resources); });
    }
  }

  void AddPhasesOfViews() {
    for (const std::string& form : ViewForms()) {
      Add(absl::StrCat("view ", form), [this, &form](const ResourceContext* resources) {
        ViewOptions options;
        options.resources = resources;
        return ModuleAsView(*large_, form, options).status();
      });
    }
    Add("table of costs", [this](const ResourceContext* resources) -> absl::Status {
      ASSIGN_OR_RETURN(const CostFunction costs, CostsOf(*large_, resources));
      return CostTable(*large_, costs, /*top=*/20, resources).status();
    });
    Add("difference", [this](const ResourceContext* resources) {
      DiffOptions options;
      options.resources = resources;
      return DiffModules(*large_, *small_, options).status();
    });
  }

  void AddPhasesOfFrontends() {
    nnef1_ = Nnef1Text(/*operations=*/20'000);
    container_ = OrDie(nnef1::OpenContainerInMemory(nnef1_, "model"));
    model_ = OrDie(nnef1::LoadModel(*container_, nnef1::LoadOptions()));
    Add("reading NNEF 1", [this](const ResourceContext* resources) {
      nnef1::LoadOptions options;
      options.resources = resources;
      return nnef1::LoadModel(*container_, options).status();
    });
    Add("lowering NNEF 1", [this](const ResourceContext* resources) {
      nnef1::LoweringOptions options;
      options.resources = resources;
      return nnef1::LowerToHlo(*model_, options).status();
    });
    graph_ = WebnnGraph(builder_, /*operators=*/20'000);
    Add("lowering WebNN",
        [this](const ResourceContext* resources) { return webnn::LowerToHlo(*graph_, resources).status(); });
  }

  void AddPhasesOfBackends() {
    Add("compiling for the interpreter",
        [this](const ResourceContext* resources) { return Compile(*large_, "interpreter", resources); });
    Add("compiling for cpu", [this](const ResourceContext* resources) { return Compile(*small_, "cpu", resources); });
    // Its execution plans are made in the first run.
    const std::shared_ptr<Client> client = OrDie(GetClient("interpreter"));
    Add("running", [this, client](const ResourceContext* resources) -> absl::Status {
      ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, client->Compile(*large_));
      ExecuteOptions options;
      options.resources = resources;
      return ExecuteOnLiterals(*executable, {Literal::Vector<float>({1, 2, 3, 4})}, options).status();
    });
  }

  std::string text_, proto_, nnef1_;
  const std::string json_ = absl::StrCat(
      "[0",
      [] {
        std::string numbers;
        for (int i = 0; i < 400'000; ++i) numbers += ",12.5";
        return numbers;
      }(),
      "]");
  std::unique_ptr<HloModule> large_, small_;
  std::unique_ptr<HloModule> planned_;  // as buffers are assigned to it
  std::unique_ptr<nnef1::Container> container_;
  absl::optional<nnef1::Model> model_;
  webnn::MLGraphBuilder builder_{webnn::MLContext::WithoutDevice(webnn::MLEdition::kLater)};
  absl::optional<webnn::GraphDefinition> graph_;
  std::vector<Phase> phases_;
};

TEST_F(PhasesTest, EndAtOnceIfTheyAreCancelledBefore) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "working");
  cancellation->Cancel();
  for (const Phase& phase : phases_) {
    SCOPED_TRACE(phase.name);
    const absl::Status status = phase.run(&resources);
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("cancelled while "));
  }
}

// Of the process, which other processes do not slow down.
absl::Duration CpuTime() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return absl::DurationFromTimespec(now);
}

TEST_F(PhasesTest, EndSoonAfterADeadlineThatPassesMeanwhile) {
  int tried = 0;
  for (const Phase& phase : phases_) {
    SCOPED_TRACE(phase.name);
    const absl::Time start = absl::Now();
    const absl::Duration cpu_start = CpuTime();
    const absl::Status whole = phase.run(nullptr);
    EXPECT_TRUE(whole.ok()) << whole;
    const absl::Duration whole_cpu = CpuTime() - cpu_start;
    if (whole_cpu < kShortest) continue;
    ++tried;
    ResourceLimits limits;
    limits.timeout = (absl::Now() - start) / 4;
    absl::Status status;
    absl::Duration cpu;
    // On a machine that has become less busy meanwhile, a phase may end before, or nearly.
    const absl::Duration soon = whole_cpu * 0.8;
    for (int attempt = 0; attempt < 4 && (attempt == 0 || status.ok() || cpu >= soon); ++attempt) {
      const absl::Duration begin = CpuTime();
      const ResourceContext resources(limits, "working");
      status = phase.run(&resources);
      cpu = CpuTime() - begin;
      limits.timeout /= 3;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("passed while "));
    EXPECT_LT(cpu, soon) << "it takes " << whole_cpu << " in all";
  }
  EXPECT_GT(tried, static_cast<int>(phases_.size()) / 3);
}

}  // namespace
}  // namespace xla
