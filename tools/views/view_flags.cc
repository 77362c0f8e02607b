#include "tools/views/view_flags.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "passes/cutting/extract.h"
#include "tools/views/html_view.h"
#include "tools/views/instruction_cost.h"
#include "tools/views/module_dot.h"
#include "tools/views/module_json.h"
#include "xla_core/support/status_macros.h"

namespace xla {

void AddViewFlags(FlagTable* table, ViewFlags* flags) {
  table->Topic("looking", "costs and differences of modules");
  table->Switch("cost", &flags->cost,
                "print the cost of the module instead of its text: bytes, flops and transcendentals by opcode and for "
                "the most expensive instructions");
  AddMeshCostFlags(table, &flags->mesh_cost);
  table->Switch("diff", &flags->diff,
                "compare two files, hlo-opt --diff A B, regardless of the names of instructions: print what was "
                "removed, added and changed; exit status 0 if nothing, else 1");
  table->Topic("cutting", "parts of modules");
  table->Text("extract", "NAME[,DEPTH]", &flags->extract,
              "continue with a module that computes this instruction (COMPUTATION/NAME if several have the name) from "
              "its operands at most DEPTH edges away (default: all); operands farther away become parameters, "
              "constants are included");
  table->Switch("split-input-file", &flags->split_input_file,
                "process the modules of a file, separated by lines `// -----`, one by one: report an invalid one and "
                "continue with the others");
  table->Topic("reducing", "the smallest module that still fails");
  ReduceFlags& reduce = flags->reduce;
  table->Switch("reduce", &reduce.reduce,
                "make the module smaller as long as the command of --test keeps failing; the file of --output always "
                "has the smallest so far, as HLO text");
  table->Text("test", "CMD", &reduce.test,
              "test modules with a shell command, which gets the file of a module as $1 (as its last argument, if it "
              "does not contain $1); it sees verified modules only");
  table->Choice("keep", {"fails", "passes"}, &reduce.keep,
                "keep modules for which the command exits with a status other than 0, or with 0 (default: fails)");
  table->Duration("reduce-time", "T", &reduce.time_limit, "stop after this time (default: when no edit helps)");
  table->Duration("test-time", "T", &reduce.test_time_limit,
                  "stop a command after this time and reject the module (default: 1m)");
  table->Note("  hlo-opt bad.hlo --reduce --test ./crashes.sh -o small.hlo");
  table->Topic("xla", "spellings of XLA's own hlo-opt");
  table->Choice("format", {"hlo", "pb", "pbtxt"}, &flags->format,
                "accept the form of the input; not needed, because the content shows it");
  table->Choice("stage", {"hlo", "html"}, &flags->stage, "do as --to text for hlo, as --to html for html");
  table->Switch("emit-proto", &flags->emit_proto, "do as --to pbtxt");
  table->Switch("list-stages", &flags->list_stages, "print the values of --stage");
}

absl::Status ApplyXlaSpellings(const ViewFlags& flags, std::string* to) {
  if (flags.emit_proto && !flags.stage.empty() && flags.stage != "hlo") {
    return absl::InvalidArgumentError("--emit-proto and --stage=html contradict each other: leave one out");
  }
  if (flags.emit_proto) *to = "pbtxt";
  if (flags.stage == "html") *to = "html";
  return absl::OkStatus();
}

const std::vector<std::string>& ViewForms() {
  static const auto& forms = *new std::vector<std::string>{"dot", "html", "json"};
  return forms;
}

bool IsViewForm(absl::string_view form) { return absl::c_linear_search(ViewForms(), form); }

absl::StatusOr<std::string> ModuleAsView(const HloModule& module, absl::string_view form, const ViewOptions& options) {
  if (form == "dot") return ModuleToDot(module, options.resources);
  ASSIGN_OR_RETURN(CostFunction cost, CostsOf(module, options.resources));
  if (form == "html") return ModuleToHtml(module, cost, options.resources);
  JsonOptions json;
  json.elide_large_constants = options.elide_constants;
  json.metadata = options.metadata;
  json.cost = std::move(cost);
  json.resources = options.resources;
  return ModuleToJson(module, json);
}

absl::StatusOr<std::unique_ptr<HloModule>> Extracted(const HloModule& module, const ViewFlags& flags) {
  ASSIGN_OR_RETURN(const ExtractRequest request, ParseExtractRequest(flags.extract));
  return ExtractModule(module, request);
}

}  // namespace xla
