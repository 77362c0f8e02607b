#include "tools/nnef_common/fed_tensors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kZipMagic = "PK";
constexpr absl::string_view kTensorMagic = "\x4E\xEF";
// More cycles than this are a mistake.
constexpr int64_t kMostCycles = 1000000;

absl::Status Unfit(const FedModel& model, absl::string_view message) {
  return nnef::ClassifiedError(model.format->fed_error, message);
}

bool IsOfKind(PrimitiveType type, nnef::ItemKind kind) {
  if (kind == nnef::ItemKind::kLogical) return type == PRED;
  return kind == nnef::ItemKind::kInteger ? IsInt(type) : IsFloat(type);
}

absl::Status CheckKind(const Shape& array, absl::string_view name, const FedInput& input, const FedModel& model) {
  if (IsOfKind(array.element_type(), input.declared.kind)) return absl::OkStatus();
  return Unfit(model,
               absl::StrCat(name, ": holds ", array.ToString(), ", but input '", input.name, "' is ", input.type));
}

// An array of another number type of the same kind.
absl::StatusOr<Literal> AsInput(const Literal& array, absl::string_view name, const FedInput& input,
                                const FedModel& model) {
  RETURN_IF_ERROR(CheckKind(array.shape(), name, input, model));
  const PrimitiveType type = input.declared.element_type;
  return array.shape().element_type() == type ? array : LiteralUtil::Convert(array, type);
}

// A tensor file, or the first of several, as a value of an input.
absl::StatusOr<Literal> ParseFedTensor(absl::string_view bytes, const std::string& path, const FedInput& input,
                                       const FedModel& model, int64_t* consumed) {
  absl::StatusOr<Literal> value =
      nnef::ParseTensor(bytes, input.declared, model.code_meaning, path, *model.format, consumed);
  if (value.ok() || !nnef::ErrorCodeOf(value.status()).has_value()) return value;
  return Unfit(model, absl::StrCat("input '", input.name, "': ", nnef::MessageWithoutClass(value.status())));
}

// The values that one input has been given, by cycle.
class Feeds {
 public:
  Feeds(const FedModel& model, const ResourceContext* resources)
      : model_(model), resources_(resources), values_(model.inputs.size()) {}

  absl::Status AddFile(const std::string& given) {
    const size_t equals = given.find('=');
    const int named = equals == std::string::npos ? -1 : model_.InputIndex(given.substr(0, equals));
    const std::string path = named < 0 ? given : given.substr(equals + 1);
    if (path.empty()) return NoFile("--input", given);
    absl::StatusOr<FileContents> contents = ReadFile(path);
    if (!contents.ok() && named < 0 && equals != std::string::npos) return NoSuchInput(given.substr(0, equals));
    RETURN_IF_ERROR(contents.status());
    if (absl::StartsWith(contents->data(), kZipMagic)) return AddArchive(contents->data(), path, named);
    if (absl::StartsWith(contents->data(), kTensorMagic)) return AddTensors(contents->data(), path, named);
    ASSIGN_OR_RETURN(const Literal array, ReadNpy(contents->data(), path, nullptr, resources_));
    return Add(Place(named), array, path);
  }

  absl::Status AddImage(const std::string& given, const ImageFlags& flags) {
    const size_t equals = given.find('=');
    if (equals == std::string::npos || equals + 1 == given.size()) return NoFile("--image", given);
    const int place = model_.InputIndex(given.substr(0, equals));
    if (place < 0) return NoSuchInput(given.substr(0, equals));
    const FedInput& input = model_.inputs[place];
    if (input.declared.kind != nnef::ItemKind::kReal) {
      return Unfit(
          model_, absl::StrCat("--image: expected an input of numbers, got '", input.name, "', which is ", input.type));
    }
    ASSIGN_OR_RETURN(const Literal pixels, ImageAsTensor(given.substr(equals + 1), input.extents, flags));
    return Add(place, pixels, given);
  }

  absl::StatusOr<FedCycles> Cycles(int64_t wanted) {
    int64_t cycles = std::max<int64_t>(wanted, 1);
    for (const std::vector<Literal>& values : values_) {
      if (wanted == 0) cycles = std::max(cycles, static_cast<int64_t>(values.size()));
    }
    if (cycles > kMostCycles) return Unfit(model_, absl::StrCat(cycles, " cycles are more than ", kMostCycles));
    for (size_t i = 0; i < values_.size(); ++i) {
      const int64_t given = static_cast<int64_t>(values_[i].size());
      if (given == 1 || given == cycles) continue;
      const std::string& name = model_.inputs[i].name;
      if (given == 0) {
        const bool others = std::any_of(values_.begin(), values_.end(), [](const auto& v) { return !v.empty(); });
        return Unfit(model_, absl::StrCat("input '", name, "' is not given", others ? ", but others are" : "",
                                          "; write --input ", name, "=FILE"));
      }
      return Unfit(model_, absl::StrCat("input '", name, "' is given ", given, " times, but there ",
                                        cycles == 1 ? "is 1 cycle" : absl::StrCat("are ", cycles, " cycles")));
    }
    FedCycles fed(cycles);
    for (int64_t cycle = 0; cycle < cycles; ++cycle) {
      for (const std::vector<Literal>& values : values_) {
        fed[cycle].push_back(values.size() == 1 ? values[0] : values[cycle]);
      }
    }
    return fed;
  }

 private:
  static absl::Status NoFile(absl::string_view flag, absl::string_view given) {
    return absl::InvalidArgumentError(absl::StrCat(flag, ": expected NAME=FILE, got '", given, "'"));
  }

