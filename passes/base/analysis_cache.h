// AnalysisCache: analyses of a module, made when a pass asks for them, and again only after a change.
//
// Most passes of a pipeline change nothing, and many ask the same: which computations are fixed, what has side effects,
// who calls whom. A module counts its changes (HloModule::version), so what was made at the same count still holds. The
// count misses what is written through a reference that an earlier mutable_... call of an instruction gave; a pass that
// keeps one asks for no analysis before it has written. The runner forgets all analyses after a pass that changed the
// module, and strict runs compare (see CheckHits).
#ifndef PASSES_BASE_ANALYSIS_CACHE_H_
#define PASSES_BASE_ANALYSIS_CACHE_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Keeps one analysis of each class. Not thread-safe.
class AnalysisCache {
 public:
  // T(module), or T() for a class that looks at a module as it is asked (SideEffects). A holder may change the module:
  // what it holds stays as it is, and is not given to anyone who asks later.
  template <typename T>
  std::shared_ptr<T> Get(const HloModule& module) {
    Entry& entry = entries_[KeyOf<T>()];
    const ModuleVersion version = module.version();
    if (entry.analysis == nullptr || !(entry.version == version)) {
      entry = {version, Make<T>(module)};
    } else if (checks_hits_) {
      CheckHit(module, *static_cast<const T*>(entry.analysis.get()));
    }
    return std::static_pointer_cast<T>(entry.analysis);
  }
  void Forget() { entries_.clear(); }

  // For tests and strict runs: compares each analysis that is found with a new one, if its class can be compared.
  void CheckHits() { checks_hits_ = true; }
  // Whether one of them differed.
  bool found_stale() const { return found_stale_; }

 private:
  struct Entry {
    ModuleVersion version;
    std::shared_ptr<void> analysis;
  };

  // An address that no other class has.
  template <typename T>
  static const void* KeyOf() {
    static const char key = 0;
    return &key;
  }

  template <typename T>
  static std::shared_ptr<T> Make(const HloModule& module) {
    if constexpr (std::is_constructible<T, const HloModule&>::value) {
      return std::make_shared<T>(module);
    } else {
      return std::make_shared<T>();
    }
  }

  template <typename T, typename = void>
  struct IsComparable : std::false_type {};
  template <typename T>
  struct IsComparable<T, std::void_t<decltype(std::declval<const T&>() == std::declval<const T&>())>> : std::true_type {
  };

  template <typename T>
  void CheckHit(const HloModule& module, const T& found) {
    if constexpr (IsComparable<T>::value) found_stale_ = found_stale_ || !(found == *Make<T>(module));
  }

  absl::flat_hash_map<const void*, Entry> entries_;
  bool checks_hits_ = false;
  bool found_stale_ = false;
};

}  // namespace xla

#endif  // PASSES_BASE_ANALYSIS_CACHE_H_
