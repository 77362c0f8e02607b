#include "tests/fuzz/mutate_documents.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tests/conformance/isolated_jobs.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

// Documents that one job mutates: starting a job costs more than a document.
constexpr int kDocumentsPerJob = 200;
constexpr absl::Duration kLimit = absl::Minutes(5);
constexpr size_t kLargestDocument = 20000;

// A document as its words, numbers, blanks and other characters, or as its bytes.
std::vector<std::string> Pieces(absl::string_view text, bool is_binary) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    const auto is_word = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
    while (!is_binary && end < text.size() && is_word(text[begin]) && is_word(text[end])) ++end;
    pieces.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

class Mutator {
 public:
  Mutator(absl::string_view words, uint64_t seed) : random_(seed), words_(absl::StrSplit(words, ' ')) {}

  // `other` lends pieces.
  std::string Mutate(const std::vector<std::string>& document, const std::vector<std::string>& other) {
    std::vector<std::string> pieces = document;
    const int count = 1 + static_cast<int>(Below(4));
    for (int i = 0; i < count && !pieces.empty(); ++i) MutateOnce(other, &pieces);
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    return text;
  }

  size_t Below(size_t limit) { return random_() % limit; }

 private:
  void MutateOnce(const std::vector<std::string>& other, std::vector<std::string>* pieces) {
    const size_t place = Below(pieces->size());
    const auto at = pieces->begin() + place;
    switch (Below(8)) {
      case 0:
        pieces->erase(at);
        break;
      case 1:
        pieces->insert(at, *at);
        break;
      case 2:
        std::swap(*at, (*pieces)[Below(pieces->size())]);
        break;
      case 3:
        *at = Word();
        break;
      case 4:
        pieces->insert(at, Word());
        break;
      case 5:
        if (!other.empty()) *at = other[Below(other.size())];
        break;
      case 6:
        pieces->erase(at, at + Below(std::min<size_t>(pieces->size() - place, 30)));
        break;
      default:
        *at += static_cast<char>(Below(256));
    }
  }

  std::string Word() { return words_[Below(words_.size())]; }

  std::mt19937_64 random_;
  const std::vector<std::string> words_;
};

std::vector<std::vector<std::string>> ReadDocuments(const std::string& corpus, absl::string_view suffix,
                                                    bool is_binary) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(corpus, error), end; !error && it != end; it.increment(error)) {
    if (absl::EndsWith(it->path().string(), suffix)) paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::vector<std::string>> documents;
  for (const std::string& path : paths) {
    const auto file = ReadFile(path);
    if (file.ok() && file->data().size() <= kLargestDocument) documents.push_back(Pieces(file->data(), is_binary));
  }
  return documents;
}

}  // namespace

int MutateDocuments(const MutatedLanguage& language, int argc, char** argv) {
  const std::string program(language.program);
  int64_t count = 0;
  uint64_t seed = 0;
  if (argc < 3 || argc > 4 || !absl::SimpleAtoi(argv[2], &count) || count < 1 ||
      (argc == 4 && !absl::SimpleAtoi(argv[3], &seed))) {
    std::fprintf(stderr, "usage: %s CORPUS COUNT [SEED]\n", program.c_str());
    return 2;
  }
  const auto documents = ReadDocuments(argv[1], language.suffix, language.is_binary);
  if (documents.empty()) {
    std::fprintf(stderr, "%s: there is no file *%s\n", argv[1], std::string(language.suffix).c_str());
    return 2;
  }
  const int jobs = static_cast<int>((count + kDocumentsPerJob - 1) / kDocumentsPerJob);
  int failed = 0;
  // What a job looks at is kept in a file of its own, so that it is there if the job ends early.
  const std::string folder = std::filesystem::temp_directory_path().string();
  const auto path_of = [&](int job) { return absl::StrCat(folder, "/mutated-", seed, "-", job, language.extension); };
  RunIsolatedJobs(
      jobs, /*workers=*/1, kLimit,
      [&](int job) {
        Mutator mutator(language.words, seed * 1000003 + static_cast<uint64_t>(job));
        for (int i = 0; i < kDocumentsPerJob; ++i) {
          const auto& document = documents[mutator.Below(documents.size())];
          const std::string text = mutator.Mutate(document, documents[mutator.Below(documents.size())]);
          if (!WriteFile(path_of(job), text).ok()) return std::string("cannot write");
          language.check(text);
        }
        std::filesystem::remove(path_of(job));
        return std::string();
      },
      [&](int job, const JobResult& result) {
        if (result.finished && result.output.empty()) return;
        ++failed;
        std::printf("%s: %s\n", path_of(job).c_str(), result.finished ? result.output.c_str() : result.failure.c_str());
        std::fflush(stdout);
      });
  std::printf("%d documents, %d findings\n", jobs * kDocumentsPerJob, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace xla
