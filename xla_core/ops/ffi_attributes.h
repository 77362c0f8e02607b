// The attributes of a custom call with a typed interface, as its backend_config spells them: a dictionary of MLIR,
//   {uplo = 76 : ui8, high = 4 : i32, scale = 1.5 : f32, name = "x", fast = true, flag}
#ifndef XLA_CORE_OPS_FFI_ATTRIBUTES_H_
#define XLA_CORE_OPS_FFI_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// Values are kept as they are written and read when they are asked for, so that only attributes that a target uses
// must be well-formed.
class FfiAttributes {
 public:
  // An empty text is an empty dictionary. InvalidArgument if it is not a dictionary or names a key twice. Values that
  // are neither numbers, strings nor booleans are kept as text.
  static absl::StatusOr<FfiAttributes> Parse(absl::string_view text);

  bool Has(absl::string_view key) const { return values_.find(key) != values_.end(); }
  // InvalidArgument, naming the key, if it is missing or of another kind.
  absl::StatusOr<int64_t> GetInteger(absl::string_view key) const;
  absl::StatusOr<double> GetFloat(absl::string_view key) const;
  absl::StatusOr<bool> GetBool(absl::string_view key) const;
  // Without the quotes, escapes resolved.
  absl::StatusOr<std::string> GetString(absl::string_view key) const;
  // A character, as LAPACK's options are given: an integer that is one of `allowed`.
  absl::StatusOr<char> GetChar(absl::string_view key, absl::string_view allowed) const;

 private:
  absl::StatusOr<absl::string_view> Find(absl::string_view key) const;

  std::map<std::string, std::string, std::less<>> values_;  // as written; "unit" for a key without a value
};

}  // namespace xla

#endif  // XLA_CORE_OPS_FFI_ATTRIBUTES_H_
