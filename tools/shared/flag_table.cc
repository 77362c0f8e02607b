#include "tools/shared/flag_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Help is written for terminals of this width.
constexpr size_t kColumns = 80;
// Where the explanations of flags begin.
constexpr size_t kHelpColumn = 26;

absl::Status WrongValue(absl::string_view value, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("'", value, "' is not ", expected));
}

// Breaks `text` into lines that begin at column `indent`, the first of them after `first`.
std::string Wrapped(std::string first, absl::string_view text, size_t indent) {
  std::string result;
  // Choices that do not fit on one line go on below the first of them.
  constexpr size_t kMoreChoices = 6;
  while (first.size() > kColumns) {
    const size_t bar = first.rfind('|', kColumns - 1);
    if (bar == std::string::npos || bar < kMoreChoices) break;
    absl::StrAppend(&result, first.substr(0, bar + 1), "\n");
    first = absl::StrCat(std::string(kMoreChoices, ' '), first.substr(bar + 1));
  }
  std::string line = std::move(first);
  const auto break_line = [&] {
    result += line + "\n";
    line.clear();
  };
  if (line.size() + 2 > indent && !line.empty()) break_line();
  line.resize(indent, ' ');
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (line.size() > indent && line.size() + 1 + word.size() > kColumns) {
      break_line();
      line.resize(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line.append(word.data(), word.size());
  }
  return result + line + "\n";
}

// Breaks the lines of `text` that are too long; those that begin with a blank stay as they are.
std::string WrappedParagraphs(absl::string_view text) {
  std::string result;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    result += line.empty() || line[0] == ' ' ? absl::StrCat(line, "\n") : Wrapped("", line, 0);
  }
  return result;
}

absl::Status ParseBytes(absl::string_view value, int64_t& bytes) {
  absl::string_view digits = value;
  int64_t unit = 1;
  constexpr absl::string_view kUnits = "KMGT";
  if (!digits.empty()) {
    const size_t power = kUnits.find(absl::ascii_toupper(digits.back()));
    if (power != absl::string_view::npos) {
      unit = int64_t{1} << (10 * (power + 1));
      digits.remove_suffix(1);
    }
  }
  double number;
  if (!absl::SimpleAtod(digits, &number) || !(number > 0) || number * static_cast<double>(unit) >= 9.2e18) {
    return WrongValue(value, "a size such as 512M or 2G");
  }
  bytes = static_cast<int64_t>(number * static_cast<double>(unit));
  return absl::OkStatus();
}

absl::Status ParseSeconds(absl::string_view value, absl::Duration& duration) {
  double seconds;
  if (absl::SimpleAtod(value, &seconds)) {
    duration = absl::Seconds(seconds);
  } else if (!absl::ParseDuration(value, &duration)) {
    return WrongValue(value, "a duration such as 10, 1.5s or 2m");
  }
  return duration > absl::ZeroDuration() ? absl::OkStatus() : WrongValue(value, "a duration of more than zero");
}

}  // namespace

void FlagTable::Topic(std::string name, std::string summary) {
  current_topic_ = topics_.size();
  topics_.push_back({std::move(name), std::move(summary), {}, ""});
}

void FlagTable::ContinueTopic(absl::string_view name) {
  for (size_t i = 0; i < topics_.size(); ++i) {
    if (topics_[i].name == name) current_topic_ = i;
  }
}

void FlagTable::Note(std::string note) { topics_[current_topic_].note = std::move(note); }

void FlagTable::Add(std::string name, std::string placeholder, std::string help,
                    std::function<absl::Status(absl::string_view)> set, bool takes_value) {
  name = absl::StrCat("--", name);
  if (Flag* const same = Find(name); same != nullptr) {
    same->owners.push_back(owner_);
    same->set = [first = std::move(same->set), second = std::move(set)](absl::string_view value) {
      RETURN_IF_ERROR(first(value));
      return second(value);
    };
    return;
  }
  topics_[current_topic_].flags.push_back(
      {std::move(name), "", std::move(placeholder), std::move(help), takes_value, std::move(set), {owner_}});
}

