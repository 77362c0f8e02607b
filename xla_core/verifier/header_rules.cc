// The header of a module against its entry computation: numbers of devices, the entry layout, and which results share
// memory with which parameters. All violations are reported, not only the first.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// The entry layout has the parameters and result of the entry, and layouts that are valid.
void CheckEntryLayout(const HloComputation& entry, Verification& verification) {
  const absl::optional<ProgramShape>& layout = verification.module().config().entry_computation_layout;
  if (!layout.has_value()) return;
  const std::vector<HloInstruction*> parameters = entry.parameters();
  if (layout->parameters.size() != parameters.size()) {
    verification.Add(absl::StrCat("entry_computation_layout has ", layout->parameters.size(),
                                  " parameters, but the entry computation ", entry.name(), " has ", parameters.size()));
  } else {
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (layout->parameters[i].Compatible(parameters[i]->shape())) continue;
      verification.Add(absl::StrCat("entry_computation_layout says that parameter ", i, " is ",
                                    layout->parameters[i].ToString(), ", but ", parameters[i]->name(), " has shape ",
                                    parameters[i]->shape().ToString()));
    }
  }
  if (!layout->result.Compatible(entry.root()->shape())) {
    verification.Add(absl::StrCat("entry_computation_layout says that the result is ", layout->result.ToString(),
                                  ", but the root ", entry.root()->name(), " has shape ",
                                  entry.root()->shape().ToString()));
  }
  std::vector<Shape> shapes = layout->parameters;
  shapes.push_back(layout->result);
  for (const Shape& shape : shapes) {
    const absl::Status valid = ValidateShape(shape);
    if (!valid.ok()) verification.Add(absl::StrCat("entry_computation_layout: ", valid.message()));
  }
}

// Part of a parameter, for messages and for telling parts apart.
using ParameterPart = std::pair<int64_t, std::vector<int64_t>>;

// The parts that aliases and donors name, of which there can be as many as parameters.
class EntryParts {
 public:
  EntryParts(const HloComputation& entry, Verification& verification)
      : entry_(entry), parameters_(entry.parameters()), verification_(verification) {}

  // The shape of a part of a parameter; nullptr, with a violation, if there is no such part.
  const Shape* Find(absl::string_view attribute, const ParameterPart& part) const {
    if (part.first < 0 || part.first >= static_cast<int64_t>(parameters_.size())) {
      verification_.Add(absl::StrCat(attribute, " names parameter ", part.first, ", but the entry computation ",
                                     entry_.name(), " has ", parameters_.size(), " parameters"));
      return nullptr;
    }
    const Shape& shape = parameters_[part.first]->shape();
    const Shape* found = SubshapeAt(shape, part.second);
    if (found == nullptr) {
      verification_.Add([&] {
        return absl::StrCat(attribute, " names element ", ShapeIndexToString(part.second), " of parameter ", part.first,
                            ", which ", shape.ToString(), " does not have");
      });
    }
    return found;
  }

 private:
  const HloComputation& entry_;
  const std::vector<HloInstruction*> parameters_;
  Verification& verification_;
};

int64_t MemorySpace(const Shape& shape) { return shape.has_layout() ? shape.layout()->memory_space : 0; }

// nullopt before sizes are known.
absl::optional<int64_t> SizeOf(const Shape& shape) {
  if (shape.IsUnboundedDynamic()) return absl::nullopt;
  return shape.ByteSize();
}

// Values that share memory must need as much of it, in the same place.
void CheckAliasShapes(const InputOutputAlias& alias, const Shape& output, const Shape& parameter,
                      absl::optional<int64_t> parameter_size, Verification& verification) {
  const absl::optional<int64_t> output_size = SizeOf(output);
  const bool same_size = !output_size.has_value() || !parameter_size.has_value() || *output_size == *parameter_size;
  if (same_size && MemorySpace(output) == MemorySpace(parameter)) return;
  verification.Add([&] {
    return absl::StrCat("input_output_alias lets output ", ShapeIndexToString(alias.output_index), " of shape ",
                        output.ToString(Shape::LayoutPrinting::kWith), " share memory with parameter ",
                        alias.parameter_number, " ", ShapeIndexToString(alias.parameter_index), " of shape ",
                        parameter.ToString(Shape::LayoutPrinting::kWith),
                        "; they must have the same size and memory space");
  });
}

