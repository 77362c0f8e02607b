#include "docs/generator/reference_pages.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "docs/generator/builder_examples.h"
#include "docs/generator/header_reader.h"
#include "docs/generator/nnef1_page.h"
#include "docs/generator/nnef2_page.h"
#include "docs/generator/page_writer.h"
#include "docs/generator/pass_pages.h"
#include "docs/generator/webnn_page.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kHeader = "builders/computation_builder/computation_builder.h";

// The code examples share their names with what ExampleNames and run_builder_examples.cc define.
constexpr absl::string_view kBuilderOpening =
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

constexpr absl::string_view kBuilderFolder = "builders/computation_builder/";
constexpr absl::string_view kLibHeaders[] = {"constants.h",       "scalar_computations.h",
                                             "lib/math.h",        "lib/activations.h",
                                             "lib/reductions.h",  "lib/cumulative.h",
                                             "lib/matrix.h",      "lib/qr.h",
                                             "lib/solve.h",       "lib/self_adjoint_eig.h",
                                             "lib/slicing.h",     "lib/take.h",
                                             "lib/one_hot.h",     "lib/sorting.h",
                                             "lib/comparators.h", "lib/pooling.h",
                                             "lib/prng.h",        "lib/loops.h"};

constexpr absl::string_view kLibOpening =
    R"(<!-- Written by `bazel run //docs/generator:refresh` from headers in builders/computation_builder: change those, not this. -->

Functions that are made of the operations of the [ComputationBuilder](computation_builder.md). The headers are those of
[builders/computation_builder](../builders/computation_builder); what is in `lib/` is the library
`//:computation_builder_lib`, the rest comes with `//:computation_builder`. Each takes values of a builder and adds operations to it; for errors it is one operation.

Every function has a last argument that is not shown here: `SourceLocation loc`, which is the place of the call unless you
give another. T stands for an element type, "int" for any integer type, "float" for any floating type. Values in the examples
are written as lists.
)";

// The families of a small header, or the header as a family; what its top says goes for all of them.
void AppendFamilies(absl::string_view name, DocHeader header, std::vector<DocFamily>& families) {
  std::vector<DocComment::Paragraph>& first = header.families[0].comment.paragraphs;
  first.insert(first.begin(), header.comment.paragraphs.begin(), header.comment.paragraphs.end());
  for (DocFamily& family : header.families) {
    for (const DocField& field : header.comment.fields) {
      if (family.comment.Find(field.name) == nullptr) family.comment.fields.push_back(field);
    }
    family.title = family.title.empty() ? std::string(name) : absl::StrCat(name, ": ", family.title);
    families.push_back(std::move(family));
  }
}

absl::StatusOr<std::string> LibPage(const std::string& root) {
  DocHeader all;
  for (absl::string_view name : kLibHeaders) {
    ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", kBuilderFolder, name)));
    AppendFamilies(name, ReadHeader(file.data()), all.families);
  }
  return WritePage("Library of the ComputationBuilder", kLibOpening, all, {});
}

}  // namespace

// All reference pages, as they should be in docs; refresh writes them and a test compares.
absl::StatusOr<std::vector<ReferencePage>> GenerateReferencePages(const std::string& root) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(absl::StrCat(root, "/", kHeader)));
  const DocHeader header = ReadHeader(file.data());
  ASSIGN_OR_RETURN(const ShownExamples examples, RunBuilderExamples());
  const std::vector<std::string> gaps = FindGaps(header.families, examples);
  if (!gaps.empty()) return absl::InvalidArgumentError(absl::StrCat(kHeader, ":\n", absl::StrJoin(gaps, "\n")));
  ASSIGN_OR_RETURN(std::string lib_page, LibPage(root));
  std::vector<ReferencePage> pages = {
      {"docs/computation_builder.md", WritePage("ComputationBuilder", kBuilderOpening, header, examples)},
      {"docs/computation_builder_lib.md", std::move(lib_page)}};
  ASSIGN_OR_RETURN(ReferencePage webnn_page, GenerateWebnnPage(root));
  pages.push_back(std::move(webnn_page));
  ASSIGN_OR_RETURN(ReferencePage nnef1_page, GenerateNnef1Page(root));
  pages.push_back(std::move(nnef1_page));
  ASSIGN_OR_RETURN(ReferencePage nnef2_page, GenerateNnef2Page());
  pages.push_back(std::move(nnef2_page));
  ASSIGN_OR_RETURN(std::vector<ReferencePage> pass_pages, GeneratePassPages(root));
  pages.insert(pages.end(), std::make_move_iterator(pass_pages.begin()), std::make_move_iterator(pass_pages.end()));
  return pages;
}

}  // namespace xla
