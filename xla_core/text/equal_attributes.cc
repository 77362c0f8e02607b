#include "xla_core/text/equal_attributes.h"

#include <algorithm>

namespace xla {
namespace {

// Constants and numbers of parameters differ anyway, and equal floats need not have equal bits.
bool MayShare(const AttributeField& field) {
  return field.kind != FieldKind::kLiteral && field.kind != FieldKind::kFloat && field.presence != Presence::kInternal;
}

}  // namespace

void EqualAttributes::Share(HloInstruction* instruction) {
  const Attributes* const attributes = instruction->raw_attributes();
  if (attributes == nullptr) return;
  const AttributeSchema& schema = attributes->schema();
  if (!std::all_of(schema.fields.begin(), schema.fields.end(), MayShare)) return;
  const uint64_t hash = HashAttributes(*attributes) ^ static_cast<uint64_t>(instruction->opcode()) << 56;
  const auto [known, is_new] = last_.try_emplace(hash, instruction->shared_attributes());
  if (is_new) return;
  if (AttributesEqual(*known->second.get(), *attributes)) {
    instruction->set_attributes(known->second);
  } else {
    known->second = instruction->shared_attributes();
  }
}

}  // namespace xla
