// The words of an error that has a class, for those who say it again with more about it.
#ifndef BUILDERS_NNEF1_CONTAINERS_ERROR_TEXT_H_
#define BUILDERS_NNEF1_CONTAINERS_ERROR_TEXT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace nnef1 {

// The message without "E4: " in front. Of `status`, which must outlive it.
absl::string_view MessageWithoutClass(const absl::Status& status);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_ERROR_TEXT_H_
