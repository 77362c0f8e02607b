#include "builders/webnn/errors.h"

#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xla {
namespace webnn {
namespace {

constexpr char kPayloadUrl[] = "halo/webnn-error";

// What a status carries: three lines.
struct Details {
  MLErrorKind kind = MLErrorKind::kNone;
  std::string rule;
  std::string method;
};

struct KindRow {
  MLErrorKind kind;
  absl::string_view name;
  absl::StatusCode code;
};
constexpr KindRow kKinds[] = {
    {MLErrorKind::kNone, "", absl::StatusCode::kOk},
    {MLErrorKind::kTypeError, "TypeError", absl::StatusCode::kInvalidArgument},
    {MLErrorKind::kNotSupportedError, "NotSupportedError", absl::StatusCode::kUnimplemented},
    {MLErrorKind::kSecurityError, "SecurityError", absl::StatusCode::kPermissionDenied},
    {MLErrorKind::kOperationError, "OperationError", absl::StatusCode::kAborted},
    {MLErrorKind::kInvalidStateError, "InvalidStateError", absl::StatusCode::kFailedPrecondition},
    {MLErrorKind::kUnknownError, "UnknownError", absl::StatusCode::kUnknown},
    {MLErrorKind::kDataError, "DataError", absl::StatusCode::kInvalidArgument},
    {MLErrorKind::kAbortError, "AbortError", absl::StatusCode::kCancelled},
};

const KindRow& RowOf(MLErrorKind kind) { return kKinds[static_cast<int>(kind)]; }

absl::Status WithDetails(absl::StatusCode code, absl::string_view message, const Details& details) {
  absl::Status status(code, message);
  // Not from a std::string: Clang names that constructor otherwise than the GCC that Abseil is built with.
  const std::string text = absl::StrCat(static_cast<int>(details.kind), "\n", details.rule, "\n", details.method);
  status.SetPayload(kPayloadUrl, absl::Cord(absl::string_view(text)));
  return status;
}

// False if the status carries none.
bool ReadDetails(const absl::Status& status, Details* details) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return false;
  const std::vector<std::string> lines = absl::StrSplit(std::string(*payload), '\n');
  int kind = 0;
  if (lines.size() != 3 || !absl::SimpleAtoi(lines[0], &kind)) return false;
  details->kind = static_cast<MLErrorKind>(kind);
  details->rule = lines[1];
  details->method = lines[2];
  return true;
}

}  // namespace

absl::string_view ErrorKindName(MLErrorKind kind) { return RowOf(kind).name; }

absl::Status MakeError(MLErrorKind kind, absl::string_view rule, absl::string_view message) {
  return WithDetails(RowOf(kind).code, message, {kind, std::string(rule), ""});
}

MLErrorKind ErrorKindOf(const absl::Status& status) {
  if (status.ok()) return MLErrorKind::kNone;
  Details details;
  return ReadDetails(status, &details) ? details.kind : MLErrorKind::kUnknownError;
}

std::string RuleOf(const absl::Status& status) {
  Details details;
  return ReadDetails(status, &details) ? details.rule : "";
}

std::string OperatorOf(const absl::Status& status) {
  Details details;
  return ReadDetails(status, &details) ? details.method : "";
}

absl::Status InMethod(const absl::Status& status, absl::string_view method, absl::string_view where) {
  if (status.ok()) return status;
  Details details;
  if (!ReadDetails(status, &details)) details.kind = MLErrorKind::kUnknownError;
  if (!details.method.empty()) return status;
  details.method = std::string(method);
  return WithDetails(status.code(), absl::StrCat(method, where, ": ", status.message()), details);
}

absl::Status AsError(const absl::Status& status, MLErrorKind kind, absl::string_view rule) {
  Details details;
  if (status.ok() || ReadDetails(status, &details)) return status;
  return WithDetails(status.code(), status.message(), {kind, std::string(rule), ""});
}

}  // namespace webnn
}  // namespace xla