void FlagTable::Switch(std::string name, bool* target, std::string help) {
  const auto set = [target](absl::string_view value) {
    if (value.empty()) {
      *target = true;
      return absl::OkStatus();
    }
    return absl::SimpleAtob(value, target) ? absl::OkStatus() : WrongValue(value, "true or false");
  };
  Add(std::move(name), "", std::move(help), set, /*takes_value=*/false);
}

void FlagTable::Text(std::string name, std::string placeholder, std::string* target, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help), [target](absl::string_view value) {
    *target = std::string(value);
    return absl::OkStatus();
  });
}

void FlagTable::List(std::string name, std::string placeholder, std::vector<std::string>* target, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help), [target](absl::string_view value) {
    target->emplace_back(value);
    return absl::OkStatus();
  });
}

void FlagTable::Number(std::string name, std::string placeholder, int64_t* target, int64_t minimum, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help), [target, minimum](absl::string_view value) {
    int64_t number;
    if (!absl::SimpleAtoi(value, &number) || number < minimum) {
      return WrongValue(value, absl::StrCat("a whole number of at least ", minimum));
    }
    *target = number;
    return absl::OkStatus();
  });
}

void FlagTable::Seed(std::string name, uint64_t* target, std::string help) {
  Add(std::move(name), "S", std::move(help), [target](absl::string_view value) {
    return absl::SimpleAtoi(value, target) ? absl::OkStatus() : WrongValue(value, "a whole number from 0 to 2^64 - 1");
  });
}

void FlagTable::Real(std::string name, std::string placeholder, absl::optional<double>* target, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help), [target](absl::string_view value) {
    double number;
    if (!absl::SimpleAtod(value, &number) || !(number >= 0)) return WrongValue(value, "a number of at least 0");
    *target = number;
    return absl::OkStatus();
  });
}

void FlagTable::Bytes(std::string name, std::string placeholder, int64_t* target, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help),
      [target](absl::string_view value) { return ParseBytes(value, *target); });
}

void FlagTable::Duration(std::string name, std::string placeholder, absl::Duration* target, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help),
      [target](absl::string_view value) { return ParseSeconds(value, *target); });
}

void FlagTable::Choice(std::string name, std::vector<std::string> values, std::string* target, std::string help) {
  std::string placeholder = absl::StrJoin(values, "|");
  Add(std::move(name), std::move(placeholder), std::move(help),
      [target, values = std::move(values)](absl::string_view value) {
        for (const std::string& known : values) {
          if (known == value) {
            *target = known;
            return absl::OkStatus();
          }
        }
        if (values.size() == 1) {
          return absl::InvalidArgumentError(
              absl::StrCat("'", value, "' is not in this build, which has only ", values[0]));
        }
        const std::vector<absl::string_view> known(values.begin(), values.end());
        return absl::InvalidArgumentError(
            absl::StrCat("'", value, "' is none of ", absl::StrJoin(values, ", "), DidYouMean(value, known)));
      });
}

void FlagTable::Value(std::string name, std::string placeholder,
                      std::function<absl::Status(absl::string_view value)> set, std::string help) {
  Add(std::move(name), std::move(placeholder), std::move(help), std::move(set));
}

void FlagTable::Alias(std::string spelling) { topics_[current_topic_].flags.back().alias = std::move(spelling); }

FlagTable::Flag* FlagTable::Find(absl::string_view spelling) {
  for (TopicRow& topic : topics_) {
    for (Flag& flag : topic.flags) {
      if (flag.name == spelling || (!flag.alias.empty() && flag.alias == spelling)) return &flag;
    }
  }
  return nullptr;
}

