// Errors in a text: where, what, and the line with a caret.
//
//   module.hlo:8:39: error: instruction 'v3' does not exist; did you mean 'v2'?
//     %add = f32[4] add(f32[4] %v1, f32[4] %v3)
//                                          ^
//
// Lines and columns count from 1, columns in bytes. A long line is shown as a window around the caret.
#ifndef XLA_CORE_TEXT_DIAGNOSTICS_H_
#define XLA_CORE_TEXT_DIAGNOSTICS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Collects the errors of one text. Positions are pointers into `text`, or one past its end.
class Diagnostics {
 public:
  // `file_name` may be empty: messages then start with the line. `text` and `resources`, which may be nullptr, must
  // outlive the object.
  Diagnostics(absl::string_view text, std::string file_name, const ResourceContext* resources = nullptr)
      : text_(text), file_name_(std::move(file_name)), resources_(resources) {}

  // Always false, so that a parser can say `return diagnostics.Error(...)`.
  bool Error(const char* at, std::string message);
  // More about the error before it: "note: previously defined here".
  void Note(const char* at, std::string message);

  // Whether a limit of the resources has been reached: nothing is worth reading any more.
  bool MustStop() const { return resources_ != nullptr && resources_->IsOver(); }

  bool ok() const { return entries_.empty(); }
  // True after so many errors that more would say nothing new; they are then dropped.
  bool full() const;
  // That of the resources, if a limit has been reached; else InvalidArgument with all errors and their lines, one below
  // the other; OK if there were none.
  absl::Status ToStatus() const;

 private:
  struct Entry {
    const char* at;
    const char* severity;
    std::string message;
  };
  void AppendTo(std::string* out, const Entry& entry) const;

  absl::string_view text_;
  std::string file_name_;
  const ResourceContext* resources_;
  std::vector<Entry> entries_;
};

// 'word', for messages: long words are cut, bytes that do not print are escaped.
std::string Quoted(absl::string_view word);

}  // namespace xla

#endif  // XLA_CORE_TEXT_DIAGNOSTICS_H_
