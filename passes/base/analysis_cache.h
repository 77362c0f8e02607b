// AnalysisCache: analyses of a module, made when a pass asks for them, and again only after a change.
//
// Most passes of a pipeline change nothing, and many ask the same: which computations are fixed, what has side effects,
// who calls whom. A module counts its changes (HloModule::version), so what was made at the same count still holds. The
// count misses what is written through a reference that an earlier mutable_... call of an instruction gave; a pass that
// keeps one asks for no analysis before it has written. The runner forgets all analyses after a pass that changed the
// module, and strict runs compare (see CheckHits).
//
// A class of analyses is made by T(module, dataflow) if it stands on the dataflow, which it shares with others, by
// T(module), or by T() if it looks at a module as it is asked. It has an operator==, or, if it does not know everything
// from the beginning, a method StillHolds(module): whether what it knows is what a new one would find.
#ifndef PASSES_BASE_ANALYSIS_CACHE_H_
#define PASSES_BASE_ANALYSIS_CACHE_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class Dataflow;

// Keeps one analysis of each class. Not thread-safe.
class AnalysisCache {
 public:
  // A holder may change the module: what it holds stays as it is, and is not given to anyone who asks later.
  template <typename T>
  std::shared_ptr<T> Get(const HloModule& module) {
    const ModuleVersion version = module.version();
    const auto found = entries_.find(KeyOf<T>());
    if (found != entries_.end() && found->second.version == version) {
      auto known = std::static_pointer_cast<T>(found->second.analysis);
      if (checks_hits_) found_stale_ = found_stale_ || !Holds(module, *known);
      return known;
    }
    // It may ask for another one first.
    auto made = Make<T>(module);
    entries_[KeyOf<T>()] = {version, made};
    return made;
  }
  void Forget() { entries_.clear(); }

  // For tests and strict runs: compares each analysis that is found with a new one.
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
  std::shared_ptr<T> Make(const HloModule& module) {
    if constexpr (std::is_constructible<T, const HloModule&, std::shared_ptr<const Dataflow>>::value) {
      return std::make_shared<T>(module, Get<Dataflow>(module));
    } else if constexpr (std::is_constructible<T, const HloModule&>::value) {
      return std::make_shared<T>(module);
    } else {
      return std::make_shared<T>();
    }
  }

  template <typename T, typename = void>
  struct LearnsLater : std::false_type {};
  template <typename T>
  struct LearnsLater<T, std::void_t<decltype(std::declval<const T&>().StillHolds(std::declval<const HloModule&>()))>>
      : std::true_type {};

  // With nothing but the module: what else is known may be out of date, too.
  template <typename T>
  static bool Holds(const HloModule& module, const T& found) {
    if constexpr (LearnsLater<T>::value) {
      return found.StillHolds(module);
    } else {
      return found == T(module);
    }
  }

  absl::flat_hash_map<const void*, Entry> entries_;
  bool checks_hits_ = false;
  bool found_stale_ = false;
};

}  // namespace xla

#endif  // PASSES_BASE_ANALYSIS_CACHE_H_
