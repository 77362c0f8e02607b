#include "tools/shared/run_arguments.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Distance of the seeds of two devices.
constexpr uint64_t kSeedsPerDevice = 1000;
// How .npz files, which are zip files, begin.
constexpr absl::string_view kZipMagic = "PK";

std::string Plural(size_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

absl::Status WrongCount(absl::string_view source, size_t found, size_t leaves, int64_t device_count) {
  std::string expected = Plural(leaves, "array");
  if (device_count > 1) absl::StrAppend(&expected, " (or as many for each of ", device_count, " devices)");
  return absl::InvalidArgumentError(
      absl::StrCat(source, Plural(found, "array"), " given, but the program's parameters take ", expected));
}

// Whether a parameter may also be fed an array of these dimensions.
bool SpecFits(const Shape& spec, const Shape& parameter) {
  if (spec.element_type() != parameter.element_type() || spec.rank() != parameter.rank()) return false;
  for (int i = 0; i < spec.rank(); ++i) {
    const bool fits = parameter.is_dynamic_dimension(i) ? spec.dimension(i) <= parameter.dimension(i)
                                                        : spec.dimension(i) == parameter.dimension(i);
    if (!fits) return false;
  }
  return true;
}

// An array as a value of a parameter's shape, which may differ in layout or have a larger, dynamic bound.
absl::StatusOr<Literal> AsParameter(Literal array, const Shape& parameter) {
  if (parameter.IsDynamic()) {
    ASSIGN_OR_RETURN(const NpyFile file, MakeNpy(array));
    return ReadNpyAs(absl::StrCat(file.header, file.data()), "argument", parameter);
  }
  array.ResetShape(parameter);
  return array;
}

// One array among those given on the command line.
struct GivenArray {
  std::shared_ptr<NpzReader> archive;  // nullptr: `file` is a .npy file
  int index = 0;
  std::shared_ptr<FileContents> file;
  std::string path;
};

// The positions of the arrays called `names`, if all are there; else those of all arrays, sorted by number.
std::vector<int> ChooseArrays(NpzReader& reader, absl::Span<const std::string> names) {
  std::vector<int> positions;
  for (const std::string& name : names) positions.push_back(reader.Find(name));
  if (!positions.empty() && *std::min_element(positions.begin(), positions.end()) >= 0) return positions;
  reader.SortByNumber();
  positions.resize(reader.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

absl::StatusOr<std::vector<GivenArray>> ListArrays(const std::vector<std::string>& paths,
                                                   absl::Span<const std::string> names) {
  std::vector<GivenArray> arrays;
  for (const std::string& path : paths) {
    GivenArray array;
    array.path = path;
    ASSIGN_OR_RETURN(FileContents contents, ReadFile(path));
    if (absl::StartsWith(contents.data(), kZipMagic)) {
      ASSIGN_OR_RETURN(NpzReader reader, NpzReader::FromFile(std::move(contents), path));
      const std::vector<int> positions = ChooseArrays(reader, names);
      array.archive = std::make_shared<NpzReader>(std::move(reader));
      for (const int position : positions) {
        array.index = position;
        arrays.push_back(array);
      }
    } else {
      array.file = std::make_shared<FileContents>(std::move(contents));
      arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

absl::StatusOr<Literal> ReadArray(const GivenArray& array, const Shape& wanted, const InputResources& resources) {
  if (!wanted.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat(array.path, ": an array was given where the program takes a ", wanted.ToString()));
  }
  if (array.archive != nullptr) {
    return array.archive->ReadAs(array.index, wanted, resources.budget, resources.context);
  }
  return ReadNpyAs(array.file->data(), array.path, wanted, resources.budget, resources.context);
}

// Places of the leaves that are arrays; tokens come from nowhere.
std::vector<size_t> ArrayLeaves(const std::vector<Shape>& leaves) {
  std::vector<size_t> arrays;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].IsArray()) arrays.push_back(i);
  }
  return arrays;
}

// The leaves of one device with tokens in place and the arrays still missing.
std::vector<Literal> LeavesWithTokens(const std::vector<Shape>& leaves) {
  std::vector<Literal> values(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].IsArray()) values[i] = Literal::Token();
  }
  return values;
}

