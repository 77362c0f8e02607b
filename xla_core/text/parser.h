// Reads HLO text, as XLA's hlo_parser.cc does.
//
// What is read is as the text says: names are resolved, shapes that may be left out are inferred, attributes are typed;
// whether instructions fit together is for VerifyModule. Errors are InvalidArgument and show file, line, column and a
// caret. No input makes the parser crash, hang or take memory out of proportion to the text.
#ifndef XLA_CORE_TEXT_PARSER_H_
#define XLA_CORE_TEXT_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// How forgiving the reader is, and what it calls the file.
struct ParseOptions {
  std::string file_name;  // for messages
  // Gives arrays without a layout the row-major one.
  bool fill_missing_layouts = true;
  // Removes C++ log headers (`I0521 12:04:45.883483    1509 service.cc:186] `) from lines that begin with one.
  bool strip_log_headers = true;
  // Limits of the work; nullptr: none. Reaching one is that limit's error, without a place in the text.
  const ResourceContext* resources = nullptr;
};

// One module: with a header; without one, its name is then `module_` and the name of its entry; or a single
// instruction, whose operands become parameters.
absl::StatusOr<std::unique_ptr<HloModule>> ParseHloModule(absl::string_view text, const ParseOptions& options = {});

// All modules of a file, which lines beginning with `// -----` separate. Parts that are blank are skipped; a file that
// is blank altogether is an error. Messages count lines in the whole file.
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseHloModules(absl::string_view text,
                                                                        const ParseOptions& options = {});

// f32[2,3]{1,0}. Layouts that are not written stay missing.
absl::StatusOr<Shape> ParseShapeText(absl::string_view text);
// `f32[2]{0} {1, 2}`, `( s32[] 1, pred[] true )`. InvalidArgument too if it is elided.
absl::StatusOr<Literal> ParseLiteralText(absl::string_view text, absl::string_view file_name = "");
// {devices=[2,2]<=[4]}
absl::StatusOr<Sharding> ParseShardingText(absl::string_view text);
// {{0,1},{2,3}}, [2,4]<=[8], mesh[...] {...}
absl::StatusOr<ReplicaGroups> ParseReplicaGroupsText(absl::string_view text);
// {size=3x3 pad=1_1x1_1}
absl::StatusOr<Window> ParseWindowText(absl::string_view text);
// bf01_oi01->bf01
absl::StatusOr<ConvolutionDimensionNumbers> ParseDimLabelsText(absl::string_view text);
// 0_1x2_3_1
absl::StatusOr<PaddingConfig> ParsePaddingText(absl::string_view text);

}  // namespace xla

#endif  // XLA_CORE_TEXT_PARSER_H_
