#include "xla_core/text/opcode_text.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace {

struct Suffix {
  absl::string_view text;
  HloOpcode opcode;
};
constexpr Suffix kSuffixes[] = {
    {"-start", HloOpcode::kAsyncStart}, {"-update", HloOpcode::kAsyncUpdate}, {"-done", HloOpcode::kAsyncDone}};

}  // namespace

bool HasAsyncSugar(HloOpcode opcode) {
  // These have start and done opcodes of their own, or no operands to wait for.
  static constexpr HloOpcode kNever[] = {HloOpcode::kAllGather, HloOpcode::kAllReduce, HloOpcode::kCollectivePermute,
                                         HloOpcode::kCopy,      HloOpcode::kRecv,      HloOpcode::kSend,
                                         HloOpcode::kParameter, HloOpcode::kConstant};
  for (HloOpcode never : kNever) {
    if (opcode == never) return false;
  }
  for (const Suffix& suffix : kSuffixes) {
    if (absl::EndsWith(HloOpcodeName(opcode), suffix.text)) return false;
  }
  return true;
}

absl::optional<OpcodeText> OpcodeFromText(absl::string_view word) {
  if (const absl::optional<HloOpcode> opcode = HloOpcodeFromName(word)) return OpcodeText{*opcode, absl::nullopt};
  for (const Suffix& suffix : kSuffixes) {
    absl::string_view base = word;
    if (!absl::ConsumeSuffix(&base, suffix.text)) continue;
    const absl::optional<HloOpcode> wrapped = HloOpcodeFromName(base);
    if (wrapped.has_value() && HasAsyncSugar(*wrapped)) return OpcodeText{suffix.opcode, wrapped};
  }
  return absl::nullopt;
}

std::string NearestOpcode(absl::string_view word) {
  std::vector<absl::string_view> known;
  for (HloOpcode opcode : AllOpcodes()) known.push_back(HloOpcodeName(opcode));
  return DidYouMean(word, known);
}

}  // namespace xla
