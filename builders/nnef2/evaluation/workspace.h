// Workspace: what the evaluation of one operator or one model shares: symbols, tensors, errors and limits.
#ifndef BUILDERS_NNEF2_EVALUATION_WORKSPACE_H_
#define BUILDERS_NNEF2_EVALUATION_WORKSPACE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/evaluation/value.h"
#include "builders/nnef2/symbolic/symbol_table.h"

namespace xla {
namespace nnef2 {

// What expressions can ask of a tensor. Its extents are known unless it belongs to an operator that is checked at its
// definition and has packs of extents.
struct TensorFacts {
  ElementType element;
  bool has_extents = false;
  std::vector<Scalar> extents;
  const Symbolic* rank = nullptr;  // without extents; may be nullptr
};

// Names and what they stand for; those of an outer scope are visible, too.
struct Scope {
  const Scope* parent = nullptr;
  absl::flat_hash_map<absl::string_view, Value> values;
  absl::flat_hash_map<absl::string_view, ElementType> types;

  const Value* Find(absl::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
      const auto found = scope->values.find(name);
      if (found != scope->values.end()) return &found->second;
    }
    return nullptr;
  }
  const ElementType* FindType(absl::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
      const auto found = scope->types.find(name);
      if (found != scope->types.end()) return &found->second;
    }
    return nullptr;
  }
};

// Not thread-safe. While an operator is checked at its definition (is_definition) symbols are its own attributes and
// extents; while a model is composed they are dynamic extents.
class Workspace {
 public:
  static constexpr int64_t kMaxItems = 1 << 26;
  static constexpr int64_t kMaxIndexValues = 1 << 23;

  Workspace(bool is_definition, Diagnostics* diagnostics)
      : is_definition_(is_definition), diagnostics_(diagnostics), symbols_(/*tracks_reals=*/!is_definition) {}

  bool is_definition() const { return is_definition_; }
  SymbolTable& symbols() { return symbols_; }
  Diagnostics& diagnostics() { return *diagnostics_; }
  // Where errors go from now on; they outlive whoever reports them.
  void ReportTo(Diagnostics* diagnostics) { diagnostics_ = diagnostics; }

  int AddTensor(TensorFacts facts) {
    tensors_.push_back(std::move(facts));
    return static_cast<int>(tensors_.size()) - 1;
  }
  const TensorFacts& tensor(int number) const { return tensors_[number]; }
  int num_tensors() const { return static_cast<int>(tensors_.size()); }

  // Whether `count` more items of packs may be computed: hostile documents compute too many.
  bool Spend(size_t count) {
    num_items_ += static_cast<int64_t>(count);
    return num_items_ <= kMaxItems;
  }

  // Whether `count` more values may be computed to find indices that are out of range.
  bool SpendOnIndices(size_t count) {
    num_index_values_ += static_cast<int64_t>(count);
    return num_index_values_ <= kMaxIndexValues;
  }

  // Reports an error with the invocations that are open; returns false.
  bool Error(ErrorClass error_class, const Position& position, std::string message, absl::string_view rule,
             std::string suggestion = "");

  // An invocation, open as long as this lives: errors name it.
  class Call {
   public:
    Call(Workspace* workspace, Position position, std::string name) : workspace_(*workspace) {
      workspace_.calls_.push_back(Diagnostic::Call{std::move(position), std::move(name)});
    }
    ~Call() { workspace_.calls_.pop_back(); }

   private:
    Workspace& workspace_;
  };
  const std::vector<Diagnostic::Call>& calls() const { return calls_; }

 private:
  const bool is_definition_;
  Diagnostics* diagnostics_;
  SymbolTable symbols_;
  std::vector<TensorFacts> tensors_;
  int64_t num_items_ = 0;
  int64_t num_index_values_ = 0;
  std::vector<Diagnostic::Call> calls_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_EVALUATION_WORKSPACE_H_
