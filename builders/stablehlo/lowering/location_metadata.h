// LocationMetadata: the locations of a StableHLO module as metadata of HLO instructions.
#ifndef BUILDERS_STABLEHLO_LOWERING_LOCATION_METADATA_H_
#define BUILDERS_STABLEHLO_LOWERING_LOCATION_METADATA_H_

#include <vector>

#include "builders/stablehlo/ir/module.h"
#include "xla_core/ir/annotations.h"

namespace xla {
namespace stablehlo {

// All of them, made at once. The outermost name of a location becomes op_name; the first place in a file that is found
// from outside in, at a call site first in what is called, becomes source_file and source_line.
class LocationMetadata {
 public:
  explicit LocationMetadata(const Module& module);

  const OpMetadata& Of(LocationId location) const { return metadata_[location.index]; }

 private:
  OpMetadata MakeMetadata(const Location& location) const;

  std::vector<OpMetadata> metadata_;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_LOCATION_METADATA_H_
