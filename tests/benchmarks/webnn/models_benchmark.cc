// A model built with WebNN beside the same model in HLO that JAX wrote: one process, one client, one run of each in
// turn.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/backend.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "tests/benchmarks/webnn/models.h"
#include "tools/shared/check_results.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/measure_runs.h"
#include "tools/shared/write_results.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace webnn {
namespace {

// How much longer the graph may take.
constexpr double kMostRatio = 1.03;

struct Flags {
  std::string model = "mobilenet_v2";
  std::string hlo;
  std::string layout = "nhwc";
  std::string weights = "constants";
  std::string backend = "cpu";
  std::string write_hlo;
  std::string clock = "wall";
  int64_t threads = 1;
  int64_t runs = 200;
  int64_t dim = 256;
  int64_t heads = 4;
  int64_t layers = 4;
  int64_t vocabulary = 1000;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("models_benchmark --hlo FILE [FLAGS]",
                  "Builds a model with WebNN and times it beside the same model in HLO, run by run. Exit status: 0 the "
                  "results agree and the graph takes at most 3 % longer, 1 they do not or it does, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Choice("model", {"mobilenet_v2", "transformer"}, &flags.model, "what is built (default: mobilenet_v2)");
  table.Text("hlo", "FILE", &flags.hlo, "the same as HLO, with inputs and weights as parameters (jax_models.py)");
  table.Choice("layout", {"nhwc", "nchw"}, &flags.layout, "of mobilenet_v2 (default: nhwc)");
  table.Choice("weights", {"constants", "inputs"}, &flags.weights,
               "what weights are, on both sides (default: constants)");
  table.Text("backend", "NAME", &flags.backend, "(default: cpu)");
  table.Number("threads", "N", &flags.threads, 1, "(default: 1)");
  table.Choice("clock", {"wall", "cpu"}, &flags.clock,
               "what is counted: time, or that of this process on CPUs, which neighbours disturb less (default: wall)");
  table.Number("runs", "N", &flags.runs, 1, "of each (default: 200)");
  table.Number("dim", "N", &flags.dim, 1, "of the transformer (default: 256)");
  table.Number("heads", "N", &flags.heads, 1, "of the transformer (default: 4)");
  table.Number("layers", "N", &flags.layers, 1, "of the transformer (default: 4)");
  table.Number("vocabulary", "N", &flags.vocabulary, 1, "of the transformer (default: 1000)");
  table.Text("write-hlo", "FILE", &flags.write_hlo, "writes the graph as HLO, and does no more");
  return table;
}

// Something that runs, and what came out of the last run.
struct Contestant {
  std::function<absl::Status()> run;
  std::function<std::vector<Literal>()> results;
  std::vector<double> milliseconds;
};

// ---- The graph

struct GraphState {
  std::shared_ptr<MLContext> context;
  std::shared_ptr<MLGraph> graph;
  MLNamedArrayBufferViews inputs, outputs;
};

absl::StatusOr<ArrayBufferView> ViewOf(const Literal& value, const MLOperandDescriptor& descriptor) {
  ASSIGN_OR_RETURN(ArrayBufferView view, ArrayBufferView::For(descriptor));
  std::memcpy(view.data(), value.untyped_data(), static_cast<size_t>(view.byteLength()));
  return view;
}

Literal LiteralOf(const ArrayBufferView& view, const MLOperandDescriptor& descriptor) {
  Literal literal = Literal::Zeros(HloShapeOf(descriptor)).value();
  std::memcpy(literal.untyped_mutable_data(), view.data(), static_cast<size_t>(view.byteLength()));
  return literal;
}

// As a program would run it: with compute(), which takes the views and gives them back.
absl::StatusOr<Contestant> GraphContestant(const std::shared_ptr<MLContext>& context, MLGraphBuilder& builder,
                                           const MLNamedOperands& outputs, const std::vector<Literal>& values) {
  auto state = std::make_shared<GraphState>();
  state->context = context;
  ASSIGN_OR_RETURN(state->graph, builder.build(outputs));
  const NamedDescriptors& wanted = state->graph->inputDescriptors();
  for (int i = 0; i < wanted.size(); ++i) {
    ASSIGN_OR_RETURN(ArrayBufferView view, ViewOf(values[std::stoi(wanted.name(i))], wanted.descriptor(i)));
    state->inputs.emplace_back(wanted.name(i), std::move(view));
  }
  for (const auto& [name, descriptor] : state->graph->outputDescriptors().all()) {
    ASSIGN_OR_RETURN(ArrayBufferView view, ArrayBufferView::For(descriptor));
    state->outputs.emplace_back(name, std::move(view));
  }
  Contestant contestant;
  contestant.run = [state] {
    ASSIGN_OR_RETURN(MLComputeResult result, state->context->compute(state->graph, state->inputs, state->outputs));
    state->inputs = std::move(result.inputs);
    state->outputs = std::move(result.outputs);
    return absl::OkStatus();
  };
  contestant.results = [state] {
    std::vector<Literal> results;
    for (int i = 0; i < state->graph->outputDescriptors().size(); ++i) {
      results.push_back(LiteralOf(state->outputs[i].second, state->graph->outputDescriptors().descriptor(i)));
    }
    return results;
  };
  return contestant;
}

// ---- The program

absl::Status CheckParameters(const HloModule& module, const std::vector<Literal>& values) {
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  if (parameters.size() != values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has ", values.size(), " inputs and weights, the program ", parameters.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (parameters[i]->shape().Compatible(values[i].shape())) continue;
    return absl::InvalidArgumentError(absl::StrCat("parameter ", i, " of the program is ",
                                                   parameters[i]->shape().ToString(), ", expected ",
                                                   values[i].shape().ToString()));
  }
  return absl::OkStatus();
}

// Puts constants into the place of all parameters but the first.
void BindWeights(HloModule& module, const std::vector<Literal>& values) {
  HloComputation& entry = *module.entry();
  for (HloInstruction* parameter : entry.parameters()) {
    const int64_t number = parameter->attributes<ParameterAttributes>().number;
    if (number == 0) continue;
    auto constant = std::make_unique<HloInstruction>(HloOpcode::kConstant, "", parameter->shape());
    auto attributes = std::make_unique<ConstantAttributes>();
    attributes->literal = std::make_shared<const Literal>(values[number]);
    constant->set_attributes(std::move(attributes));
    parameter->ReplaceAllUsesWith(entry.AddInstruction(std::move(constant)));
    entry.RemoveInstruction(parameter);
  }
  module.mutable_config().entry_computation_layout = absl::nullopt;
  module.Tidy();
}

struct ProgramState {
  std::shared_ptr<Client> client;
  std::unique_ptr<Executable> executable;
  BufferList arguments;
  std::vector<Buffer*> pointers;
  std::vector<Literal> results;
};

// With its arguments on the device; results are copied to the host, as compute() does.
absl::StatusOr<Contestant> ProgramContestant(const std::shared_ptr<Client>& client, const Flags& flags,
                                             const std::vector<Literal>& values) {
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(flags.hlo));
  ASSIGN_OR_RETURN(ProgramFile file, ParseProgram(contents.data(), flags.hlo));
  HloModule& module = *file.modules[0];
  RETURN_IF_ERROR(CheckParameters(module, values));
  if (flags.weights == "constants") BindWeights(module, values);
  RETURN_IF_ERROR(VerifyModule(module));
  auto state = std::make_shared<ProgramState>();
  state->client = client;
  const int64_t argument_count = module.entry()->parameter_count();
  ASSIGN_OR_RETURN(state->executable, client->Compile(std::move(file.modules[0])));
  for (int64_t i = 0; i < argument_count; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client->BufferFromLiteral(values[i]));
    state->pointers.push_back(buffer.get());
    state->arguments.push_back(std::move(buffer));
  }
  Contestant contestant;
  contestant.run = [state]() -> absl::Status {
    const absl::Span<Buffer* const> of_device = state->pointers;
    ASSIGN_OR_RETURN(const Execution execution, state->executable->Launch({&of_device, 1}, ExecuteOptions()));
    RETURN_IF_ERROR(execution.done.Await());
    const BufferList& buffers = execution.results[0];
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (state->results.size() == i) state->results.push_back(Literal::Zeros(buffers[i]->shape()).value());
      RETURN_IF_ERROR(buffers[i]->CopyToHost(state->results[i].untyped_mutable_data(), state->results[i].size_bytes()));
    }
    return absl::OkStatus();
  };
  contestant.results = [state] { return state->results; };
  return contestant;
}

