// Instructions in few words, for graphs and tables.
#ifndef TOOLS_VIEWS_INSTRUCTION_TEXT_H_
#define TOOLS_VIEWS_INSTRUCTION_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// "f32[8,128]", or "(f32[8], s32[], ... 17 elements)": without layouts, and cut where it gets long.
std::string ShortShape(const HloInstruction& instruction);
// "add", "parameter(3)", "constant(1)", "dot lhs_contracting_dims={1}, rhs_contracting_dims={0}": cut where it gets
// long.
std::string ShortOperation(const HloInstruction& instruction);
// The line of HLO text, large constants elided.
std::string LongText(const HloInstruction& instruction);

// The first `max_bytes` or a little less of `text`, with "..." if there was more.
std::string Cut(absl::string_view text, size_t max_bytes);
// `text` with each byte that belongs to no UTF-8 sequence replaced by U+FFFD.
std::string ValidUtf8(absl::string_view text);

}  // namespace xla

#endif  // TOOLS_VIEWS_INSTRUCTION_TEXT_H_
