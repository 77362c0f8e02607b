// The flags of a program, each described once: the table parses the command line and prints the help.
//
// Flags belong to topics, and each topic's help fits a screen. A flag may be written --name value or --name=value; one
// that is on or off, --name or --name=false. "--" ends the flags.
//
// Parts of a program may add flags of their own, as owners of them. If several add a flag of the same name and kind, it
// is one flag, which sets the values of all of them and has the help of the first.
#ifndef TOOLS_SHARED_FLAG_TABLE_H_
#define TOOLS_SHARED_FLAG_TABLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace xla {

class FlagTable {
 public:
  // `usage` is what stands after "usage: "; `summary` says in a few lines what the program does.
  FlagTable(std::string usage, std::string summary) : usage_(std::move(usage)), summary_(std::move(summary)) {}

  // The flags added from here on belong to the topic `name`.
  void Topic(std::string name, std::string summary);
  // ... to a topic that there is already.
  void ContinueTopic(absl::string_view name);
  const std::string& topic() const { return topics_[current_topic_].name; }
  // ... and have this owner. "": the program itself.
  void Owner(std::string owner) { owner_ = std::move(owner); }
  // Text below the flags of the current topic.
  void Note(std::string note);

  // Each adds a flag that writes its value to `target`, which must live as long as the table. The value that `target`
  // has now is the default.
  void Switch(std::string name, bool* target, std::string help);
  void Text(std::string name, std::string placeholder, std::string* target, std::string help);
  // May be given several times; the values add up.
  void List(std::string name, std::string placeholder, std::vector<std::string>* target, std::string help);
  // A whole number of at least `minimum`.
  void Number(std::string name, std::string placeholder, int64_t* target, int64_t minimum, std::string help);
  void Seed(std::string name, uint64_t* target, std::string help);
  // A number of at least 0.
  void Real(std::string name, std::string placeholder, absl::optional<double>* target, std::string help);
  // "512", "64K", "2G": bytes.
  void Bytes(std::string name, std::string placeholder, int64_t* target, std::string help);
  // "10", "1.5s", "2m", "500ms"; seconds without a unit.
  void Duration(std::string name, std::string placeholder, absl::Duration* target, std::string help);
  // One of the words `values`.
  void Choice(std::string name, std::vector<std::string> values, std::string* target, std::string help);
  // A value that `set` takes or refuses; its message is printed behind the flag's name.
  void Value(std::string name, std::string placeholder, std::function<absl::Status(absl::string_view value)> set,
             std::string help);
  // A second spelling of the flag added last, such as -o.
  void Alias(std::string spelling);
  // Adds --version, which prints `text`, and which the overview of the help shows; without the call there is none.
  void Version(std::string text, std::string help) {
    version_text_ = std::move(text);
    version_help_ = std::move(help);
  }

  // Sets the flags that `arguments` (without the program's name) give and returns the other arguments; "-" is one of
  // those. Stops at --help, which sets help_topic, and at --version.
  // Errors: InvalidArgument, for one line to print: an unknown flag with the nearest known one, a missing or wrong
  // value.
  absl::StatusOr<std::vector<std::string>> Parse(absl::Span<const char* const> arguments);

  // Set if --help (or -h) was given: the topic asked for, empty for the overview.
  const absl::optional<std::string>& help_topic() const { return help_topic_; }
  // Whether --version was given.
  bool version_asked() const { return version_asked_; }
  const std::string& version_text() const { return version_text_; }
  // Whether a flag, spelled with its dashes, was on the command line.
  bool IsGiven(absl::string_view name) const;
  // Those flags on the command line that the program itself does not own, each once.
  struct OwnedFlag {
    std::string name;  // with its dashes
    std::vector<std::string> owners;
  };
  std::vector<OwnedFlag> given_flags() const;
  // The overview, or the flags of one topic. InvalidArgument, with the known topics, if there is no such topic.
  absl::StatusOr<std::string> Help(absl::string_view topic) const;
  std::vector<std::string> topics() const;

 private:
  struct Flag {
    std::string name;   // with its dashes
    std::string alias;  // empty: none
    std::string placeholder;
    std::string help;
    bool takes_value;
    std::function<absl::Status(absl::string_view value)> set;
    std::vector<std::string> owners;
    bool is_given = false;
  };
  struct TopicRow {
    std::string name;
    std::string summary;
    std::vector<Flag> flags;
    std::string note;
  };

  void Add(std::string name, std::string placeholder, std::string help,
           std::function<absl::Status(absl::string_view)> set, bool takes_value = true);
  // nullptr: there is none.
  Flag* Find(absl::string_view spelling);
  absl::Status UnknownFlag(absl::string_view spelling) const;

  const std::string usage_;
  const std::string summary_;
  std::vector<TopicRow> topics_;
  size_t current_topic_ = 0;
  std::string owner_;
  absl::optional<std::string> help_topic_;
  std::string version_text_;
  std::string version_help_;  // empty: there is no --version
  bool version_asked_ = false;
};

}  // namespace xla

#endif  // TOOLS_SHARED_FLAG_TABLE_H_