  absl::Status NoSuchInput(absl::string_view name) const {
    const std::string names =
        absl::StrJoin(model_.inputs, ", ", [](std::string* out, const FedInput& input) { *out += input.name; });
    return Unfit(model_,
                 absl::StrCat("the model has no input '", name, "'; it takes ", names.empty() ? "none" : names));
  }

  // `named`, or the next one.
  int Place(int named) {
    if (named >= 0 || values_.empty()) return named;
    return static_cast<int>(unnamed_++ % values_.size());
  }

  absl::Status Add(int place, const Literal& array, absl::string_view name) {
    if (place < 0) return NoInputs(name);
    ASSIGN_OR_RETURN(Literal value, AsInput(array, name, model_.inputs[place], model_));
    values_[place].push_back(std::move(value));
    return absl::OkStatus();
  }

  absl::Status NoInputs(absl::string_view name) const {
    return Unfit(model_, absl::StrCat(name, ": the model takes no inputs"));
  }

  // Tensor files one after the other.
  absl::Status AddTensors(absl::string_view bytes, const std::string& path, int named) {
    while (!bytes.empty()) {
      RETURN_IF_ERROR(CheckResources(resources_));
      const int place = Place(named);
      if (place < 0) return NoInputs(path);
      int64_t consumed = 0;
      ASSIGN_OR_RETURN(Literal value, ParseFedTensor(bytes, path, model_.inputs[place], model_, &consumed));
      values_[place].push_back(std::move(value));
      bytes.remove_prefix(consumed);
    }
    return absl::OkStatus();
  }

  // Arrays with the names of inputs ("x" or, for cycles, "x.0", "x.1", ...); else all arrays, in order.
  absl::Status AddArchive(absl::string_view bytes, const std::string& path, int named) {
    ASSIGN_OR_RETURN(NpzReader reader, NpzReader::FromBytes(bytes, path));
    bool is_by_name = false;
    for (size_t i = 0; named < 0 && i < values_.size(); ++i) {
      for (const int position : PositionsOf(reader, model_.inputs[i].name)) {
        is_by_name = true;
        RETURN_IF_ERROR(AddEntry(reader, position, static_cast<int>(i)));
      }
    }
    if (is_by_name) return absl::OkStatus();
    reader.SortByNumber();
    for (int i = 0; i < reader.size(); ++i) RETURN_IF_ERROR(AddEntry(reader, i, Place(named)));
    return absl::OkStatus();
  }

  // Of the array "x", or of "x.0", "x.1", ...
  static std::vector<int> PositionsOf(const NpzReader& reader, const std::string& name) {
    if (const int position = reader.Find(name); position >= 0) return {position};
    std::vector<int> positions;
    for (int position = 0; position >= 0;) {
      position = reader.Find(absl::StrCat(name, ".", positions.size()));
      if (position >= 0) positions.push_back(position);
    }
    return positions;
  }

  absl::Status AddEntry(const NpzReader& reader, int position, int place) {
    const std::string name = absl::StrCat(reader.path(), ": ", reader.array_name(position));
    if (place < 0) return NoInputs(name);
    // An input takes any extents. What it takes no elements of is not inflated.
    ASSIGN_OR_RETURN(const Shape shape, reader.ShapeOf(position));
    RETURN_IF_ERROR(CheckKind(shape, name, model_.inputs[place], model_));
    ASSIGN_OR_RETURN(const Literal array, reader.Read(position, nullptr, resources_));
    return Add(place, array, name);
  }

  const FedModel& model_;
  const ResourceContext* const resources_;
  std::vector<std::vector<Literal>> values_;  // by input
  size_t unnamed_ = 0;
};

}  // namespace

int FedModel::InputIndex(absl::string_view name) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

absl::StatusOr<Literal> ReadFedTensor(const std::string& path, const FedInput& input, const FedModel& model) {
  ASSIGN_OR_RETURN(const FileContents contents, ReadFile(path));
  int64_t consumed = 0;
  return ParseFedTensor(contents.data(), path, input, model, &consumed);
}

absl::StatusOr<FedCycles> ReadFedCycles(const FedModel& model, const FedInputFlags& flags,
                                        const ResourceContext* resources) {
  Feeds feeds(model, resources);
  for (const std::string& file : flags.files) RETURN_IF_ERROR(feeds.AddFile(file));
  for (const std::string& image : flags.images) {
    RETURN_IF_ERROR(CheckResources(resources));
    RETURN_IF_ERROR(feeds.AddImage(image, flags.image));
  }
  return feeds.Cycles(flags.cycles);
}

std::vector<nnef::Extents> ExtentsOf(const std::vector<Literal>& tensors) {
  std::vector<nnef::Extents> extents;
  for (const Literal& tensor : tensors) {
    const auto& dimensions = tensor.shape().dimensions();
    extents.emplace_back(dimensions.begin(), dimensions.end());
  }
  return extents;
}

absl::Status CheckSameExtents(const FedModel& model, const FedCycles& fed) {
  for (const std::vector<Literal>& cycle : fed) {
    for (size_t i = 0; i < cycle.size(); ++i) {
      if (cycle[i].shape().Compatible(fed[0][i].shape())) continue;
      return Unfit(model, absl::StrCat("input '", model.inputs[i].name, "' is ", fed[0][i].shape().ToString(),
                                       " in one cycle and ", cycle[i].shape().ToString(), " in another"));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla
