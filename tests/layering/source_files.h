// SourceFiles: the C++ files of a source tree.
#ifndef TESTS_LAYERING_SOURCE_FILES_H_
#define TESTS_LAYERING_SOURCE_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace xla {

// The paths of all C++ files in the folders below `root`, from there, sorted; without hidden folders and those that
// Bazel leaves.
std::vector<std::string> SourceFiles(const std::filesystem::path& root);

}  // namespace xla

#endif  // TESTS_LAYERING_SOURCE_FILES_H_
