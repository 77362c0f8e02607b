// Mutates the documents of a corpus and looks whether a frontend keeps its promises: for compilers without fuzzers.
#ifndef TESTS_FUZZ_MUTATE_DOCUMENTS_H_
#define TESTS_FUZZ_MUTATE_DOCUMENTS_H_

#include "absl/strings/string_view.h"

namespace xla {

struct MutatedLanguage {
  absl::string_view program;    // "mutate_nnef1"
  absl::string_view suffix;     // what the names of documents end with: "graph.nnef"
  absl::string_view extension;  // ".nnef"
  // With blanks between them: those that make a difference where they appear.
  absl::string_view words;
  // Ends the process if a promise is broken (fuzz_targets.h).
  void (*check)(absl::string_view text);
  bool is_binary = false;  // each byte is changed by itself
};

// The program `language.program CORPUS COUNT [SEED]`: checks COUNT mutated documents, in processes of their own, and
// lists those that end early or take too long. Returns the exit status.
int MutateDocuments(const MutatedLanguage& language, int argc, char** argv);

}  // namespace xla

#endif  // TESTS_FUZZ_MUTATE_DOCUMENTS_H_
