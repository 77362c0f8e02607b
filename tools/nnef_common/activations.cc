#include "tools/nnef_common/activations.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/dynamic_sizes.h"

namespace xla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class TensorNumbers {
 public:
  // ResourceExhausted: no memory for the numbers in double precision.
  absl::Status Add(const Literal& array) {
    ASSIGN_OR_RETURN(const Literal cut, CutToDynamicSizes(array));
    ASSIGN_OR_RETURN(const Literal wide, LiteralUtil::Convert(cut, F64));
    double sum = 0;
    int64_t count = 0;
    for (const double number : wide.span<double>()) {
      if (std::isnan(number)) {
        ++nan_count_;
        continue;
      }
      least_ = std::min(least_, number);
      most_ = std::max(most_, number);
      sum += number;
      ++count;
    }
    if (count == 0) return absl::OkStatus();
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    for (const double number : wide.span<double>()) {
      if (!std::isnan(number)) squares += (number - mean) * (number - mean);
    }
    Merge(count, mean, squares);
    return absl::OkStatus();
  }

  void Write(JsonWriter& json) const {
    json.Key("count").Int(count_ + nan_count_);
    WriteNumber("min", least_, json);
    WriteNumber("max", most_, json);
    WriteNumber("mean", mean_, json);
    WriteNumber("std", std::sqrt(squares_ / static_cast<double>(count_)), json);
    json.Key("nan").Int(nan_count_);
  }

 private:
  void WriteNumber(absl::string_view name, double number, JsonWriter& json) const {
    json.Key(name);
    if (count_ == 0) {
      json.Null();
    } else {
      json.Double(number);
    }
  }

  // Numbers of which the mean is known, and the sum of squared distances from it.
  void Merge(int64_t count, double mean, double squares) {
    const double all = static_cast<double>(count_ + count);
    const double distance = mean - mean_;
    squares_ += squares + distance * distance * static_cast<double>(count_) * static_cast<double>(count) / all;
    mean_ += distance * static_cast<double>(count) / all;
    count_ += count;
  }

  int64_t count_ = 0;
  int64_t nan_count_ = 0;
  double least_ = kInfinity;
  double most_ = -kInfinity;
  double mean_ = 0;
  double squares_ = 0;
};

absl::Status WriteTensorFile(const Literal& array, const std::string& path, const nnef::ModelFormat& format) {
  ASSIGN_OR_RETURN(const Literal cut, CutToDynamicSizes(array));
  ASSIGN_OR_RETURN(const std::string bytes, nnef::SerializeTensor(cut, format));
  return WriteFile(path, bytes);
}

}  // namespace

absl::StatusOr<std::string> StatisticsJson(absl::Span<const std::string> names, const ActivationCycles& cycles) {
  JsonWriter json(/*indent=*/2);
  json.BeginObject();
  for (size_t i = 0; i < names.size(); ++i) {
    TensorNumbers numbers;
    for (const std::vector<Literal>& cycle : cycles) RETURN_IF_ERROR(numbers.Add(cycle[i]));
    const Shape& shape = cycles[0][i].shape();
    json.Key(names[i]).BeginObject();
    json.Key("type").String(PrimitiveTypeName(shape.element_type()));
    json.Key("shape").BeginArray();
    for (int d = 0; d < shape.rank(); ++d) json.Int(cycles[0][i].dynamic_size(d));
    json.EndArray();
    numbers.Write(json);
    json.EndObject();
  }
  json.EndObject();
  return absl::StrCat(json.text(), "\n");
}

absl::Status DumpActivations(absl::Span<const std::string> names, const ActivationCycles& cycles,
                             const std::string& folder, const nnef::ModelFormat& format) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat(folder, ": cannot make the folder: ", std::strerror(errno)));
  }
  const std::vector<std::string> all_names = CycleNames(names, static_cast<int64_t>(cycles.size()));
  auto name = all_names.begin();
  for (const std::vector<Literal>& cycle : cycles) {
    for (const Literal& array : cycle) {
      RETURN_IF_ERROR(WriteTensorFile(array, absl::StrCat(folder, "/", *name++, ".dat"), format));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> CycleNames(absl::Span<const std::string> names, int64_t cycles) {
  std::vector<std::string> all;
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    for (const std::string& name : names) all.push_back(cycles == 1 ? name : absl::StrCat(name, ".", cycle));
  }
  return all;
}

absl::Status WriteTensorFiles(const std::vector<NamedArray>& arrays, const std::string& path,
                              const nnef::ModelFormat& format, const ResourceContext* resources) {
  std::vector<std::string> paths = absl::StrSplit(path, ',');
  if (paths.size() == 1 && absl::StrContains(path, "*")) {
    paths.clear();
    for (const NamedArray& array : arrays) paths.push_back(absl::StrReplaceAll(path, {{"*", array.first}}));
  }
  if (paths.size() != arrays.size()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": names ", paths.size(), " tensor files for ", arrays.size(),
                                                   " results; write DIR/*.dat for one of each name"));
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    RETURN_IF_ERROR(CheckResources(resources));
    RETURN_IF_ERROR(WriteTensorFile(arrays[i].second, paths[i], format));
  }
  return absl::OkStatus();
}

}  // namespace xla