absl::Status FlagTable::UnknownFlag(absl::string_view spelling) const {
  std::vector<absl::string_view> known = {"--help"};
  if (!version_help_.empty()) known.push_back("--version");
  for (const TopicRow& topic : topics_) {
    for (const Flag& flag : topic.flags) known.push_back(flag.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown flag '", spelling, "'", DidYouMean(spelling, known)));
}

absl::StatusOr<std::vector<std::string>> FlagTable::Parse(absl::Span<const char* const> arguments) {
  std::vector<std::string> others;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (argument == "--") {
      others.insert(others.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (!absl::StartsWith(argument, "-") || argument == "-") {
      others.emplace_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const bool has_value = equals != absl::string_view::npos;
    const absl::string_view spelling = argument.substr(0, equals);
    absl::string_view value = has_value ? argument.substr(equals + 1) : absl::string_view();
    const bool next_is_word = i + 1 < arguments.size() && !absl::StartsWith(arguments[i + 1], "-");
    if (spelling == "--help" || spelling == "-h") {
      help_topic_ = has_value ? std::string(value) : next_is_word ? arguments[i + 1] : "";
      return others;
    }
    if (!version_help_.empty() && spelling == "--version") {
      if (has_value) return absl::InvalidArgumentError("--version takes no value");
      version_asked_ = true;
      return others;
    }
    Flag* const flag = Find(spelling);
    if (flag == nullptr) return UnknownFlag(spelling);
    if (flag->takes_value && !has_value) {
      if (i + 1 == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(flag->name, " needs a value: ", flag->name, " ", flag->placeholder));
      }
      value = arguments[++i];
      // A value that was forgotten, more likely than one that looks like a flag.
      if (absl::StartsWith(value, "--") || value == "-h" || Find(value) != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(flag->name, " needs a value, and '", value,
                                                       "' is a flag; a value like that is written ", flag->name, "=",
                                                       value));
      }
    }
    flag->is_given = true;
    const absl::Status status = flag->set(value);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(flag->name, ": ", status.message()));
  }
  return others;
}

bool FlagTable::IsGiven(absl::string_view name) const {
  const auto is_it = [&](const Flag& flag) { return flag.is_given && flag.name == name; };
  return std::any_of(topics_.begin(), topics_.end(),
                     [&](const TopicRow& topic) { return std::any_of(topic.flags.begin(), topic.flags.end(), is_it); });
}

std::vector<FlagTable::OwnedFlag> FlagTable::given_flags() const {
  std::vector<OwnedFlag> given;
  for (const TopicRow& topic : topics_) {
    for (const Flag& flag : topic.flags) {
      const bool is_own = std::find(flag.owners.begin(), flag.owners.end(), "") != flag.owners.end();
      if (flag.is_given && !is_own) given.push_back({flag.name, flag.owners});
    }
  }
  return given;
}

std::vector<std::string> FlagTable::topics() const {
  std::vector<std::string> names;
  for (const TopicRow& topic : topics_) names.push_back(topic.name);
  return names;
}

absl::StatusOr<std::string> FlagTable::Help(absl::string_view topic) const {
  if (topic.empty()) {
    std::string text = absl::StrCat("usage: ", usage_, "\n\n", WrappedParagraphs(summary_), "\n");
    for (const TopicRow& row : topics_) {
      text += Wrapped(absl::StrCat("  --help ", row.name), row.summary, kHelpColumn);
    }
    if (!version_help_.empty()) text += Wrapped("  --version", version_help_, kHelpColumn);
    return text;
  }
  for (const TopicRow& row : topics_) {
    if (row.name != topic) continue;
    std::string text = absl::StrCat(row.name, ": ", row.summary, "\n\n");
    for (const Flag& flag : row.flags) {
      std::string first = absl::StrCat("  ", flag.name, flag.placeholder.empty() ? "" : " ", flag.placeholder);
      if (!flag.alias.empty()) absl::StrAppend(&first, ", ", flag.alias);
      text += Wrapped(std::move(first), flag.help, kHelpColumn);
    }
    if (!row.note.empty()) absl::StrAppend(&text, "\n", WrappedParagraphs(row.note));
    return text;
  }
  const std::vector<std::string> known = topics();
  return absl::InvalidArgumentError(
      absl::StrCat("no help on '", topic, "'; the topics are ", absl::StrJoin(known, ", ")));
}

}  // namespace xla
