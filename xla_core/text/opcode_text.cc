#include "xla_core/text/opcode_text.h"

#include <string>
#include <vector>

#include "absl/strings/strip.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/opcode_traits.h"
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
  // These have start and done opcodes of their own, or are such, or have no operands to wait for.
  return FindAsyncOpcodes(&AsyncOpcodes::whole, opcode) == nullptr &&
         !HasTrait(opcode, opcode_trait::kBegins | opcode_trait::kEnds | opcode_trait::kGiven);
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
