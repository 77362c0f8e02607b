#include "xla_core/proto/hlo_proto.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_core/proto/format_detection.h"
#include "xla_core/proto/module_conversion.h"
#include "xla_core/proto/value_conversion.h"
#include "xla_core/proto/wire_format.h"
#include "xla_core/support/large_stack.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;
using google::protobuf::Message;

// Tuples nest in shapes and literals, one message within the other.
constexpr int kMaxMessageDepth = 2 * Shape::kMaxNestingDepth;
// Some kilobytes for each level, in which a build with sanitizers parses too.
constexpr size_t kStackBytes = size_t{128} << 20;

// ---- Parsing

const char* MessageName(HloProtoKind kind) {
  switch (kind) {
    case HloProtoKind::kModule:
      return "HloModuleProto";
    case HloProtoKind::kHloProto:
      return "HloProto";
    case HloProtoKind::kSnapshot:
      return "HloSnapshot";
    case HloProtoKind::kUnoptimizedSnapshot:
      return "HloUnoptimizedSnapshot";
  }
  return "";
}

absl::Status ParseBinary(absl::string_view contents, HloProtoKind kind, Message* message) {
  if (contents.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("a file of ", contents.size(),
                                                   " bytes; a protobuf message holds at most 2 GB"));
  }
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(contents.data()),
                                                static_cast<int>(contents.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  // The library would write to standard error what the status says.
  google::protobuf::LogSilencer silencer;
  if (message->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage()) return absl::OkStatus();
  const std::string problem = FindWireProblem(contents, *message->GetDescriptor());
  return absl::InvalidArgumentError(absl::StrCat(
      "not a valid ", MessageName(kind), ": ",
      problem.empty() ? absl::StrCat("nested deeper than ", kMaxMessageDepth, ", or groups that do not end") : problem));
}

// Keeps the first error and turns warnings, all about unknown fields, into ours.
class TextErrors : public google::protobuf::io::ErrorCollector {
 public:
  explicit TextErrors(ProtoWarnings& warnings) : warnings_(warnings) {}
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (first_.empty()) first_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string& message) override {
    warnings_.Add(absl::StrCat("dropped what this reader does not know: ", message));
  }
  const std::string& first() const { return first_; }

 private:
  ProtoWarnings& warnings_;
  std::string first_;
};

// Depth of the braces outside of strings and comments. The parser of the library recurses over unknown fields without
// a limit.
int BraceDepth(absl::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '<' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == '>' || c == ']') --depth;
    if (c == '#') i = std::min(text.find('\n', i), text.size());
    if (c != '"' && c != '\'') continue;
    for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i) {
      if (text[i] == '\\') ++i;
    }
  }
  return deepest;
}

absl::Status ParseText(absl::string_view contents, HloProtoKind kind, ProtoWarnings& warnings, Message* message) {
  if (contents.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError("protobuf text of more than 2 GB");
  }
  if (BraceDepth(contents) > kMaxMessageDepth) {
    return absl::InvalidArgumentError(absl::StrCat("protobuf text nested deeper than ", kMaxMessageDepth));
  }
  TextErrors errors(warnings);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.SetRecursionLimit(kMaxMessageDepth);
  google::protobuf::io::ArrayInputStream stream(contents.data(), static_cast<int>(contents.size()));
  google::protobuf::LogSilencer silencer;
  if (parser.Parse(&stream, message)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("not a valid ", MessageName(kind), " in text form: ",
                                                 errors.first().empty() ? "it does not parse" : errors.first()));
}

// ---- What the messages hold

absl::Status ReadLiterals(const google::protobuf::RepeatedPtrField<pb::LiteralProto>& protos, ProtoWarnings& warnings,
                          std::vector<Literal>* literals) {
  for (const pb::LiteralProto& proto : protos) {
    absl::StatusOr<Literal> literal = LiteralFromProto(proto, warnings);
    if (!literal.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", literals->size(), " of the snapshot: ", literal.status().message()));
    }
    literals->push_back(*std::move(literal));
  }
  return absl::OkStatus();
}

absl::Status ReadSnapshot(const pb::HloSnapshot& proto, ProtoWarnings& warnings, HloProtoContents* contents) {
  RETURN_IF_ERROR(ReadLiterals(proto.arguments(), warnings, &contents->arguments.emplace_back()));
  if (proto.has_result()) {
    absl::StatusOr<Literal> result = LiteralFromProto(proto.result(), warnings);
    if (!result.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("result of the snapshot: ", result.status().message()));
    }
    contents->result = *std::move(result);
  }
  contents->execution_platform = proto.execution_platform();
  return absl::OkStatus();
}

absl::Status ReadUnoptimizedSnapshot(const pb::HloUnoptimizedSnapshot& proto, ProtoWarnings& warnings,
                                     HloProtoContents* contents) {
  for (const pb::HloInputs& partition : proto.partitions()) {
    if (partition.arguments_descriptors_size() > 0) {
      warnings.Add("dropped the arguments of a snapshot that are stored behind it");
    }
    RETURN_IF_ERROR(ReadLiterals(partition.arguments(), warnings, &contents->arguments.emplace_back()));
  }
  return absl::OkStatus();
}

