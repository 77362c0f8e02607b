#include "xla_core/proto/hlo_proto.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
// What the stack of any thread has room for, and protobuf's own limit.
constexpr int kShallow = 100;
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

// A text that ends, in the middle of something, once a limit has been reached.
class LimitedText : public google::protobuf::io::ZeroCopyInputStream {
 public:
  LimitedText(absl::string_view text, const ResourceContext& resources)
      : stream_(text.data(), static_cast<int>(text.size()), kBytesPerCheck), resources_(resources) {}

  bool Next(const void** data, int* size) override { return !resources_.IsOver() && stream_.Next(data, size); }
  void BackUp(int count) override { stream_.BackUp(count); }
  bool Skip(int count) override { return stream_.Skip(count); }
  int64_t ByteCount() const override { return stream_.ByteCount(); }

 private:
  static constexpr int kBytesPerCheck = 65'536;

  google::protobuf::io::ArrayInputStream stream_;
  const ResourceContext& resources_;
};

// Parses a message in protobuf's text form. Unknown fields only warn, for newer versions of XLA add some; nesting is
// checked before, since the parser's own recursion could exhaust the stack.
absl::Status ParseText(absl::string_view contents, HloProtoKind kind, const ResourceContext& resources,
                       ProtoWarnings& warnings, Message* message) {
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
  LimitedText stream(contents, resources);
  google::protobuf::LogSilencer silencer;
  const bool parsed = parser.Parse(&stream, message);
  RETURN_IF_ERROR(resources.Check());
  if (parsed) return absl::OkStatus();
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
      warnings.Add("dropped the arguments of a snapshot that are stored after it");
    }
    RETURN_IF_ERROR(ReadLiterals(partition.arguments(), warnings, &contents->arguments.emplace_back()));
  }
  return absl::OkStatus();
}

std::unique_ptr<Message> MakeMessage(HloProtoKind kind) {
  switch (kind) {
    case HloProtoKind::kModule:
      return std::make_unique<pb::HloModuleProto>();
    case HloProtoKind::kHloProto:
      return std::make_unique<pb::HloProto>();
    case HloProtoKind::kSnapshot:
      return std::make_unique<pb::HloSnapshot>();
    case HloProtoKind::kUnoptimizedSnapshot:
      return std::make_unique<pb::HloUnoptimizedSnapshot>();
  }
  return nullptr;
}

// A file cut into its module and the rest. Both are serialized messages; the concatenation of such is their merge.
struct CutFile {
  absl::string_view module;
  std::string joined_module;  // what `module` points to, should there be several pieces
  std::string rest;
};

// Cuts out field 1.
absl::StatusOr<CutFile> CutFirstField(absl::string_view contents) {
  CutFile cut;
  WireCursor cursor(contents);
  WireField field;
  int pieces = 0;
  while (!cursor.AtEnd()) {
    if (!cursor.Next(&field)) return absl::DataLossError("");
    if (field.number != 1 || field.type != WireType::kBytes) {
      cut.rest.append(field.whole.data(), field.whole.size());
      continue;
    }
    if (pieces++ == 0) {
      cut.module = field.bytes;
      continue;
    }
    if (pieces == 2) cut.joined_module = std::string(cut.module);
    cut.joined_module.append(field.bytes.data(), field.bytes.size());
  }
  if (pieces > 1) cut.module = cut.joined_module;
  return cut;
}

