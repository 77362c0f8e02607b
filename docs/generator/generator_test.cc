// The checked-in pages are what the generator writes today, and the generator reads headers as it says.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "docs/generator/header_reader.h"
#include "docs/generator/markdown_text.h"
#include "docs/generator/nnef2_page.h"
#include "docs/generator/page_writer.h"
#include "docs/generator/pass_pages.h"
#include "docs/generator/reference_pages.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Content(const std::string& path) {
  const absl::StatusOr<FileContents> file = ReadFile(path);
  return file.ok() ? std::string(file->data()) : std::string(file.status().message());
}

TEST(Reference, IsUpToDate) {
  const absl::StatusOr<std::vector<ReferencePage>> pages = GenerateReferencePages(".");
  ASSERT_TRUE(pages.ok()) << pages.status();
  for (const ReferencePage& page : *pages) {
    EXPECT_TRUE(page.text == Content(page.path))
        << page.path << " is not what it is written from says now; run: bazel run //docs/generator:refresh";
  }
  EXPECT_THAT(StalePassPages(".", *pages), testing::IsEmpty()) << "run: bazel run //docs/generator:refresh";
}

TEST(LibraryPage, ShowsTheSmallestProgramAsItIs) {
  const std::string program = Content("examples/hello/hello.cc");
  EXPECT_TRUE(absl::StrContains(Content("docs/library.md"), "```c++\n" + program + "```"))
      << "the program in docs/library.md is not examples/hello/hello.cc; copy it there";
}

constexpr char kSmallHeader[] = R"(// What the file is for.
#include <x>

class Builder {
 public:
  int size() const { return 1; }  // before the first family

  // ==== Sums
  //
  // result = a + b.
  //   Errors: shapes that differ.
  //   HLO: the opcode of the same name

  // Sum. T: any. The rest of the prose.
  XlaOp Add(XlaOp a, XlaOp b,
            SourceLocation loc = SourceLocation::Current());
  XlaOp Subtract(XlaOp a, XlaOp b, SourceLocation loc = SourceLocation::Current());

  // Of many.
  //   Shapes: T[n], with
  //     more on the next line
  XlaOp AddAll(Span<XlaOp> all = {});

 private:
  XlaOp Hidden();
};
)";

TEST(HeaderReader, ReadsFamiliesEntriesAndFields) {
  const DocHeader header = ReadHeader(kSmallHeader);
  ASSERT_EQ(header.families.size(), 1u);
  const DocFamily& sums = header.families[0];
  EXPECT_EQ(sums.title, "Sums");
  EXPECT_EQ(*sums.comment.Find("Errors"), "shapes that differ");
  ASSERT_EQ(sums.entries.size(), 2u);
  EXPECT_THAT(sums.entries[0].names, ElementsAre("Add", "Subtract"));
  EXPECT_EQ(sums.entries[0].signatures[0], "XlaOp Add(XlaOp a, XlaOp b)");
  EXPECT_EQ(sums.entries[0].comments[0].paragraphs[0].text, "Sum. The rest of the prose.");
  EXPECT_EQ(*sums.entries[0].comments[0].Find("T"), "any");
  EXPECT_EQ(*sums.entries[1].comments[0].Find("Shapes"), "T[n], with more on the next line");
  EXPECT_EQ(sums.entries[1].signatures[0], "XlaOp AddAll(Span<XlaOp> all = {})");
}

TEST(PageWriter, LinksEachNameAndShowsExamplesBelowSignatures) {
  const std::string page =
      WritePage("Title", "Opening.\n", ReadHeader(kSmallHeader), {{"Add", {{"b.Add(x, y)", "// 3\n"}}}});
  EXPECT_THAT(page,
              HasSubstr("- **[Sums](#sums)**: [Add](#add-subtract), [Subtract](#add-subtract), [AddAll](#addall)"));
  EXPECT_THAT(page, HasSubstr("- **Errors**: shapes that differ\n"));
  EXPECT_THAT(page, HasSubstr("XlaOp Subtract(XlaOp a, XlaOp b)\nb.Add(x, y)  // 3\n```\n\nSum."));
  EXPECT_THAT(page, HasSubstr("The rest of the prose.\n*Element types*: any. *HLO*: `add`, `subtract`.\n"));
}

TEST(PageWriter, FindsWhatIsMissing) {
  EXPECT_THAT(FindGaps(ReadHeader(kSmallHeader).families, {}),
              ElementsAre("Add, Subtract has no example", "AddAll has no example",
                          "AddAll: there is no opcode add-all; say in its comment which it is"));
}

constexpr char kSmallModule[] = R"(# what the module is for

import math;

# ---- Sums

# Adds one
# to x.
#
# More about it.
operator next {
    @attrib {
        n: int;
    }
    @input {
        x: real[n];
    }
    @output {
        y: real[n];
    }
    @assert {
        n > 0;
    }
    @lower {
        y[i,] = x[i,] + 1.0,
            i < n;
    }
}

# Does nothing.
operator known {
    @input {
        x: real[n];
    }
}
)";

TEST(ModuleReader, ReadsOperatorsWithTheirComments) {
  const auto operators = ReadModule(kSmallModule);
  ASSERT_TRUE(operators.ok()) << operators.status();
  ASSERT_EQ(operators->size(), 2u);
  const DocOperator& next = (*operators)[0];
  EXPECT_EQ(next.name, "next");
  EXPECT_EQ(next.group, "Sums");
  EXPECT_THAT(next.paragraphs, ElementsAre("Adds one to x.", "More about it."));
  EXPECT_EQ(next.kind, DocOperator::Kind::kLowered);
  EXPECT_EQ(next.declaration,
            "operator next {\n    @attrib {\n        n: int;\n    }\n    @input {\n        x: real[n];\n    }\n"
            "    @output {\n        y: real[n];\n    }\n}\n");
  EXPECT_EQ((*operators)[1].kind, DocOperator::Kind::kIntrinsic);
}

TEST(ModuleReader, RefusesWhatIsNotLaidOutLikeTheLibrary) {
  EXPECT_EQ(ReadModule("operator f {\n}\n").status().message(), "f: there is no comment");
  EXPECT_EQ(ReadModule("# Does it.\noperator f {\n").status().message(), "f: there is no end");
}

TEST(MarkdownText, SetsNamesAndShapesAsCode) {
  EXPECT_EQ(MarkdownProse("f32[2,3] of a_name, x < y, not [1] but `x[1] < 2`"),
            "`f32[2,3]` of `a_name`, x \\< y, not \\[1] but `x[1] < 2`");
  EXPECT_EQ(MarkdownOpcodes("transpose and reshape; and, or"), "`transpose` and `reshape`; `and`, `or`");
  EXPECT_EQ(HeadingAnchor("Sin, Cos: a-b_c"), "sin-cos-a-b_c");
}

}  // namespace
}  // namespace xla
