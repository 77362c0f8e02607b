#include "passes/cleaning/share_constants.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

size_t HashOf(const Literal& array) {
  return absl::Hash<absl::string_view>()(
      absl::string_view(static_cast<const char*>(array.untyped_data()), array.size_bytes()));
}

}  // namespace

absl::StatusOr<bool> ShareConstants(HloModule& module, PassContext& context) {
  const int64_t min_bytes = context.IntOption("min-bytes");
  absl::flat_hash_map<size_t, std::vector<std::shared_ptr<const Literal>>> values;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kConstant) continue;
      const std::shared_ptr<const Literal> literal = instruction->attributes<ConstantAttributes>().literal;
      if (literal == nullptr || !literal->shape().IsArray() || literal->size_bytes() < min_bytes) continue;
      RETURN_IF_ERROR(context.CheckDeadline());
      std::vector<std::shared_ptr<const Literal>>& alike = values[HashOf(*literal)];
      bool found = false;
      for (const std::shared_ptr<const Literal>& other : alike) {
        // The literal's own layout says nothing, but it is part of its shape.
        if (found || other->shape() != literal->shape() || !other->BitwiseEquals(*literal)) continue;
        found = true;
        if (other == literal) continue;
        context.CountRewrite("share-constant");
        instruction->mutable_attributes<ConstantAttributes>().literal = other;
      }
      if (!found) alike.push_back(literal);
    }
  }
  return false;
}

}  // namespace xla