// ---- Both

// Milliseconds of one run.
absl::StatusOr<double> Time(const Contestant& contestant, bool of_cpus) {
  if (!of_cpus) return TimeOnce(contestant.run);
  const std::clock_t start = std::clock();
  RETURN_IF_ERROR(contestant.run());
  return static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
}

// Which one begins changes from run to run.
absl::Status TimeInTurn(Contestant& program, Contestant& graph, const Flags& flags) {
  constexpr int kWarmUpRuns = 5;
  for (int64_t i = -kWarmUpRuns; i < flags.runs; ++i) {
    Contestant* order[] = {&program, &graph};
    if (i % 2 != 0) std::swap(order[0], order[1]);
    for (Contestant* contestant : order) {
      ASSIGN_OR_RETURN(const double milliseconds, Time(*contestant, flags.clock == "cpu"));
      if (i >= 0) contestant->milliseconds.push_back(milliseconds);
    }
  }
  return absl::OkStatus();
}

// False if the results differ.
bool ReportResults(const Contestant& program, const Contestant& graph) {
  ResultTolerance tolerance;
  tolerance.rtol = 1e-3;
  tolerance.atol = 1e-4;
  // As the tuple of one device.
  const auto named = [](const Contestant& contestant) {
    return NameResults({Literal::Tuple(contestant.results())});
  };
  const CheckedResults checked = CheckResults(named(graph), named(program), tolerance);
  std::printf("%s", checked.report.c_str());
  return checked.match;
}

