#include "docs/generator/reference_pages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "docs/generator/builder_examples.h"
#include "docs/generator/header_reader.h"
#include "docs/generator/page_writer.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kHeader = "builders/computation_builder/computation_builder.h";

// The code examples share their names with what ExampleNames and run_builder_examples.cc define.
constexpr absl::string_view kOpening =
    R"(<!-- Written by `bazel run //docs/generator:refresh` from builders/computation_builder/computation_builder.h and
docs/generator/builder_examples.cc: change those, not this. -->

The reference of [computation_builder.h](../builders/computation_builder/computation_builder.h), an entry for each
operation. [examples/](../examples/README.md) shows whole programs.

Every method has a last argument that is not shown here: `SourceLocation loc`, which is the place of the call unless you
give another. Values and error messages carry it.

In the examples, `b` is the builder, `v` is `f32[3] {1, 2, 3}` and `m` is `f32[2,3] {{1, 2, 3}, {4, 5, 6}}`. `add`,
`maximum`, `ge` (greater or equal) and `less` are computations of two scalars that
[scalar_computations.h](../builders/computation_builder/scalar_computations.h) makes; `square`, `twice` and `below_100`
are what they are called, of one scalar; `running_sum` takes an element and a sum and returns the new sum twice. Each example
is compiled and run, and the comment below it is what the interpreter gave.
)";

}  // namespace

absl::StatusOr<std::vector<ReferencePage>> GenerateReferencePages(const std::string& root) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", kHeader)));
  const DocHeader header = ReadHeader(file.data());
  ASSIGN_OR_RETURN(const ShownExamples examples, RunBuilderExamples());
  const std::vector<std::string> gaps = FindGaps(header.families, examples);
  if (!gaps.empty()) return absl::InvalidArgumentError(absl::StrCat(kHeader, ":\n", absl::StrJoin(gaps, "\n")));
  return std::vector<ReferencePage>{
      {"docs/computation_builder.md", WritePage("ComputationBuilder", kOpening, header, examples)}};
}

}  // namespace xla
