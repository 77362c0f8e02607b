// Names for what the text left unnamed.
#ifndef XLA_CORE_TEXT_NAME_UNIQUER_H_
#define XLA_CORE_TEXT_NAME_UNIQUER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace xla {

// Remembers names and makes new ones: `base`, then `base.1`, `base.2`, ...
class NameUniquer {
 public:
  void Reserve(absl::string_view name) { taken_.emplace(name); }

  std::string Unique(absl::string_view base) {
    std::string name(base);
    int64_t& count = counts_[name];
    while (!taken_.insert(count == 0 ? name : name + "." + std::to_string(count)).second) ++count;
    if (count > 0) name += "." + std::to_string(count);
    return name;
  }

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> counts_;
};

}  // namespace xla

#endif  // XLA_CORE_TEXT_NAME_UNIQUER_H_
