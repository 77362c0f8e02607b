// Words of comments as Markdown.
#ifndef DOCS_GENERATOR_MARKDOWN_TEXT_H_
#define DOCS_GENERATOR_MARKDOWN_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace xla {

// Prose, with what would be markup escaped, and with names_of_arguments and shapes, `f32[2,3]`, set as code.
std::string MarkdownProse(absl::string_view text);

// What a comment says after "HLO:", with the names of opcodes set as code.
std::string MarkdownOpcodes(absl::string_view text);

// The name by which GitHub lets a heading be linked: "Sin, Cos" is "sin-cos".
std::string HeadingAnchor(absl::string_view heading);

// "RoundNearestEven" is "round-nearest-even".
std::string OpcodeNameOf(absl::string_view method);

// A declaration or a call on lines of at most 100 characters, broken between arguments.
std::string WrapCode(absl::string_view code);

}  // namespace xla

#endif  // DOCS_GENERATOR_MARKDOWN_TEXT_H_
