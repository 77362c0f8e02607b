#include "builders/nnef2/recognition/test_support.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "builders/nnef2/recognition/recognise.h"

namespace xla {
namespace nnef2 {

int num_recognised = 0;

namespace {

int CountedRecogniser(NestLowering& lowering, const std::vector<StatementNest>& nests, int first,
                      const std::vector<XlaOp>& initial, std::vector<XlaOp>* results) {
  const int count = RecogniseStatements(lowering, nests, first, initial, results);
  num_recognised += count;
  return count;
}

}  // namespace

std::string OpcodesOf(const std::string& inputs, const std::string& outputs, const std::string& statements,
                      const std::string& graph_inputs, const std::string& graph_outputs, PrimitiveType real_type) {
  num_recognised = 0;
  std::vector<std::string> arguments;
  for (size_t place = inputs.find(':'); place != std::string::npos; place = inputs.find(':', place + 1)) {
    arguments.push_back(inputs.substr(inputs.rfind(' ', place) + 1, place - inputs.rfind(' ', place) - 1));
  }
  const std::string blocks = absl::StrCat("@input { ", inputs, " } @output { ", outputs, " }");
  const std::string graph_blocks = absl::StrCat("@input { ", graph_inputs.empty() ? inputs : graph_inputs,
                                                " } @output { ", graph_outputs.empty() ? outputs : graph_outputs, " }");
  const auto source = std::make_shared<const Source>(
      Source{"main.sknd",
             absl::StrCat("operator op { ", blocks, " @lower { ", statements, " } } graph G { ", graph_blocks,
                          " @compose { y = op(", absl::StrJoin(arguments, ", "), "); } }"),
             "main"});
  Diagnostics diagnostics;
  const auto program = Program::Load(
      source, [](absl::string_view) { return nullptr; }, &diagnostics);
  if (program == nullptr) return std::string(diagnostics.ToStatus().message());
  const Signatures signatures = CheckProgram(*program, &diagnostics);
  const absl::optional<ComposedGraph> graph = ComposeGraph(program, signatures, {}, &diagnostics);
  if (!graph.has_value()) return std::string(diagnostics.ToStatus().message());
  LowerOptions options;
  options.recogniser = CountedRecogniser;
  options.real_type = real_type;
  const absl::StatusOr<nnef::LoweredModel> model = LowerGraph(*graph, options, &diagnostics);
  if (!model.ok()) return std::string(model.status().message());
  std::vector<std::string> opcodes;
  for (const auto& instruction : model->module->entry()->instructions()) {
    const HloOpcode opcode = instruction->opcode();
    if (opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant || opcode == HloOpcode::kTuple) continue;
    opcodes.emplace_back(HloOpcodeName(opcode));
  }
  return absl::StrJoin(opcodes, " ");
}

}  // namespace nnef2
}  // namespace xla
