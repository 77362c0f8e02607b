// Checks every operator and graph at its definition, also those that nothing invokes (NNEF 2.0 chapter 2).
#ifndef BUILDERS_NNEF2_CHECKING_CHECK_PROGRAM_H_
#define BUILDERS_NNEF2_CHECKING_CHECK_PROGRAM_H_

#include <functional>
#include <map>
#include <utility>

#include "absl/strings/string_view.h"
#include "builders/nnef2/checking/program.h"
#include "builders/nnef2/checking/signature.h"
#include "builders/nnef2/diagnostics.h"

namespace xla {
namespace nnef2 {

// The signatures of the definitions of a program that is right. Not thread-safe.
class Signatures {
 public:
  void Add(const Definition* definition, Signature signature) {
    signatures_.insert_or_assign(definition, std::move(signature));
  }
  // Found when it is asked for first, if it has not been added.
  const Signature& at(const Definition* definition) const;

 private:
  mutable std::map<const Definition*, Signature> signatures_;
};

// Whether a module has been checked before: the standard library is when the tree is built.
using TrustedModules = std::function<bool(absl::string_view module)>;

// Reports what is wrong with names, types, lengths, ranks, bindings and statements of all modules that `is_trusted`
// does not exclude; nothing of it depends on values.
Signatures CheckProgram(const Program& program, Diagnostics* diagnostics, const TrustedModules& is_trusted = nullptr);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_CHECK_PROGRAM_H_
