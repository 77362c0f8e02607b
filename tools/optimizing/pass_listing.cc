#include "tools/optimizing/pass_listing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "passes/all_analyses.h"
#include "passes/base/rewrite_rule.h"
#include "passes/pass_runner.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "passes/xla_pass_names.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

template <typename Rows, typename Row>
std::string Table(const Rows& rows, const Row& row) {
  size_t width = 0;
  for (const auto& each : rows) width = std::max(width, absl::string_view(row(each).first).size());
  std::string text;
  for (const auto& each : rows) {
    const auto [name, summary] = row(each);
    absl::StrAppendFormat(&text, "%-*s  %s\n", static_cast<int>(width), name, summary);
  }
  return text;
}

const char* KindName(PassOption::Kind kind) {
  switch (kind) {
    case PassOption::Kind::kBool:
      return "true or false";
    case PassOption::Kind::kInt:
      return "a whole number";
    case PassOption::Kind::kText:
      return "text";
    case PassOption::Kind::kList:
      return "words joined by +";
  }
  return "";
}

std::string SummaryWithXlaNames(const Pass& pass) {
  const std::vector<absl::string_view> names = XlaNamesOfPass(pass.name);
  if (names.empty()) return pass.summary;
  return absl::StrCat(pass.summary, " (XLA: ", absl::StrJoin(names, ", "), ")");
}

std::string DescribePass(const Pass& pass) {
  std::string text = absl::StrCat(pass.name, ": ", SummaryWithXlaNames(pass), "\n");
  if (pass.needs[0] != '\0') absl::StrAppend(&text, "  needs: ", pass.needs, "\n");
  if (pass.establishes[0] != '\0') absl::StrAppend(&text, "  establishes: ", pass.establishes, "\n");
  for (const PassOption& option : pass.options) {
    absl::StrAppend(&text, "  option ", option.name, " (", KindName(option.kind), ", default '", option.default_value,
                    "'): ", option.help, "\n");
  }
  if (pass.rules == nullptr) return text;
  for (const RewriteRule* rule : pass.rules(pass.name)) {
    absl::StrAppend(&text, "  rule ", rule->name, ": ", rule->before_after,
                    rule->fast_math == kExact ? "" : " (fast math)", "\n");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ListPasses(const std::vector<std::string>& names) {
  if (names.empty()) {
    return Table(AllPasses(), [](const Pass* pass) { return std::make_pair(pass->name, SummaryWithXlaNames(*pass)); });
  }
  std::string text;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Pass* const pass, PassByName(name));
    absl::StrAppend(&text, DescribePass(*pass));
  }
  return text;
}

absl::StatusOr<std::string> ListPipelines(const std::vector<std::string>& names) {
  if (names.empty()) {
    return Table(AllPipelines(),
                 [](const NamedPipeline& pipeline) { return std::make_pair(pipeline.name, pipeline.summary); });
  }
  std::string text;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Pipeline pipeline, PipelineByName(name));
    absl::StrAppend(&text, DescribePipeline(pipeline));
  }
  return text;
}

std::string ListAnalyses() {
  return Table(AllAnalyses(),
               [](const PrintedAnalysis& analysis) { return std::make_pair(analysis.name, analysis.summary); });
}

}  // namespace xla
