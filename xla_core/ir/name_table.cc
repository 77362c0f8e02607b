#include "xla_core/ir/name_table.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// "add.7" -> "add", "add.7.remat" stays.
absl::string_view WithoutNumber(absl::string_view name) {
  size_t end = name.size();
  while (end > 0 && absl::ascii_isdigit(name[end - 1])) --end;
  const bool has_number = end < name.size() && end > 1 && name[end - 1] == '.';
  return has_number ? name.substr(0, end - 1) : name;
}

}  // namespace

std::string NameTable::New(absl::string_view wanted) {
  const absl::string_view stem = WithoutNumber(wanted);
  int64_t& number = next_number_[stem];
  while (true) {
    std::string name = number == 0 ? std::string(stem) : absl::StrCat(stem, ".", number);
    ++number;
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace xla
