// AnalysisCache: analyses of a module, made when a pass asks for them, and again only after a change.
//
// Most passes of a pipeline change nothing, and many ask the same: which computations are fixed, what has side effects,
// who calls whom. A module counts its changes (HloModule::version), so what was made at the same count still holds. The
// count misses what is written through a reference that an earlier mutable_... call of an instruction gave; a pass that
// keeps one asks for no analysis before it has written. The runner forgets all analyses after a pass that changed the
// module, and strict runs compare (see CheckHits).
//
// A class of analyses that looks at each instruction once, and that quickly, is made by T(module), or by T() if it
// looks at a module as it is asked. One that takes longer is made within limits, by T::Create(module, resources); or,
// if it stands on the dataflow, which it shares with others, by T::Create(module, dataflow, resources), or by
// T(module, dataflow) if it looks at the module as it is asked. Once a limit has been reached, there is an error
// instead of the analysis, and nothing is kept. A class has an operator==, or, if it does not know everything from the
// beginning, a method StillHolds(module): whether what it knows is what a new one would find.
#ifndef PASSES_BASE_ANALYSIS_CACHE_H_
#define PASSES_BASE_ANALYSIS_CACHE_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {

class Dataflow;

// Keeps one analysis of each class. Not thread-safe.
class AnalysisCache {
 public:
  // A holder may change the module: what it holds stays as it is, and is not given to anyone who asks later.
  template <typename T>
  std::shared_ptr<T> Get(const HloModule& module) {
    std::shared_ptr<T> analysis = Find<T>(module);
    if (analysis != nullptr) {
      if (checks_hits_) found_stale_ = found_stale_ || !Holds(module, *analysis, *New<T>(module));
      return analysis;
    }
    return Keep(module, New<T>(module));
  }
  // The same for a class that is made within limits; `resources` may be nullptr.
  template <typename T>
  absl::StatusOr<std::shared_ptr<T>> Get(const HloModule& module, const ResourceContext* resources) {
    std::shared_ptr<T> analysis = Find<T>(module);
    if (analysis != nullptr) {
      if (!checks_hits_) return analysis;
      // With nothing but the module: what else is known may be out of date, too.
      AnalysisCache nothing;
      ASSIGN_OR_RETURN(const std::shared_ptr<T> now, nothing.Create<T>(module, resources));
      found_stale_ = found_stale_ || !Holds(module, *analysis, *now);
      return analysis;
    }
    ASSIGN_OR_RETURN(analysis, Create<T>(module, resources));
    return Keep(module, std::move(analysis));
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

  // nullptr if there is none of the module as it is.
  template <typename T>
  std::shared_ptr<T> Find(const HloModule& module) const {
    const auto found = entries_.find(KeyOf<T>());
    if (found == entries_.end() || !(found->second.version == module.version())) return nullptr;
    return std::static_pointer_cast<T>(found->second.analysis);
  }
  template <typename T>
  std::shared_ptr<T> Keep(const HloModule& module, std::shared_ptr<T> made) {
    entries_[KeyOf<T>()] = {module.version(), made};
    return made;
  }

  template <typename T>
  static std::shared_ptr<T> New(const HloModule& module) {
    static_assert(!IsMadeWithinLimits<T>::value && !StandsOnDataflow<T>::value, "it takes limits");
    if constexpr (std::is_constructible<T, const HloModule&>::value) {
      return std::make_shared<T>(module);
    } else {
      return std::make_shared<T>();
    }
  }
  template <typename T>
  absl::StatusOr<std::shared_ptr<T>> Create(const HloModule& module, const ResourceContext* resources) {
    if constexpr (IsMadeWithinLimits<T>::value) {
      ASSIGN_OR_RETURN(T made, T::Create(module, resources));
      return std::make_shared<T>(std::move(made));
    } else {
      ASSIGN_OR_RETURN(const std::shared_ptr<const Dataflow> dataflow, Get<Dataflow>(module, resources));
      if constexpr (StandsOnDataflow<T>::value) {
        return std::make_shared<T>(module, dataflow);
      } else {
        ASSIGN_OR_RETURN(T made, T::Create(module, dataflow, resources));
        return std::make_shared<T>(std::move(made));
      }
    }
  }

  template <typename T, typename = void>
  struct IsMadeWithinLimits : std::false_type {};
  template <typename T>
  struct IsMadeWithinLimits<
      T, std::void_t<decltype(T::Create(std::declval<const HloModule&>(), std::declval<const ResourceContext*>()))>>
      : std::true_type {};
  template <typename T>
  using StandsOnDataflow = std::is_constructible<T, const HloModule&, std::shared_ptr<const Dataflow>>;

  template <typename T, typename = void>
  struct LearnsLater : std::false_type {};
  template <typename T>
  struct LearnsLater<T, std::void_t<decltype(std::declval<const T&>().StillHolds(std::declval<const HloModule&>()))>>
      : std::true_type {};

  template <typename T>
  static bool Holds(const HloModule& module, const T& found, const T& now) {
    if constexpr (LearnsLater<T>::value) {
      return found.StillHolds(module);
    } else {
      return found == now;
    }
  }

  absl::flat_hash_map<const void*, Entry> entries_;
  bool checks_hits_ = false;
  bool found_stale_ = false;
};

}  // namespace xla

#endif  // PASSES_BASE_ANALYSIS_CACHE_H_
