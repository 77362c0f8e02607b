// The header line of a module and its stack-frame tables, both ways.
#ifndef XLA_CORE_TEXT_MODULE_HEADER_H_
#define XLA_CORE_TEXT_MODULE_HEADER_H_

#include <string>

#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/shape_parser.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// From the position after the name of the module: `, is_scheduled=true, ...`.
bool ParseHeaderAttributes(TokenReader& reader, MissingLayout missing_layout, HloModuleConfig* config);
// What AppendHeader may print that jaxlib 0.10.2 refuses.
struct HeaderPrintOptions {
  bool newest_spellings = false;
};
void AppendHeaderAttributes(const HloModuleConfig& config, const HeaderPrintOptions& options, std::string* out);

// FileNames ... StackFrames, if they are there.
bool ParseStackFrameTables(TokenReader& reader, StackFrameIndex* index);
// Each table followed by an empty line.
void AppendStackFrameTables(const StackFrameIndex& index, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_MODULE_HEADER_H_
