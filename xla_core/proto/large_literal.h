// Large literals are read from where they lie in the file. Parsed as a message, a constant of 100 MB would be in memory
// three times over: in the file, in the message and in the Literal.
#ifndef XLA_CORE_PROTO_LARGE_LITERAL_H_
#define XLA_CORE_PROTO_LARGE_LITERAL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace xla {

// The value of the field of a LiteralProto that holds its elements, still encoded; none if `field` is 0.
struct EncodedElements {
  uint64_t field = 0;
  absl::string_view bytes;
};

// `elements` refers to the bytes of the file, which must outlive it; `message` is parsed by Protobuf as usual.
struct SplitInstruction {
  std::string message;  // the HloInstructionProto without the elements
  EncodedElements elements;
};

// Takes the elements out of an HloInstructionProto whose literal is an array of a megabyte or more. nullopt if it has
// none such, or has them in pieces: then it must be parsed whole.
absl::optional<SplitInstruction> SplitLargeLiteral(absl::string_view instruction);

// The number of varints in `bytes`, and their values, as many as `values` has room for. The latter is false if one is
// longer than 64 bits.
int64_t CountVarints(absl::string_view bytes);
template <typename T>
bool DecodeVarints(absl::string_view bytes, absl::Span<T> values);

extern template bool DecodeVarints(absl::string_view, absl::Span<bool>);
extern template bool DecodeVarints(absl::string_view, absl::Span<int32_t>);
extern template bool DecodeVarints(absl::string_view, absl::Span<int64_t>);
extern template bool DecodeVarints(absl::string_view, absl::Span<uint32_t>);
extern template bool DecodeVarints(absl::string_view, absl::Span<uint64_t>);

}  // namespace xla

#endif  // XLA_CORE_PROTO_LARGE_LITERAL_H_
