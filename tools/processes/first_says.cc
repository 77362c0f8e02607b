#include "tools/processes/first_says.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/literal_execution.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {

absl::StatusOr<std::unique_ptr<FirstSays>> FirstSays::Create(Client& client, const ResourceContext* resources) {
  const size_t count = client.devices().size();
  std::string devices = "0";
  for (size_t d = 1; d < count; ++d) absl::StrAppend(&devices, ",", d);
  const std::string text = absl::StrCat("HloModule first_says, replica_count=", count,
                                        "\nENTRY e { mine = s64[] parameter(0) ROOT first = s64[] "
                                        "collective-broadcast(mine), replica_groups={{",
                                        devices, "}} }");
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloModule(text));
  CompileOptions options;
  options.resources = resources;
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> program, client.Compile(std::move(module), options));
  return std::unique_ptr<FirstSays>(new FirstSays(std::move(program), resources));
}

absl::StatusOr<int64_t> FirstSays::Number(int64_t mine) {
  const std::vector<std::vector<Literal>> arguments(program_->devices().size(), {Literal::Scalar(mine)});
  ExecuteOptions options;
  options.resources = resources_;
  ASSIGN_OR_RETURN(const std::vector<Literal> results, ExecuteOnLiterals(*program_, arguments, options));
  return *results[0].data<int64_t>();
}

}  // namespace xla