// Shapes of what infeed instructions read, in program order.
std::vector<Shape> InfeedShapes(const HloModule& module) {
  std::vector<Shape> shapes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kInfeed) shapes.push_back(instruction->shape().tuple_shape(0));
    }
  }
  return shapes;
}

// Whether the queue of `device` gets the array of this name.
bool IsForDevice(absl::string_view name, int64_t device) {
  const size_t underscore = name.find('_');
  const bool names_device = absl::StartsWith(name, "r") && underscore != absl::string_view::npos && underscore > 1 &&
                            name.substr(1, underscore - 1).find_first_not_of("0123456789") == absl::string_view::npos;
  return !names_device || name.substr(1, underscore - 1) == absl::StrCat(device);
}

// `shape` with the sizes of the arrays from `next` on, which stand for its leaves, in place of `?`.
Shape Settled(const Shape& shape, const std::vector<Shape>& arrays, size_t* next) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Settled(element, arrays, next));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || *next >= arrays.size()) return shape;
  const Shape& array = arrays[(*next)++];
  Shape settled = shape;
  for (int d = 0; d < shape.rank() && array.rank() == shape.rank(); ++d) {
    if (shape.dimension(d) != Shape::kUnboundedSize) continue;
    settled.set_dimension(d, array.dimension(d));
    settled.set_dynamic_dimension(d, false);
  }
  return settled;
}

}  // namespace

std::vector<Shape> ParameterShapes(const HloModule& module) {
  std::vector<Shape> shapes;
  for (const HloInstruction* parameter : module.entry()->parameters()) shapes.push_back(parameter->shape());
  return shapes;
}

std::vector<Shape> ShapesOfSpecs(const InputSpecs& specs) {
  std::vector<Shape> shapes;
  if (specs.devices.empty()) return shapes;
  for (const InputSpec& spec : specs.devices[0]) shapes.push_back(spec.shape);
  return shapes;
}

absl::StatusOr<std::vector<Shape>> ShapesInFiles(const std::vector<std::string>& paths,
                                                 absl::Span<const std::string> names) {
  ASSIGN_OR_RETURN(const std::vector<GivenArray> given, ListArrays(paths, names));
  std::vector<Shape> shapes;
  for (const GivenArray& array : given) {
    if (array.archive != nullptr) {
      ASSIGN_OR_RETURN(const Shape shape, array.archive->ShapeOf(array.index));
      shapes.push_back(shape);
    } else {
      ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(StreamOf(array.file->data()), array.path));
      shapes.push_back(ShapeInNpy(header));
    }
  }
  return shapes;
}

std::vector<Shape> SettledShapes(const std::vector<Shape>& parameters, const std::vector<Shape>& arrays) {
  size_t next = 0;
  std::vector<Shape> settled;
  for (const Shape& parameter : parameters) settled.push_back(Settled(parameter, arrays, &next));
  return settled;
}

absl::StatusOr<DeviceArguments> RandomArguments(const std::vector<Shape>& parameters, int64_t device_count,
                                                uint64_t seed, const InputResources& resources) {
  const std::vector<Shape> leaves = LeafShapes(parameters);
  DeviceArguments arguments;
  for (int64_t device = 0; device < device_count; ++device) {
    std::vector<Literal> values = LeavesWithTokens(leaves);
    for (const size_t k : ArrayLeaves(leaves)) {
      const uint64_t leaf_seed = seed + k + kSeedsPerDevice * static_cast<uint64_t>(device);
      ASSIGN_OR_RETURN(values[k], MakeInput(DefaultInputSpec(leaves[k], leaf_seed), resources.pool, resources.budget,
                                            resources.context));
    }
    arguments.push_back(UnflattenLeaves(parameters, std::move(values)));
  }
  return arguments;
}

