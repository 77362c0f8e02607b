// The names that a module has taken, and new ones beside them.
#ifndef XLA_CORE_IR_NAME_TABLE_H_
#define XLA_CORE_IR_NAME_TABLE_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace xla {

// Names are never given back: one that was taken stays taken after its owner has gone.
class NameTable {
 public:
  void Take(absl::string_view name) { taken_.emplace(name); }
  // See HloModule::NewName. The name is taken afterwards.
  std::string New(absl::string_view wanted);

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int64_t> next_number_;  // by name without number; what is below is taken
};

}  // namespace xla

#endif  // XLA_CORE_IR_NAME_TABLE_H_
