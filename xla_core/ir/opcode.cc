#include "xla_core/ir/opcode.h"

#include <string>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

constexpr HloOpcode kOpcodes[] = {
#define OPCODE(enumerator, name, traits) HloOpcode::enumerator,
#include "xla_core/ir/opcodes.def"
#undef OPCODE
};

constexpr absl::string_view kNames[] = {
#define OPCODE(enumerator, name, traits) name,
#include "xla_core/ir/opcodes.def"
#undef OPCODE
};

}  // namespace

absl::Span<const HloOpcode> AllOpcodes() { return kOpcodes; }

absl::string_view HloOpcodeName(HloOpcode opcode) { return kNames[static_cast<int>(opcode)]; }

absl::optional<HloOpcode> HloOpcodeFromName(absl::string_view name) {
  static const auto* const by_name = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, HloOpcode>;
    for (HloOpcode opcode : kOpcodes) map->emplace(HloOpcodeName(opcode), opcode);
    return map;
  }();
  const auto it = by_name->find(name);
  if (it == by_name->end()) return absl::nullopt;
  return it->second;
}

}  // namespace xla
