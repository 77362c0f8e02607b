// Shardings, classic and named, both ways.
#ifndef XLA_CORE_TEXT_SHARDING_TEXT_H_
#define XLA_CORE_TEXT_SHARDING_TEXT_H_

#include <string>

#include "xla_core/ir/annotations.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// {replicated}, {devices=[2,1,2]<=[4] last_tile_dim_replicate}, {{manual}, {maximal device=3}},
// {mesh['x'=2], [{'x'}, {}]}.
bool ParseSharding(TokenReader& reader, Sharding* sharding);
void AppendSharding(const Sharding& sharding, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_SHARDING_TEXT_H_
