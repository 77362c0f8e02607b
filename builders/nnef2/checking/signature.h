// Signature: how values are bound to the names of an operator when it is invoked (NNEF 2.0 section 2.6.1).
//
// An extent or a length that is affine in one name, 2 * d + 1, binds that name where it is met first, and is compared
// from then on. A shape with several packs of extents can be bound only if all lengths but one are known; the order in
// which inputs are bound follows from that and is the same for all invocations.
#ifndef BUILDERS_NNEF2_CHECKING_SIGNATURE_H_
#define BUILDERS_NNEF2_CHECKING_SIGNATURE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// scale * name + offset; the scale is not 0.
struct AffineForm {
  absl::string_view name;
  int64_t scale = 1;
  int64_t offset = 0;
};

struct Signature {
  // Places in the inputs, in the order in which they are bound; the optional ones last, except where others need them.
  std::vector<int> input_order;
  // By attribute: whether its default depends on other names.
  std::vector<bool> is_deferred;
  // Of all extents, lengths of packs and of attributes that have such a form.
  absl::flat_hash_map<const Expression*, AffineForm> affine_forms;

  const AffineForm* FindAffine(const ExpressionPtr& expression) const {
    const auto found = affine_forms.find(expression.get());
    return found == affine_forms.end() ? nullptr : &found->second;
  }
};

// The names that an expression mentions; x of x.shape counts as one.
void CollectNames(const Expression& expression, std::vector<absl::string_view>* names);

// The signature of `definition`; errors of class binding are reported.
Signature FindSignature(const Definition& definition, Diagnostics* diagnostics);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_SIGNATURE_H_
