// The same operation through NNEF 1 and NNEF 2 is the same HLO once it is prepared for the backend cpu.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef2/lowering/lower_graph.h"
#include "builders/nnef2/recognition/recognise.h"
#include "gtest/gtest.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "tests/nnef_pairs/pairs.h"
#include "tests/random_nnef2/compose_document.h"
#include "tools/views/module_diff.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct Input {
  std::string name, shape;
  bool is_bool = false;
};

std::vector<Input> InputsOf(const OperationPair& pair) {
  std::vector<Input> inputs;
  for (const absl::string_view text : absl::StrSplit(pair.inputs, "; ")) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(": ", 1));
    Input input{parts.first, parts.second};
    input.is_bool = absl::StartsWith(input.shape, "bool ");
    if (input.is_bool) input.shape = input.shape.substr(5);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::StatusOr<std::unique_ptr<HloModule>> FromNnef1(const OperationPair& pair) {
  std::vector<std::string> names;
  std::string body;
  for (const Input& input : InputsOf(pair)) {
    names.push_back(input.name);
    absl::StrAppend(&body, "    ", input.name, " = external<", input.is_bool ? "logical" : "scalar", ">(shape = [",
                    input.shape, "]);\n");
  }
  const std::string text =
      absl::StrCat("version 1.0;\nextension KHR_enable_operator_expressions;\n\ngraph g( ", absl::StrJoin(names, ", "),
                   " ) -> ( z )\n{\n", body, "    z = ", pair.nnef1, ";\n}\n");
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(folder == nullptr ? "/tmp" : folder, "/pair.nnef");
  std::ofstream(path) << text;
  ASSIGN_OR_RETURN(const nnef1::Model model, nnef1::LoadModel(path, {}));
  ASSIGN_OR_RETURN(nnef1::LoweredModel lowered, nnef1::LowerToHlo(model, {}));
  return std::move(lowered.module);
}

absl::StatusOr<std::unique_ptr<HloModule>> FromNnef2(const OperationPair& pair) {
  std::string inputs;
  for (const Input& input : InputsOf(pair)) {
    absl::StrAppend(&inputs, input.name, ": ", input.is_bool ? "bool" : "real", "[", input.shape, "]; ");
  }
  // Operands that drop their dimension of one element are components of their own.
  std::string call = pair.nnef2, before;
  const size_t squeezed = call.find("layout.squeeze(");
  if (squeezed != std::string::npos) {
    const std::string name = call.substr(squeezed + 15, 1);
    before = absl::StrCat("s = layout.squeeze{axes=[0]}(", name, "); ");
    call.replace(squeezed, 17, "s");
  }
  nnef2::RandomDocument document;
  document.text = absl::StrCat("import layout, math, linalg, nn, image;\ngraph G {\n    @input { ", inputs,
                               "}\n    @output { z: $0; }\n    @compose { ", before, "z = ", call, "; }\n}\n");
  ASSIGN_OR_RETURN(const nnef2::ComposedGraph graph, nnef2::ComposeCall(document));
  nnef::Diagnostics diagnostics;
  nnef2::LowerOptions options;
  options.recogniser = nnef2::RecogniseStatements;
  ASSIGN_OR_RETURN(nnef::LoweredModel lowered, nnef2::LowerGraph(graph, options, &diagnostics));
  return std::move(lowered.module);
}

absl::Status Prepare(HloModule& module) {
  ASSIGN_OR_RETURN(const Pipeline pipeline, PipelineByName("cpu"));
  PassContext context;
  return RunPasses(pipeline, PassRunnerOptions(), context, module, nullptr).status();
}

absl::StatusOr<ModuleDiff> Compare(const OperationPair& pair) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> first, FromNnef1(pair));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> second, FromNnef2(pair));
  RETURN_IF_ERROR(Prepare(*first));
  RETURN_IF_ERROR(Prepare(*second));
  return DiffModules(*first, *second);
}

TEST(NnefPairsTest, OperationsOfBothVersionsAreTheSameHlo) {
  for (const OperationPair& pair : OperationPairs()) {
    const absl::StatusOr<ModuleDiff> diff = Compare(pair);
    if (!diff.ok()) {
      ADD_FAILURE() << pair.nnef2 << ": " << diff.status();
      continue;
    }
    EXPECT_TRUE(diff->same) << pair.nnef1 << "\n" << pair.nnef2 << "\n" << diff->text;
  }
}

// What is asked for: at least 60 of them.
TEST(NnefPairsTest, AreMany) { EXPECT_GE(OperationPairs().size(), 60u); }

}  // namespace
}  // namespace xla
