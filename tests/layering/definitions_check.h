// Finds classes of a source tree that share a name.
#ifndef TESTS_LAYERING_DEFINITIONS_CHECK_H_
#define TESTS_LAYERING_DEFINITIONS_CHECK_H_

#include <string>
#include <vector>

namespace xla {

// One sentence, sorted, for each class, struct, union and enumeration that several C++ files below the folder `root`
// define in the same namespace. A program that links two of them runs code of one on the other, where a compiler does
// not inline it, and no linker complains. What is in unnamed namespaces is apart, and what is in none is the C
// interface, whose library and loader are never linked together. Files are formatted as ours are: these lines begin at
// the margin.
std::vector<std::string> RepeatedDefinitions(const std::string& root);

}  // namespace xla

#endif  // TESTS_LAYERING_DEFINITIONS_CHECK_H_
