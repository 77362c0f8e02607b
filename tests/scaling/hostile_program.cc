#include "tests/scaling/hostile_program.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "passes/pass_table.h"
#include "passes/pipelines.h"
#include "tests/scaling/program_text.h"
#include "xla_core/support/random_source.h"

namespace xla {
namespace {

// A number of a random magnitude, often one at which something ends: a type, a limit, a sign.
int64_t AnyNumber(RandomSource& random) {
  static constexpr int64_t kNumbers[] = {0, 1, 2, 3, 4, 7, 8, 16, 100, 1000, 65535, 1000000, 123456789};
  const int kind = static_cast<int>(random.Below(10));
  if (kind < 4) return random.Pick(kNumbers);
  if (kind == 4) return -1 - random.Below(3);
  const int64_t power = int64_t{1} << random.Below(63);
  return power - 1 + random.Below(3);
}

// A size for constructs whose text grows with it.
int64_t AnySize(RandomSource& random) { return 1 + random.Below(int64_t{1} << (1 + random.Below(11))); }

std::string CombinedText(RandomSource& random) {
  struct Part {
    const Construct* construct;
    int64_t size;
    bool grows;
  };
  static const std::vector<Construct>* const growing = new std::vector<Construct>(HloConstructs());
  std::vector<Part> parts;
  const int64_t count = 1 + random.Below(4);
  for (int64_t i = 0; i < count; ++i) {
    const bool grows = random.Chance(60);
    parts.push_back({grows ? &random.Pick(*growing) : &random.Pick(HostileConstructs()),
                     grows ? AnySize(random) : AnyNumber(random), grows});
  }
  while (true) {
    ProgramText program;
    for (const Part& part : parts) part.construct->add(program, part.size);
    std::string text = program.Build();
    if (static_cast<int64_t>(text.size()) <= kMaxHostileBytes) return text;
    bool any_smaller = false;
    for (Part& part : parts) {
      if (!part.grows || part.size == 1) continue;
      part.size /= 2;
      any_smaller = true;
    }
    if (!any_smaller) parts.pop_back();
  }
}

std::string TextOf(const FormatConstruct& construct, RandomSource& random) {
  for (int64_t n = AnySize(random);; n /= 2) {
    std::string text = construct.text(n);
    if (n == 1 || static_cast<int64_t>(text.size()) <= kMaxHostileBytes) return text;
  }
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// [begin, end) of the words of `text` for which `wanted`(begin) holds.
std::vector<std::pair<size_t, size_t>> WordsOf(const std::string& text, bool (*wanted)(const std::string&, size_t)) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > begin && wanted(text, begin)) words.push_back({begin, end});
    begin = end + 1;
  }
  return words;
}

bool IsNumber(const std::string& text, size_t begin) { return IsDigit(text[begin]); }
bool IsName(const std::string& text, size_t begin) { return !IsDigit(text[begin]); }

void ReplaceNumber(std::string& text, RandomSource& random) {
  const auto numbers = WordsOf(text, IsNumber);
  if (numbers.empty()) return;
  const auto [begin, end] = random.Pick(numbers);
  text.replace(begin, end - begin, absl::StrCat(AnyNumber(random)));
}

// The same new number wherever an old one is: dimensions that have to be equal stay so.
void ReplaceEqualNumbers(std::string& text, RandomSource& random) {
  const auto numbers = WordsOf(text, IsNumber);
  if (numbers.empty()) return;
  const auto [begin, end] = random.Pick(numbers);
  const std::string old = text.substr(begin, end - begin), replacement = absl::StrCat(AnyNumber(random));
  for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) {
    if (text.compare(it->first, it->second - it->first, old) == 0) {
      text.replace(it->first, it->second - it->first, replacement);
    }
  }
}

void SwapWords(std::string& text, RandomSource& random) {
  const auto names = WordsOf(text, IsName);
  if (names.empty()) return;
  const auto [begin, end] = random.Pick(names);
  const auto [other_begin, other_end] = random.Pick(names);
  const std::string other = text.substr(other_begin, other_end - other_begin);
  text.replace(begin, end - begin, other);
}

