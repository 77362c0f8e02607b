// The kinds of errors of NNEF 1, for the diagnostics that both versions of the standard have (nnef_common).
// Source: NNEF 1.0.4, chapters 3, 4.1 and 5; the classes E0, E5 and E6 are ours.
#ifndef BUILDERS_NNEF1_DIAGNOSTICS_H_
#define BUILDERS_NNEF1_DIAGNOSTICS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef_common/diagnostics.h"

namespace xla {
namespace nnef1 {

using nnef::ClassifiedError;
using nnef::Diagnostic;
using nnef::Diagnostics;
using nnef::MessageWithoutClass;
using nnef::Position;
using nnef::Source;

// The kind of rule that is broken, with the code that messages show.
enum class ErrorClass {
  kContainer,     // E0: folder or archive
  kSyntax,        // E1: lexical elements, grammar, extensions
  kDeclaration,   // E2.1: fragment definitions
  kInvocation,    // E2.2: structure of arguments
  kType,          // E2.3: types of expressions
  kIdentifier,    // E2.4: use of identifiers
  kArgument,      // E3: values of arguments, shapes
  kTensorData,    // E4: tensor files
  kQuantization,  // E5: quantisation file
  kFedData,       // E6: what is fed at run time
};

// "E2.3".
absl::string_view ErrorClassCode(ErrorClass error_class);

nnef::ErrorClass DescribeErrorClass(ErrorClass error_class);

// The class of the first error in a status that this folder made.
absl::optional<ErrorClass> ErrorClassOf(const absl::Status& status);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_DIAGNOSTICS_H_
