#include "tools/views/instruction_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/text/attribute_printer.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr size_t kMaxShapeBytes = 60;
constexpr size_t kMaxOperationBytes = 70;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length of the UTF-8 sequence that `text` begins with, overlong ones and surrogates excluded; 0 if there is none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF && !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second > 0x9F)) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4 && !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second > 0x8F)) length = 4;
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size() || !IsContinuation(text[i])) return 0;
  }
  return length;
}

// Stops soon after what is shown of it, since a tuple may have any number of elements. As deep as the shape nests.
void AppendWhileShort(const Shape& shape, std::string* out) {
  if (!shape.IsTuple()) return shape.AppendTo(out, Shape::LayoutPrinting::kWithout, /*index_comments=*/false);
  out->push_back('(');
  for (int i = 0; i < shape.tuple_size() && out->size() <= kMaxShapeBytes; ++i) {
    if (i > 0) out->append(", ");
    AppendWhileShort(shape.tuple_shape(i), out);
  }
  out->push_back(')');
}

}  // namespace

std::string Cut(absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  size_t end = max_bytes;
  while (end > 0 && IsContinuation(text[end])) --end;
  return absl::StrCat(text.substr(0, end), "...");
}

std::string ValidUtf8(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    length == 0 ? out.append("\xEF\xBF\xBD") : out.append(text.data(), length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string ShortShape(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  std::string text;
  AppendWhileShort(shape, &text);
  if (text.size() <= kMaxShapeBytes) return text;
  return absl::StrCat(Cut(text, kMaxShapeBytes),
                      shape.IsTuple() ? absl::StrCat(" ", shape.tuple_size(), " elements)") : "");
}

std::string ShortOperation(const HloInstruction& instruction) {
  const absl::string_view opcode = instruction.opcode_name();
  if (instruction.raw_attributes() == nullptr) return std::string(opcode);
  if (instruction.opcode() == HloOpcode::kParameter) {
    return absl::StrCat(opcode, "(", instruction.attributes<ParameterAttributes>().number, ")");
  }
  if (instruction.opcode() == HloOpcode::kConstant) {
    const auto& literal = instruction.attributes<ConstantAttributes>().literal;
    const bool small = literal != nullptr && literal->shape().IsArray() && literal->element_count() <= 4;
    return absl::StrCat(opcode, "(", small ? LiteralValueToString(*literal) : "...", ")");
  }
  std::string attributes;
  AttributePrintOptions options;
  options.elide_large_constants = true;
  AppendAttributes(*instruction.raw_attributes(), options, nullptr, &attributes);
  absl::string_view shown = attributes;
  absl::ConsumePrefix(&shown, ", ");
  return Cut(absl::StrCat(opcode, shown.empty() ? "" : " ", shown), kMaxOperationBytes);
}

std::string LongText(const HloInstruction& instruction) {
  PrintOptions options = PrintOptions::Short();
  options.metadata = true;
  options.elide_large_constants = true;
  return InstructionToString(instruction, options);
}

}  // namespace xla
