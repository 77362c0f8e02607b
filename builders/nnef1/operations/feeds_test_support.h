// For tests of operations whose operands have many shapes: operation_test_support.h with the operands beside the call.
//
//   ValuesOf("z = neg(x);", {Scalars("x", {2}, {1, 2})})
#ifndef BUILDERS_NNEF1_OPERATIONS_FEEDS_TEST_SUPPORT_H_
#define BUILDERS_NNEF1_OPERATIONS_FEEDS_TEST_SUPPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/operations/operation_test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {

// A graph parameter and its data.
struct Feed {
  std::string name;
  std::string type;
  Extents extents;
  std::vector<double> values;
};

inline Feed Scalars(std::string name, Extents extents, std::vector<double> values) {
  return Feed{std::move(name), "scalar", std::move(extents), std::move(values)};
}
inline Feed Integers(std::string name, Extents extents, std::vector<double> values) {
  return Feed{std::move(name), "integer", std::move(extents), std::move(values)};
}
inline Feed Logicals(std::string name, Extents extents, std::vector<double> values) {
  return Feed{std::move(name), "logical", std::move(extents), std::move(values)};
}
// x = 0, 1, 2, ...
inline Feed Counting(Extents extents) {
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i));
  return Scalars("x", std::move(extents), std::move(values));
}

// What the statements compute from the feeds; they assign z.
inline BodyResult RunWithFeeds(const std::string& statements, const std::vector<Feed>& feeds) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> inputs;
  std::string body;
  for (const Feed& feed : feeds) {
    names.push_back(feed.name);
    inputs.push_back(feed.values);
    absl::StrAppend(&body, feed.name, " = external<", feed.type, ">(shape = [", absl::StrJoin(feed.extents, ","),
                    "]);\n");
  }
  return RunBody(absl::StrJoin(names, ", "), absl::StrCat(body, statements), inputs);
}

inline std::vector<double> ValuesOf(const std::string& statements, const std::vector<Feed>& feeds) {
  const BodyResult result = RunWithFeeds(statements, feeds);
  EXPECT_EQ(result.error, "") << statements;
  return result.z;
}
inline Extents ExtentsOf(const std::string& statements, const std::vector<Feed>& feeds) {
  const BodyResult result = RunWithFeeds(statements, feeds);
  EXPECT_EQ(result.error, "") << statements;
  return result.extents;
}
// Of reading, of lowering, or the check that failed in the run; "" if there is none.
inline std::string FailureOf(const std::string& statements, const std::vector<Feed>& feeds) {
  return RunWithFeeds(statements, feeds).error;
}

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_FEEDS_TEST_SUPPORT_H_