// False if the graph takes too long.
bool ReportTimes(const Flags& flags, const Contestant& program, const Contestant& graph) {
  const RunTimes of_program = SummarizeRuns(program.milliseconds), of_graph = SummarizeRuns(graph.milliseconds);
  const double ratio = of_graph.median_ms / of_program.median_ms;
  std::printf(
      "%s, weights as %s, %lld threads: HLO %.3f ms (at least %.3f), WebNN %.3f ms (at least %.3f), "
      "ratio %.3f (of the least %.3f)%s\n",
      flags.model.c_str(), flags.weights.c_str(), static_cast<long long>(flags.threads), of_program.median_ms,
      of_program.min_ms, of_graph.median_ms, of_graph.min_ms, ratio, of_graph.min_ms / of_program.min_ms,
      ratio > kMostRatio ? "  MISSED" : "");
  return ratio <= kMostRatio;
}

absl::StatusOr<bool> Compare(const Flags& flags) {
  MLContextOptions options;
  options.backend = flags.backend;
  options.client_options.threads = static_cast<int>(flags.threads);
  ASSIGN_OR_RETURN(const std::shared_ptr<MLContext> context, ML().createContext(options));
  MLGraphBuilder builder(context);
  ModelInputs inputs(builder, flags.weights == "constants");
  MLNamedOperands outputs;
  if (flags.model == "transformer") {
    TransformerSizes sizes;
    sizes.vocabulary = static_cast<uint32_t>(flags.vocabulary);
    sizes.dim = static_cast<uint32_t>(flags.dim);
    sizes.heads = static_cast<uint32_t>(flags.heads);
    sizes.layers = static_cast<uint32_t>(flags.layers);
    outputs = Transformer(builder, inputs, sizes);
  } else {
    outputs = MobileNetV2(builder, inputs, *ParseEnum<MLInputOperandLayout>(flags.layout));
  }
  if (!flags.write_hlo.empty()) {
    ASSIGN_OR_RETURN(const GraphDefinition definition, builder.Define(outputs));
    ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, LowerToHlo(definition));
    RETURN_IF_ERROR(WriteFile(flags.write_hlo, ModuleToString(*module)));
    return true;
  }
  ASSIGN_OR_RETURN(Contestant program, ProgramContestant(context->client(), flags, inputs.values()));
  ASSIGN_OR_RETURN(Contestant graph, GraphContestant(context, builder, outputs, inputs.values()));
  RETURN_IF_ERROR(TimeInTurn(program, graph, flags));
  const bool agree = ReportResults(program, graph);
  return ReportTimes(flags, program, graph) && agree;
}

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> exit_code = ReadCommandLine("models_benchmark", argc, argv, table);
  if (exit_code.has_value()) return *exit_code;
  const absl::StatusOr<bool> fine = Compare(flags);
  if (!fine.ok()) {
    std::fprintf(stderr, "models_benchmark: %s\n", std::string(fine.status().message()).c_str());
    return kExitRunFailed;
  }
  return *fine ? kExitFine : kExitResultsDiffer;
}

}  // namespace
}  // namespace webnn
}  // namespace xla

int main(int argc, char** argv) { return xla::webnn::Main(argc, argv); }
