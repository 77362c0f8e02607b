// The operations of VHLO: the versioned names that StableHLO's operations have in artifacts, and their attributes.
#ifndef BUILDERS_STABLEHLO_BYTECODE_VHLO_OPERATIONS_H_
#define BUILDERS_STABLEHLO_BYTECODE_VHLO_OPERATIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {
namespace stablehlo {

// Of VHLO. The third number of a version never matters.
struct VhloVersion {
  int major = 0;
  int minor = 0;

  std::string ToString() const;
  friend constexpr bool operator<(VhloVersion a, VhloVersion b) {
    return a.major != b.major ? a.major < b.major : a.minor < b.minor;
  }
};

inline constexpr VhloVersion kOldestVhlo = {0, 9};
inline constexpr VhloVersion kNewestVhlo = {1, 20};

// That of an artifact: its producer is "StableHLO_v1.2.3". nullopt: this is another producer.
absl::optional<VhloVersion> VersionOfProducer(absl::string_view producer);

struct VhloOperation {
  std::string name;  // of StableHLO, without the dialect: "all_gather"
  VhloVersion since;
  VhloVersion until;                          // the last one that has it; kNewestVhlo: there is no later form
  std::vector<absl::string_view> attributes;  // in alphabetical order; all of them are always given
};

// By its name in VHLO, without the dialect: "all_gather_v2". nullptr: there is none.
const VhloOperation* FindVhloOperation(absl::string_view name);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_VHLO_OPERATIONS_H_