// Aliases and donors name existing parts, each output and each parameter part at most once, with shapes that fit.
void CheckAliases(const HloComputation& entry, Verification& verification) {
  const HloModuleConfig& config = verification.module().config();
  const EntryParts parts(entry, verification);
  std::set<std::vector<int64_t>> outputs;
  // With the sizes of the parts, which take as long to add up as a tuple is wide.
  std::map<ParameterPart, absl::optional<int64_t>> aliased;
  for (const InputOutputAlias& alias : config.input_output_alias) {
    if (verification.MustStop()) return;
    const std::vector<int64_t> index(alias.output_index.begin(), alias.output_index.end());
    const ParameterPart part = {alias.parameter_number, {alias.parameter_index.begin(), alias.parameter_index.end()}};
    const Shape* output = SubshapeAt(entry.root()->shape(), index);
    if (output == nullptr) {
      verification.Add([&] {
        return absl::StrCat("input_output_alias names output ", ShapeIndexToString(index), ", which ",
                            entry.root()->shape().ToString(), " does not have");
      });
    }
    const Shape* parameter = parts.Find("input_output_alias", part);
    const auto [known_part, is_new_part] = aliased.try_emplace(part);
    if (is_new_part && parameter != nullptr) known_part->second = SizeOf(*parameter);
    if (output != nullptr && parameter != nullptr) {
      CheckAliasShapes(alias, *output, *parameter, known_part->second, verification);
    }
    if (!outputs.insert(index).second) {
      verification.Add(absl::StrCat("input_output_alias names output ", ShapeIndexToString(index), " twice"));
    }
    if (!is_new_part) {
      verification.Add(absl::StrCat("input_output_alias names element ", ShapeIndexToString(part.second),
                                    " of parameter ", part.first, " twice"));
    }
  }
  std::set<ParameterPart> donated;
  for (const BufferDonor& donor : config.buffer_donors) {
    if (verification.MustStop()) return;
    const ParameterPart part = {donor.parameter_number, {donor.parameter_index.begin(), donor.parameter_index.end()}};
    parts.Find("buffer_donor", part);
    if (!donated.insert(part).second) {
      verification.Add(absl::StrCat("buffer_donor names element ", ShapeIndexToString(part.second), " of parameter ",
                                    part.first, " twice"));
    }
    if (aliased.count(part) > 0) {
      verification.Add(absl::StrCat("buffer_donor names element ", ShapeIndexToString(part.second), " of parameter ",
                                    part.first, ", which input_output_alias gives to an output already"));
    }
  }
}

}  // namespace

bool VerifyDeviceCounts(Verification& verification) {
  const HloModuleConfig& config = verification.module().config();
  constexpr int64_t kMost = 1'000'000;
  const bool valid = config.replica_count >= 1 && config.num_partitions >= 1 && config.replica_count <= kMost &&
                     config.num_partitions <= kMost / config.replica_count;
  if (!valid) {
    verification.Add(absl::StrCat("replica_count and num_partitions must be at least 1 and their product at most ",
                                  kMost, ", got ", config.replica_count, " and ", config.num_partitions));
  }
  return valid;
}

void VerifyHeader(Verification& verification) {
  const HloComputation* entry = verification.module().entry();
  if (entry == nullptr || !verification.IsSound(*entry)) return;
  for (const HloInstruction* parameter : entry->parameters()) {
    if (!verification.IsSound(*parameter)) return;
  }
  CheckEntryLayout(*entry, verification);
  CheckAliases(*entry, verification);
}

}  // namespace xla
