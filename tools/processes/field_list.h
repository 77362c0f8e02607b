// FieldList: texts, numbers and literals one after the other as bytes, for what processes of one build tell each other.
#ifndef TOOLS_PROCESSES_FIELD_LIST_H_
#define TOOLS_PROCESSES_FIELD_LIST_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/types/literal.h"

namespace xla {

class FieldListWriter {
 public:
  void Text(absl::string_view text);
  void Number(int64_t number);
  void Value(const Literal& value);
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads the same fields in the same order. InvalidArgument: the bytes end before, or hold something else.
class FieldListReader {
 public:
  // `bytes` outlive the object.
  explicit FieldListReader(absl::string_view bytes) : rest_(bytes) {}

  absl::StatusOr<absl::string_view> Text();
  absl::StatusOr<int64_t> Number();
  absl::StatusOr<Literal> Value();

 private:
  absl::string_view rest_;
};

}  // namespace xla

#endif  // TOOLS_PROCESSES_FIELD_LIST_H_
