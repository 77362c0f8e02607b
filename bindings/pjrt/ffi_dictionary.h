// The attributes of a custom call as a handler is given them.
#ifndef BINDINGS_PJRT_FFI_DICTIONARY_H_
#define BINDINGS_PJRT_FFI_DICTIONARY_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bindings/pjrt/ffi_api.h"

namespace xla {
namespace pjrt {

// Reads a dictionary of MLIR, {index = 3 : ui64, name = "x", fast, sizes = array<i64: 1, 2>, more = {scale = 1.5 :
// f32}}, and owns what the structs of the API point to.
class FfiDictionary {
 public:
  // An empty text is an empty dictionary. InvalidArgument, with the place, for anything but scalars, texts, arrays of
  // scalars and dictionaries.
  static absl::StatusOr<std::unique_ptr<FfiDictionary>> Parse(absl::string_view text);

  const XLA_FFI_Attrs& attrs() const { return attrs_; }

 private:
  class Parser;

  // Fills attrs_ from what was read.
  void Finish();

  struct Entry {
    std::string name;
    XLA_FFI_AttrType type = XLA_FFI_AttrType_SCALAR;
    std::string bytes;  // of a scalar, an array or a text
    XLA_FFI_Scalar scalar = {};
    XLA_FFI_Array array = {};
    XLA_FFI_ByteSpan span = {};
    std::unique_ptr<FfiDictionary> dictionary;
    XLA_FFI_ByteSpan name_span = {};
  };

  std::deque<Entry> entries_;
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  XLA_FFI_Attrs attrs_ = {};
};

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_FFI_DICTIONARY_H_