// The file of that kind, cut.
absl::Status CutContents(absl::string_view contents, HloProtoKind kind, CutFile* cut) {
  if (kind == HloProtoKind::kModule) {
    cut->module = contents;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(*cut, CutFirstField(contents));
  if (!cut->joined_module.empty()) cut->module = cut->joined_module;
  return absl::OkStatus();
}

// Everything in a file but the module.
absl::Status ReadRest(absl::string_view rest, int max_depth, ProtoWarnings& warnings, HloProtoContents* result) {
  // The memory report of a HloProto may be large, and is not wanted.
  if (result->kind == HloProtoKind::kModule || result->kind == HloProtoKind::kHloProto) return absl::OkStatus();
  const std::unique_ptr<Message> message = MakeMessage(result->kind);
  RETURN_IF_ERROR(ParseMessage(rest, max_depth, message.get()));
  warnings.NoteUnknownFields(*message);
  if (result->kind == HloProtoKind::kSnapshot) {
    return ReadSnapshot(static_cast<const pb::HloSnapshot&>(*message), warnings, result);
  }
  return ReadUnoptimizedSnapshot(static_cast<const pb::HloUnoptimizedSnapshot&>(*message), warnings, result);
}

// DataLoss if `contents` is not of that kind, or nests deeper than max_depth.
absl::Status ReadBinary(absl::string_view contents, int max_depth, const ResourceContext& resources,
                        ProtoWarnings& warnings, HloProtoContents* result) {
  CutFile file;
  RETURN_IF_ERROR(CutContents(contents, result->kind, &file));
  CutFile inner;
  if (result->kind == HloProtoKind::kSnapshot) {
    RETURN_IF_ERROR(CutContents(file.module, HloProtoKind::kHloProto, &inner));
    file.module = inner.module;
  }
  ASSIGN_OR_RETURN(result->module, ModuleFromBytes(file.module, max_depth, resources, warnings));
  return ReadRest(file.rest, max_depth, warnings, result);
}

absl::StatusOr<HloProtoContents> ReadWithDepth(absl::string_view contents, HloProtoKind kind, int max_depth,
                                               const ResourceContext& resources, ProtoWarnings warnings) {
  // The library would write to standard error what the status says.
  google::protobuf::LogSilencer silencer;
  HloProtoContents result;
  result.kind = kind;
  RETURN_IF_ERROR(ReadBinary(contents, max_depth, resources, warnings, &result));
  result.warnings = warnings.Take();
  return result;
}

// Few files nest deep. Those that do are read again on a stack on which the recursion has room.
absl::StatusOr<HloProtoContents> ReadBinaryFile(absl::string_view contents, HloProtoKind kind,
                                                const ResourceContext& resources, const ProtoWarnings& warnings) {
  if (contents.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a file of ", contents.size(), " bytes; a protobuf message holds at most 2 GB"));
  }
  absl::StatusOr<HloProtoContents> result = ReadWithDepth(contents, kind, kShallow, resources, warnings);
  if (result.ok() || !absl::IsDataLoss(result.status())) return result;
  std::string problem;
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] {
    result = ReadWithDepth(contents, kind, kMaxMessageDepth, resources, warnings);
    if (!result.ok() && absl::IsDataLoss(result.status())) {
      problem = FindWireProblem(contents, *MakeMessage(kind)->GetDescriptor());
    }
  }));
  if (result.ok() || !absl::IsDataLoss(result.status())) return result;
  return absl::InvalidArgumentError(
      absl::StrCat("not a valid ", MessageName(kind), ": ",
                   problem.empty() ? absl::StrCat("messages are nested deeper than ", kMaxMessageDepth) : problem));
}

// Text becomes binary first: then there is one reader for both.
absl::StatusOr<HloProtoContents> ReadTextFile(absl::string_view contents, const ResourceContext& resources) {
  const HloProtoKind kind = DetectTextKind(contents);
  ProtoWarnings warnings;
  std::string binary;
  absl::Status parsed;
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] {
    const std::unique_ptr<Message> message = MakeMessage(kind);
    parsed = ParseText(contents, kind, resources, warnings, message.get());
    if (!parsed.ok()) return;
    google::protobuf::LogSilencer silencer;
    if (!message->SerializeToString(&binary)) parsed = absl::InvalidArgumentError("protobuf text of more than 2 GB");
  }));
  RETURN_IF_ERROR(parsed);
  return ReadBinaryFile(binary, kind, resources, warnings);
}

