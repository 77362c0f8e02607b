// DirectExpression: the value of an expression of @lower in one iteration of its loops.
//
// What depends neither on the indices nor on elements of tensors is a compile-time value, which the evaluator of
// builders/nnef2 computes once. All else is computed again in each iteration, by the letter of the language.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_EXPRESSION_H_
#define TESTS_RANDOM_NNEF2_DIRECT_EXPRESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/evaluation/workspace.h"
#include "builders/nnef2/syntax_tree.h"
#include "tests/random_nnef2/direct_tensor.h"

namespace xla {
namespace nnef2 {

// An operator that runs: the values of all its names, with extents that are known by now. Tensors are numbers, in
// `scope` and in `workspace` alike.
struct DirectFrame {
  std::shared_ptr<const Source> source;
  std::unique_ptr<Workspace> workspace;
  Diagnostics diagnostics;
  Scope scope;
  std::vector<DirectTensor*> tensors;
};

// One item of a value.
struct DirectItem {
  double number = 0;
  // Computed from an element of a tensor: as an index it need not be in range.
  bool is_data = false;
  // As an index: |number|, or |number <> low : high|.
  bool is_guarded = false;
  bool is_remapped = false;
  double low = 0;
  double high = 0;
};

struct DirectValue {
  BaseType base = BaseType::kInt;
  bool is_null = false;
  bool is_pack = false;
  std::vector<DirectItem> items;  // one, unless it is a pack

  static DirectValue Null() {
    DirectValue value;
    value.is_null = true;
    return value;
  }
};

class DirectExpression {
 public:
  // `frame` outlives it.
  DirectExpression(DirectFrame* frame, const Lowering& lowering);

  // An index or a local value.
  void Set(absl::string_view name, DirectValue value) { variables_[name] = std::move(value); }
  void StartIteration() { skips_ = false; }
  // Whether an index that is guarded was out of range since then.
  bool skips() const { return skips_; }
  // The first error, if the iteration does not skip.
  const absl::Status& status() const { return status_; }
  void ForgetErrors() { status_ = absl::OkStatus(); }

  DirectValue Evaluate(const Expression& e);

  // An element that is accessed; none if the index is data and out of range.
  struct Element {
    DirectTensor* tensor = nullptr;
    int64_t offset = -1;
  };
  struct Access {
    bool is_null = false;
    bool is_pack = false;
    std::vector<Element> elements;
  };
  // Indices that are data are limited to the extents, unless `is_target`.
  Access Resolve(const Expression& access, bool is_target);
  // The tensors that an access may mean: all of a pack if its index varies.
  std::vector<DirectTensor*> TargetsOf(const Expression& access);

 private:
  bool Varies(const Expression& e);
  bool FindWhetherVaries(const Expression& e);
  DirectValue Fail(const Expression& e, absl::string_view message);
  DirectValue Static(const Expression& e);
  DirectValue FromValue(const Expression& e, const Value& value);
  // What is evaluated only for its guards: its errors do not count.
  void Probe(const Expression& e);

  // --- operators (direct_operators.cc) ---
  DirectValue Convert(const Expression& e);
  DirectValue Call(const Expression& e);
  DirectValue Unary(const Expression& e);
  DirectValue Binary(const Expression& e);
  DirectValue Combine(const Expression& e, Operator op, const DirectValue& a, const DirectValue& b);
  DirectValue Contains(const DirectValue& items, const DirectValue& pack);
  DirectValue Select(const Expression& e);
  DirectValue Fold(const Expression& e);
  DirectValue FoldPairs(const Expression& e, const DirectValue& pack);

  // --- packs and accesses (direct_access.cc) ---
  DirectValue List(const Expression& e);
  DirectValue Zip(const Expression& e);
  DirectValue Range(const Expression& e);
  DirectValue Index(const Expression& e);
  DirectValue Slice(const Expression& range, const DirectValue& pack);
  DirectValue Substitute(const Expression& e);
  DirectValue Bounded(const Expression& e);
  DirectValue Elements(const Expression& e);
  DirectValue Repeat(const Expression& expand);
  bool FindPlace(const Expression& e, const DirectItem& index, size_t size, size_t* place);
  std::vector<DirectTensor*> TensorsOf(const Expression& base, bool* is_null, bool* is_pack);
  bool FindIndex(const Expression& e, const DirectItem& item, int64_t extent, bool is_target, int64_t* index);

  DirectFrame& frame_;
  absl::flat_hash_set<absl::string_view> varying_;
  absl::flat_hash_map<absl::string_view, DirectValue> variables_;
  absl::flat_hash_map<const Expression*, bool> varies_;
  absl::flat_hash_map<const Expression*, DirectValue> static_;
  bool skips_ = false;
  absl::Status status_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_EXPRESSION_H_