absl::StatusOr<DeviceArguments> ArgumentsFromSpecs(const std::vector<Shape>& parameters, int64_t device_count,
                                                   const InputSpecs& specs, absl::string_view source,
                                                   const InputResources& resources) {
  if (specs.devices.size() != 1 && static_cast<int64_t>(specs.devices.size()) != device_count) {
    return absl::InvalidArgumentError(absl::StrCat(source, ": has inputs for ", specs.devices.size(),
                                                   " devices, but the program runs on ", device_count,
                                                   "; set --replicas and --partitions"));
  }
  const std::vector<Shape> leaves = LeafShapes(parameters);
  const std::vector<size_t> arrays = ArrayLeaves(leaves);
  DeviceArguments arguments;
  for (const std::vector<InputSpec>& device_specs : specs.devices) {
    if (device_specs.size() != arrays.size()) {
      return WrongCount(absl::StrCat(source, ": "), device_specs.size(), arrays.size(), 1);
    }
    std::vector<Literal> values = LeavesWithTokens(leaves);
    for (size_t i = 0; i < arrays.size(); ++i) {
      const Shape& wanted = leaves[arrays[i]];
      if (!SpecFits(device_specs[i].shape, wanted)) {
        return absl::InvalidArgumentError(absl::StrCat(source, ": input ", i, " is ", device_specs[i].shape.ToString(),
                                                       ", but the program takes ", wanted.ToString()));
      }
      ASSIGN_OR_RETURN(Literal value, MakeInput(device_specs[i], resources.pool, resources.budget, resources.context));
      ASSIGN_OR_RETURN(values[arrays[i]], AsParameter(std::move(value), wanted));
    }
    arguments.push_back(UnflattenLeaves(parameters, std::move(values)));
  }
  arguments.resize(device_count, arguments[0]);
  return arguments;
}

absl::StatusOr<DeviceArguments> ArgumentsFromFiles(const std::vector<Shape>& parameters, int64_t device_count,
                                                   const std::vector<std::string>& paths,
                                                   const InputResources& resources,
                                                   absl::Span<const std::string> names) {
  ASSIGN_OR_RETURN(const std::vector<GivenArray> given, ListArrays(paths, names));
  const std::vector<Shape> leaves = LeafShapes(parameters);
  const std::vector<size_t> arrays = ArrayLeaves(leaves);
  const bool for_one_device = given.size() == arrays.size();
  if (!for_one_device && given.size() != arrays.size() * device_count) {
    return WrongCount("", given.size(), arrays.size(), device_count);
  }
  DeviceArguments arguments;
  for (int64_t device = 0; device < (for_one_device ? 1 : device_count); ++device) {
    std::vector<Literal> values = LeavesWithTokens(leaves);
    for (size_t i = 0; i < arrays.size(); ++i) {
      const GivenArray& array = given[device * arrays.size() + i];
      ASSIGN_OR_RETURN(values[arrays[i]], ReadArray(array, leaves[arrays[i]], resources));
    }
    arguments.push_back(UnflattenLeaves(parameters, std::move(values)));
  }
  arguments.resize(device_count, arguments[0]);
  return arguments;
}

absl::StatusOr<DeviceArguments> InfeedFromFile(const HloModule& module, int64_t device_count, const std::string& path,
                                               const InputResources& resources) {
  const std::vector<Shape> shapes = InfeedShapes(module);
  if (shapes.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": the program has no infeed instruction"));
  ASSIGN_OR_RETURN(NpzReader reader, NpzReader::Open(path));
  reader.SortByNumber();
  DeviceArguments queues(device_count);
  for (int64_t device = 0; device < device_count; ++device) {
    std::vector<int> arrays;
    for (int i = 0; i < reader.size(); ++i) {
      if (IsForDevice(reader.array_name(i), device)) arrays.push_back(i);
    }
    size_t next = 0;
    for (size_t turn = 0; next < arrays.size(); ++turn) {
      const Shape& shape = shapes[turn % shapes.size()];
      const std::vector<Shape> leaves = LeafShapes({shape});
      // A shape without arrays would never use up the file.
      if (leaves.empty())
        return absl::InvalidArgumentError(absl::StrCat(path, ": infeed of ", shape.ToString(), " reads no array"));
      if (leaves.size() > arrays.size() - next) {
        return absl::InvalidArgumentError(absl::StrCat(path, ": the last infeed of ", shape.ToString(), " takes ",
                                                       Plural(leaves.size(), "array"), ", only ", arrays.size() - next,
                                                       " left"));
      }
      std::vector<Literal> values;
      for (const Shape& leaf : leaves) {
        if (!leaf.IsArray()) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot feed a ", leaf.ToString()));
        ASSIGN_OR_RETURN(Literal value, reader.ReadAs(arrays[next++], leaf, resources.budget, resources.context));
        values.push_back(std::move(value));
      }
      queues[device].push_back(std::move(UnflattenLeaves({shape}, std::move(values))[0]));
    }
  }
  return queues;
}

}  // namespace xla
