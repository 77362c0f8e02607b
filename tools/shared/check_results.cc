#include "tools/shared/check_results.h"

#include <cstddef>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/exactness.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// k of "out3" and of "r1_out3".
int OutputNumber(absl::string_view name) {
  int k = 0;
  const size_t end_of_words = name.find_last_not_of("0123456789");
  return end_of_words != absl::string_view::npos && absl::SimpleAtoi(name.substr(end_of_words + 1), &k) ? k : 0;
}

absl::Status Malformed(absl::string_view file_name) {
  return absl::InvalidArgumentError(
      absl::StrCat(file_name, ": expected \"tolerance\" to be {\"rtol\": X, \"atol\": X} with numbers of at least 0"));
}

Tolerance SameBits() {
  Tolerance tolerance;
  tolerance.zero_sign = true;
  return tolerance;
}

bool ReadBound(const JsonValue* json, absl::optional<double>& bound) {
  if (json == nullptr) return true;
  bound = json->AsDouble();
  return bound.has_value() && *bound >= 0;
}

}  // namespace

Tolerance ResultTolerance::ForOutput(int k, PrimitiveType type) const {
  Tolerance tolerance = is_from_case ? Tolerance() : DefaultTolerance(type);
  if (rtol.has_value()) tolerance.rtol = *rtol;
  if (atol.has_value()) tolerance.atol = *atol;
  if (ulp.has_value()) tolerance.ulp = *ulp;
  if (k < static_cast<int>(atols.size())) tolerance.atol = atols[k];
  tolerance.zero_sign = zero_sign;
  return tolerance;
}

absl::StatusOr<absl::optional<ResultTolerance>> ParseCaseTolerance(const JsonValue& json, absl::string_view file_name) {
  const JsonValue* stated = json.Find("tolerance");
  if (stated == nullptr) return absl::optional<ResultTolerance>();
  ResultTolerance tolerance;
  tolerance.is_from_case = true;
  if (stated->AsObject() == nullptr || !ReadBound(stated->Find("rtol"), tolerance.rtol) ||
      !ReadBound(stated->Find("atol"), tolerance.atol)) {
    return Malformed(file_name);
  }
  if (const JsonValue* atols = stated->Find("atols")) {
    if (atols->AsArray() == nullptr) return Malformed(file_name);
    for (const JsonValue& atol : *atols->AsArray()) {
      absl::optional<double> bound;
      if (!ReadBound(&atol, bound)) return Malformed(file_name);
      tolerance.atols.push_back(*bound);
    }
  }
  const JsonValue* zero_sign = json.Find("zero_sign");
  tolerance.zero_sign = zero_sign != nullptr && zero_sign->AsBool().value_or(false);
  return absl::optional<ResultTolerance>(std::move(tolerance));
}

absl::StatusOr<std::vector<bool>> ExactArrays(const HloModule& module, const ResourceContext* resources) {
  ExactnessOptions options;
  options.may_round = BackendsMayRound;
  ASSIGN_OR_RETURN(const ExactOutputs exact, FindExactOutputs(module, resources, options));
  const std::vector<bool>& leaves = exact.results;
  const std::vector<Shape> shapes = LeafShapes({module.entry()->root()->shape()});
  std::vector<bool> arrays;
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    if (shapes[leaf].IsArray()) arrays.push_back(leaves[leaf]);
  }
  return arrays;
}

CheckedResults CheckResults(const std::vector<NamedArray>& got, const std::vector<NamedArray>& want,
                            const ResultTolerance& tolerance) {
  CheckedResults checked;
  if (got.size() != want.size()) {
    checked.match = false;
    checked.report = absl::StrCat("the program gave ", got.size(), " arrays, expected ", want.size(), "\n");
    return checked;
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const PrimitiveType type = want[i].second.shape().element_type();
    const bool is_exact = !tolerance.exact.empty() && tolerance.exact[i % tolerance.exact.size()];
    const Tolerance bounds = is_exact ? SameBits() : tolerance.ForOutput(OutputNumber(got[i].first), type);
    const Comparison comparison = CompareArrays(got[i].second, want[i].second, bounds);
    checked.match = checked.match && comparison.matches();
    absl::StrAppend(&checked.report, DescribeComparison(got[i].first, comparison, got[i].second, want[i].second), "\n");
  }
  return checked;
}

absl::StatusOr<std::vector<NamedArray>> ReadExpectedResults(const std::vector<NamedArray>& got, const std::string& path,
                                                            const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const NpzReader reader, NpzReader::Open(path));
  if (reader.size() != static_cast<int>(got.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": holds ", reader.size(), " arrays, but the program gives ", got.size()));
  }
  std::vector<NamedArray> expected;
  for (const NamedArray& array : got) {
    const int i = reader.Find(array.first);
    if (i < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": has no array '", array.first, "', only '", reader.array_name(0), "' and such"));
    }
    absl::StatusOr<Literal> wanted = reader.ReadAs(i, array.second.shape(), nullptr, resources);
    if (!wanted.ok()) {
      RETURN_IF_ERROR(CheckResources(resources));
      ASSIGN_OR_RETURN(const Shape shape, reader.ShapeOf(i));
      // Of another shape nothing but that is compared: its elements may be many more, and are not inflated.
      const bool is_compatible = shape.Compatible(array.second.shape());
      ASSIGN_OR_RETURN(wanted, is_compatible ? reader.Read(i, nullptr, resources) : Literal::Allocate(shape));
    }
    expected.emplace_back(array.first, *std::move(wanted));
  }
  return expected;
}

}  // namespace xla
