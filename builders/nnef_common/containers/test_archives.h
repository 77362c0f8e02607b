// Archives made of strings, for tests.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_TEST_ARCHIVES_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_TEST_ARCHIVES_H_

#include <string>
#include <utility>
#include <vector>

namespace xla {
namespace nnef {

using TestMembers = std::vector<std::pair<std::string, std::string>>;  // name and contents

// As the tar programs of the world write them.
enum class TarFormat { kUstar, kGnu, kPax };

struct TestArchiveOptions {
  TarFormat format = TarFormat::kUstar;
  bool compress = false;
};

std::string MakeArchive(const TestMembers& members, const TestArchiveOptions& options = {});

// An archive with one symbolic link besides the members.
std::string MakeArchiveWithLink(const TestMembers& members, const std::string& link, const std::string& target);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_TEST_ARCHIVES_H_
