#include "tests/conformance/nnef1_formula.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/declaration.h"

namespace xla {
namespace {

using nnef1::Extents;

int64_t Volume(absl::Span<const int64_t> extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) volume *= extent;
  return volume;
}

struct Range {
  double low, high;
};

// By the last part of the key.
Range RangeOf(absl::string_view key, const Extents& extents) {
  const absl::string_view part = key.substr(key.rfind('/') + 1);
  if (part == "kernel") {
    const double bound = std::sqrt(6.0 / static_cast<double>(Volume(absl::MakeConstSpan(extents).subspan(1))));
    return {-bound, bound};
  }
  if (part == "bias") return {-0.05, 0.05};
  if (part == "beta" || part == "moving_mean") return {-0.1, 0.1};
  if (part == "moving_variance") return {0.5, 1.5};
  return {-1, 1};
}

uint32_t Mixed(uint32_t h) {
  h ^= h >> 16;
  h *= 0x7FEB352D;
  h ^= h >> 15;
  h *= 0x846CA68B;
  return h ^ (h >> 16);
}

class FormulaContainer : public nnef1::Container {
 public:
  FormulaContainer(std::unique_ptr<nnef1::Container> model, const nnef1::Graph& graph)
      : Container(model->name(), nnef1::Nnef1Format()), model_(std::move(model)) {
    for (const nnef1::Node& node : graph.nodes) {
      if (node.definition == nullptr || node.declaration->name != "variable") continue;
      const std::string& label = nnef1::FindArgument(node, "label")->string();
      Variable& variable = variables_[absl::StrCat(label, ".dat")];
      variable.label = label;
      variable.extents = *graph.tensors[node.results[0].tensor().id].extents;
      variable.header = HeaderOf(variable.extents);
    }
  }

  std::string NameOf(absl::string_view member) const override { return model_->NameOf(member); }

  bool Has(absl::string_view member) const override {
    return variables_.count(std::string(member)) > 0 || model_->Has(member);
  }

  std::vector<std::string> Members(int64_t limit) const override {
    std::vector<std::string> members = model_->Members(limit);
    for (const auto& variable : variables_) members.push_back(variable.first);
    std::sort(members.begin(), members.end());
    members.resize(std::min(static_cast<int64_t>(members.size()), limit));
    return members;
  }

  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    const auto it = variables_.find(std::string(member));
    if (it == variables_.end()) return model_->SizeOf(member);
    return nnef1::kTensorHeaderBytes + 4 * Volume(it->second.extents);
  }

  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    const auto it = variables_.find(std::string(member));
    if (it == variables_.end()) return model_->Read(member, begin, size, destination);
    const Variable& variable = it->second;
    const int64_t end = begin + size;
    if (end > nnef1::kTensorHeaderBytes + 4 * Volume(variable.extents)) {
      return absl::OutOfRangeError(absl::StrCat(member, ": ends before byte ", end));
    }
    if (begin < nnef1::kTensorHeaderBytes) {
      const int64_t count = std::min(end, nnef1::kTensorHeaderBytes) - begin;
      std::memcpy(destination, variable.header.data() + begin, count);
      destination += count;
      begin += count;
      if (begin == end) return absl::OkStatus();
    }
    // Whole items, of which the first and the last may be wanted in part.
    const int64_t first = (begin - nnef1::kTensorHeaderBytes) / 4;
    std::vector<float> items((end - nnef1::kTensorHeaderBytes + 3) / 4 - first);
    FillByFormula(variable.label, variable.extents, first, absl::MakeSpan(items));
    const int64_t skipped = begin - nnef1::kTensorHeaderBytes - 4 * first;
    std::memcpy(destination, reinterpret_cast<const char*>(items.data()) + skipped, end - begin);
    return absl::OkStatus();
  }

 private:
  struct Variable {
    std::string label;
    Extents extents;
    std::string header;
  };

  static std::string HeaderOf(const Extents& extents) {
    const auto put = [](std::string& bytes, size_t at, uint64_t value) {
      for (int i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
    };
    std::string bytes(nnef1::kTensorHeaderBytes, '\0');
    bytes.replace(0, 4, std::string("\x4E\xEF\x01\x00", 4));
    put(bytes, 4, 4 * Volume(extents));
    put(bytes, 8, extents.size());
    for (size_t i = 0; i < std::min<size_t>(extents.size(), 8); ++i) put(bytes, 12 + 4 * i, extents[i]);
    put(bytes, 44, 32);  // bits of an item, which is a float
    return bytes;
  }

  const std::unique_ptr<nnef1::Container> model_;
  std::map<std::string, Variable> variables_;  // by member
};

}  // namespace

void FillByFormula(absl::string_view key, const Extents& extents, int64_t begin, absl::Span<float> items) {
  const Range range = RangeOf(key, extents);
  const uint32_t seed = crc32(0, reinterpret_cast<const Bytef*>(key.data()), static_cast<uInt>(key.size()));
  uint32_t h = seed + static_cast<uint32_t>(begin) * 0x9E3779B9u;
  for (float& item : items) {
    item = static_cast<float>(range.low + (range.high - range.low) * (Mixed(h) / 4294967296.0));
    h += 0x9E3779B9u;
  }
}

std::unique_ptr<nnef1::Container> WithFormulaWeights(std::unique_ptr<nnef1::Container> model,
                                                     const nnef1::Graph& graph) {
  return std::make_unique<FormulaContainer>(std::move(model), graph);
}

}  // namespace xla
