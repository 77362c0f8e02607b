// The kinds of errors of NNEF 2, for the diagnostics that both versions of the standard have (nnef_common).
// Source: NNEF 2.0.0 draft 6, chapter 2; the classes are ours.
#ifndef BUILDERS_NNEF2_DIAGNOSTICS_H_
#define BUILDERS_NNEF2_DIAGNOSTICS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef_common/diagnostics.h"

namespace xla {
namespace nnef2 {

using nnef::ClassifiedError;
using nnef::Diagnostic;
using nnef::Diagnostics;
using nnef::MessageWithoutClass;
using nnef::Position;
using nnef::Source;

// The kind of rule that is broken, with a name that messages show.
enum class ErrorClass {
  kLex,           // characters that are not a token
  kSyntax,        // the grammar
  kImport,        // modules
  kGraph,         // what makes a document a model
  kName,          // declarations and uses of names
  kType,          // base types, optionality, generic types
  kPack,          // lengths and expansion of packs
  kRank,          // the number of indices of a tensor access
  kArity,         // the number of arguments and results
  kAttrib,        // values of attributes
  kBinding,       // the order in which the shapes of inputs are bound
  kShape,         // shapes at an invocation
  kAssert,        // assertions of the document
  kValue,         // values of expressions, limits
  kLower,         // statements of @lower
  kControl,       // branches and loops
  kVariable,      // variables and their updates
  kQuantize,      // quantization entries
  kData,          // containers and tensor files
  kRuntimeShape,  // extents of what is fed
  kRuntimeBound,  // upper bounds of what is fed
};

inline constexpr int kNumErrorClasses = 21;

// "runtime-shape".
absl::string_view ErrorClassName(ErrorClass error_class);

nnef::ErrorClass DescribeErrorClass(ErrorClass error_class);

// The class of the first error in a status that this folder made.
absl::optional<ErrorClass> ErrorClassOf(const absl::Status& status);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_DIAGNOSTICS_H_