// "7f 45 4c 46".
std::string FirstBytes(absl::string_view contents) {
  constexpr size_t kEnough = 4;
  return absl::StrJoin(contents.substr(0, kEnough), " ", [](std::string* out, char c) {
    absl::StrAppend(out, absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
  });
}

absl::StatusOr<HloProtoContents> ReadAs(HloFileFormat format, absl::string_view contents,
                                        const ResourceContext& resources) {
  switch (format) {
    case HloFileFormat::kProtoBinary:
      return ReadBinaryFile(contents, DetectBinaryKind(contents), resources, ProtoWarnings());
    case HloFileFormat::kProtoText:
      return ReadTextFile(contents, resources);
    case HloFileFormat::kHloText:
      return absl::InvalidArgumentError("this is text, but not protobuf text; expected a HloModuleProto or HloProto");
    case HloFileFormat::kUnknown:
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("this is no program in HLO: it begins with the bytes ", FirstBytes(contents),
                   "; expected HLO text, or a HloModuleProto, HloProto or HloSnapshot, binary or text"));
}

// ---- Writing

absl::Status CheckBinary(absl::string_view bytes, HloProtoKind kind) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module takes ", bytes.size(), " bytes; a protobuf message holds at most 2 GB"));
  }
  const std::string problem = FindWireProblem(bytes, *MakeMessage(kind)->GetDescriptor());
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot be stored as protobuf: ", problem));
}

absl::StatusOr<std::string> ToBinary(const HloModule& module, HloProtoKind kind, const ResourceContext& resources) {
  google::protobuf::LogSilencer silencer;
  std::string bytes;
  RETURN_IF_ERROR(AppendModule(module, resources, &bytes));
  if (kind == HloProtoKind::kHloProto) {
    std::string file;
    AppendField(pb::HloProto::kHloModuleFieldNumber, bytes, &file);
    bytes = std::move(file);
  }
  RETURN_IF_ERROR(CheckBinary(bytes, kind));
  return bytes;
}

absl::StatusOr<std::string> ToText(const HloModule& module, HloProtoKind kind, const ResourceContext& resources) {
  RETURN_IF_ERROR(ToBinary(module, kind, resources).status());
  google::protobuf::Arena arena;
  auto* file = google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  RETURN_IF_ERROR(ModuleToProto(module, resources, file->mutable_hlo_module()));
  const Message& message = kind == HloProtoKind::kHloProto ? static_cast<const Message&>(*file) : file->hlo_module();
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(message, &text)) {
    return absl::InternalError("protobuf cannot print the module");
  }
  return text;
}

absl::StatusOr<std::string> WriteOnThisStack(const HloModule& module, ProtoEncoding encoding, HloProtoKind kind,
                                             const ResourceContext& resources) {
  return encoding == ProtoEncoding::kBinary ? ToBinary(module, kind, resources) : ToText(module, kind, resources);
}

}  // namespace

absl::StatusOr<HloProtoContents> ReadHloProto(absl::string_view contents, const ResourceContext* resources) {
  if (contents.empty()) return absl::InvalidArgumentError("the file is empty; expected a HloModuleProto");
  const ResourceContext reading(resources, "reading the program");
  absl::StatusOr<HloProtoContents> read = ReadAs(DetectHloFormat(contents), contents, reading);
  // What is wrong with a file that was not read to its end does not count.
  if (!read.ok()) RETURN_IF_ERROR(reading.Check());
  return read;
}

absl::StatusOr<std::string> WriteHloProto(const HloModule& module, ProtoEncoding encoding, HloProtoKind kind,
                                          const ResourceContext* resources) {
  if (kind != HloProtoKind::kModule && kind != HloProtoKind::kHloProto) {
    return absl::InvalidArgumentError(absl::StrCat("cannot write a ", MessageName(kind)));
  }
  absl::StatusOr<std::string> result = absl::InternalError("not run");
  const ResourceContext writing(resources, "writing the program");
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] { result = WriteOnThisStack(module, encoding, kind, writing); }));
  return result;
}

}  // namespace xla