void ChangeLines(std::string& text, RandomSource& random) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const int64_t at = random.Below(static_cast<int64_t>(lines.size()));
  const int64_t other = random.Below(static_cast<int64_t>(lines.size()));
  switch (random.Below(3)) {
    case 0:
      lines.erase(lines.begin() + at);
      break;
    case 1:
      lines.insert(lines.begin() + at, std::string(lines[static_cast<size_t>(other)]));
      break;
    case 2:
      std::swap(lines[static_cast<size_t>(at)], lines[static_cast<size_t>(other)]);
      break;
  }
  text = absl::StrJoin(lines, "\n");
}

void ChangeCharacter(std::string& text, RandomSource& random) {
  if (text.empty()) return;  // a program of one line may have lost it
  static constexpr char kCharacters[] = "(){}[]<>=,:;%\"'/*-_.0 \n";
  text[static_cast<size_t>(random.Below(static_cast<int64_t>(text.size())))] =
      kCharacters[random.Below(sizeof(kCharacters) - 1)];
}

// Half of the programs have none.
void MakeMistakes(std::string& text, RandomSource& random) {
  for (int64_t mistakes = std::max<int64_t>(0, random.Below(8) - 3); mistakes > 0; --mistakes) {
    const int64_t kind = random.Below(10);
    if (kind < 3) {
      ReplaceNumber(text, random);
    } else if (kind < 6) {
      ReplaceEqualNumbers(text, random);
    } else if (kind < 8) {
      SwapWords(text, random);
    } else if (kind < 9) {
      ChangeLines(text, random);
    } else {
      ChangeCharacter(text, random);
    }
  }
  if (static_cast<int64_t>(text.size()) > kMaxHostileBytes) text.resize(kMaxHostileBytes);
}

std::vector<std::string> OptFlags(RandomSource& random) {
  static constexpr const char* kForms[] = {"text", "short", "canonical", "proto", "pbtxt", "dot", "html", "json"};
  static constexpr const char* kAnalyses[] = {
      "aliasing",   "buffers",  "call-graph",      "cost",         "dataflow",     "def-use",     "exactness",
      "index-maps", "liveness", "loop-invariants", "reachability", "side-effects", "trip-counts", "value-ranges"};
  switch (random.Below(8)) {
    case 0:
      return {"--verify-only"};
    case 1:
      return {"--strict"};
    case 2:
      return {absl::StrCat("--to=", random.Pick(kForms))};
    case 3:
      return {absl::StrCat("--pipeline=", random.Pick(AllPipelines()).name)};
    case 4:
      return {"--pipeline=cpu", absl::StrCat("--to=", random.Pick(kForms))};
    case 5:
      return {absl::StrCat("--passes=", random.Pick(AllPasses())->name, ",", random.Pick(AllPasses())->name)};
    case 6:
      return {absl::StrCat("--print-analysis=", random.Pick(kAnalyses))};
    default:
      return {"--cost"};
  }
}

// Of `is_hlo` programs alone there can be replicas.
std::vector<std::string> RunFlags(bool is_hlo, RandomSource& random) {
  std::vector<std::string> flags;
  if (is_hlo && random.Chance(20)) flags.push_back("--replicas=2");
  if (random.Chance(30)) flags.push_back(absl::StrCat("--threads=", 1 + random.Below(2)));
  if (random.Chance(30)) flags.push_back(absl::StrCat("--optimization-level=", random.Below(3)));
  if (random.Chance(10)) flags.push_back("--json");
  if (random.Chance(10)) flags.push_back("--report");
  if (random.Chance(10)) flags.push_back(absl::StrCat("--max-steps=", 1 + random.Below(1000000)));
  return flags;
}

}  // namespace

HostileProgram MakeHostileProgram(uint64_t seed) {
  RandomSource random(seed);
  HostileProgram program;
  if (random.Chance(10)) {
    const FormatConstruct& construct = random.Pick(FormatConstructs());
    const std::string file_name = construct.file_name;
    program.suffix = file_name.substr(file_name.find('.'));
    program.text = TextOf(construct, random);
  } else {
    program.suffix = ".hlo";
    program.text = CombinedText(random);
  }
  MakeMistakes(program.text, random);
  program.opt_flags = OptFlags(random);
  program.run_flags = RunFlags(program.suffix == ".hlo", random);
  return program;
}

}  // namespace xla