// The four messages as one: which of them it is, made in an arena.
class AnyHloMessage {
 public:
  AnyHloMessage(HloProtoKind kind, google::protobuf::Arena* arena) : kind_(kind) {
    using google::protobuf::Arena;
    switch (kind) {
      case HloProtoKind::kModule:
        message_ = Arena::CreateMessage<pb::HloModuleProto>(arena);
        break;
      case HloProtoKind::kHloProto:
        message_ = Arena::CreateMessage<pb::HloProto>(arena);
        break;
      case HloProtoKind::kSnapshot:
        message_ = Arena::CreateMessage<pb::HloSnapshot>(arena);
        break;
      case HloProtoKind::kUnoptimizedSnapshot:
        message_ = Arena::CreateMessage<pb::HloUnoptimizedSnapshot>(arena);
        break;
    }
  }

  Message* message() { return message_; }

  const pb::HloModuleProto& module() const {
    switch (kind_) {
      case HloProtoKind::kModule:
        break;
      case HloProtoKind::kHloProto:
        return As<pb::HloProto>().hlo_module();
      case HloProtoKind::kSnapshot:
        return As<pb::HloSnapshot>().hlo().hlo_module();
      case HloProtoKind::kUnoptimizedSnapshot:
        return As<pb::HloUnoptimizedSnapshot>().hlo_module();
    }
    return As<pb::HloModuleProto>();
  }

  // Everything but the module.
  absl::Status ReadRest(ProtoWarnings& warnings, HloProtoContents* contents) const {
    if (kind_ == HloProtoKind::kModule) return absl::OkStatus();
    warnings.NoteUnknownFields(*message_);
    if (kind_ == HloProtoKind::kSnapshot) return ReadSnapshot(As<pb::HloSnapshot>(), warnings, contents);
    if (kind_ == HloProtoKind::kHloProto) return absl::OkStatus();
    return ReadUnoptimizedSnapshot(As<pb::HloUnoptimizedSnapshot>(), warnings, contents);
  }

 private:
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*message_);
  }

  HloProtoKind kind_;
  Message* message_ = nullptr;
};

absl::StatusOr<HloProtoContents> ReadOnThisStack(absl::string_view contents) {
  if (contents.empty()) return absl::InvalidArgumentError("the file is empty; expected a HloModuleProto");
  const HloFileFormat format = DetectHloFormat(contents);
  if (format == HloFileFormat::kHloText) {
    return absl::InvalidArgumentError("this is text, but not protobuf text; expected a HloModuleProto or HloProto");
  }
  const bool binary = format == HloFileFormat::kProtoBinary;
  HloProtoContents result;
  result.kind = binary ? DetectBinaryKind(contents) : DetectTextKind(contents);
  google::protobuf::ArenaOptions options;
  options.max_block_size = size_t{1} << 20;
  google::protobuf::Arena arena(options);
  AnyHloMessage any(result.kind, &arena);
  ProtoWarnings warnings;
  RETURN_IF_ERROR(binary ? ParseBinary(contents, result.kind, any.message())
                         : ParseText(contents, result.kind, warnings, any.message()));
  ASSIGN_OR_RETURN(result.module, ModuleFromProto(any.module(), warnings));
  RETURN_IF_ERROR(any.ReadRest(warnings, &result));
  result.warnings = warnings.Take();
  return result;
}

// ---- Writing

absl::StatusOr<std::string> ToBinary(const Message& message) {
  if (message.ByteSizeLong() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("the module takes ", message.ByteSizeLong(),
                                                   " bytes; a protobuf message holds at most 2 GB"));
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream output(&bytes);
    google::protobuf::io::CodedOutputStream stream(&output);
    stream.SetSerializationDeterministic(true);  // maps in order of their keys
    google::protobuf::LogSilencer silencer;
    message.SerializeWithCachedSizes(&stream);
  }
  const std::string problem = FindWireProblem(bytes, *message.GetDescriptor());
  if (!problem.empty()) return absl::InvalidArgumentError(absl::StrCat("cannot be stored as protobuf: ", problem));
  return bytes;
}

absl::StatusOr<std::string> ToText(const Message& message) {
  RETURN_IF_ERROR(ToBinary(message).status());
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(message, &text)) {
    return absl::InternalError("protobuf cannot print the module");
  }
  return text;
}

absl::StatusOr<std::string> WriteOnThisStack(const HloModule& module, ProtoEncoding encoding, HloProtoKind kind) {
  google::protobuf::Arena arena;
  auto* file = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  RETURN_IF_ERROR(ModuleToProto(module, file->mutable_hlo_module()));
  const Message& message = kind == HloProtoKind::kHloProto ? static_cast<const Message&>(*file) : file->hlo_module();
  return encoding == ProtoEncoding::kBinary ? ToBinary(message) : ToText(message);
}

}  // namespace

absl::StatusOr<HloProtoContents> ReadHloProto(absl::string_view contents) {
  absl::StatusOr<HloProtoContents> result = absl::InternalError("not run");
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] { result = ReadOnThisStack(contents); }));
  return result;
}

absl::StatusOr<std::string> WriteHloProto(const HloModule& module, ProtoEncoding encoding, HloProtoKind kind) {
  if (kind != HloProtoKind::kModule && kind != HloProtoKind::kHloProto) {
    return absl::InvalidArgumentError(absl::StrCat("cannot write a ", MessageName(kind)));
  }
  absl::StatusOr<std::string> result = absl::InternalError("not run");
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] { result = WriteOnThisStack(module, encoding, kind); }));
  return result;
}

}  // namespace xla
