#include "builders/stablehlo/bytecode/operation_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace stablehlo {
namespace {

// Attributes that are used many times could make a small file stand for a program of any size. The program, written
// out, may be so many times as long as the file, or this long: that of a thousand collectives has the groups of ten
// thousand devices a thousand times.
constexpr int64_t kMaxGrowth = 100;
constexpr int64_t kSmallProgram = int64_t{256} << 20;

}  // namespace

OperationReader::OperationReader(const Container& container, VhloVersion version, int64_t file_size,
                                 AttributeDecoder* decoder, Module* module, const ResourceContext* resources)
    : container_(container),
      version_(version),
      decoder_(*decoder),
      module_(*module),
      poll_(resources),
      names_(container.operation_names.size()),
      budget_(kSmallProgram + kMaxGrowth * file_size) {}

const KnownOperation& OperationReader::Known(uint32_t name) {
  std::unique_ptr<const KnownOperation>& known = names_[name];
  if (known == nullptr) {
    known = std::make_unique<KnownOperation>(FindOperation(container_.operation_names[name], version_, &module_));
  }
  return *known;
}

bool OperationReader::Spend(const ByteReader& reader, int64_t length) {
  budget_ -= length;
  return budget_ >= 0 || reader.Error(absl::StrCat("with its attributes and types written out, the program up to here "
                                                   "is more than ",
                                                   kMaxGrowth, " times as long as the file"));
}

bool OperationReader::Read() {
  ByteReader reader = container_.ir;
  return ReadRoot(reader) && reader.ExpectEnd("the IR");
}

bool OperationReader::ReadRoot(ByteReader& reader) {
  Numbers numbers;
  OpenRegion region;
  region.numbers = &numbers;
  uint64_t count = 0;
  bool has_arguments = false;
  std::vector<OperationId> operations;
  if (!reader.ReadFlagged(&count, &has_arguments)) return false;
  if (count != 1 || has_arguments) return reader.Error("expected one operation without arguments around it, a module");
  if (!ReadOperation(reader, &region, &operations)) return false;
  const bool is_module = !operations.empty() && module_.operation(operations[0]).name == "builtin.module";
  if (!is_module || module_.operation(operations[0]).regions.size() != 1 ||
      module_.region(module_.operation(operations[0]).regions[0]).blocks.size() != 1) {
    return reader.Error("expected the outermost operation to be a module with one block");
  }
  module_.set_root(operations[0]);
  return true;
}

// ---- Operations

bool OperationReader::ReadOperation(ByteReader& reader, OpenRegion* region, std::vector<OperationId>* operations) {
  const size_t at = reader.offset();
  if (poll_.IsOver()) return reader.Error("a limit is reached");
  AttributesKey key;
  uint8_t mask = 0;
  Operation operation;
  if (!reader.ReadIndex("the name of an operation", names_.size(), &key.name) || !reader.ReadByte(&mask) ||
      !decoder_.ReadLocation(reader, &operation.location)) {
    return false;
  }
  const KnownOperation& known = Known(key.name);
  if (known.kind == KnownOperation::Kind::kUnknown) return reader.ErrorAt(at, known.error);
  if ((mask & kHasSuccessors) != 0) return reader.ErrorAt(at, "operations of StableHLO do not have successors");
  Types types;
  Values operands;
  if (!ReadAttributes(reader, mask, key, &operation) || ((mask & kHasResults) != 0 && !ReadTypes(reader, &types)) ||
      ((mask & kHasOperands) != 0 && !ReadOperands(reader, *region, &operands)) ||
      ((mask & kHasUseLists) != 0 && !SkipUseLists(reader, types.size()))) {
    return false;
  }
  if (known.kind == KnownOperation::Kind::kCast) {
    if ((mask & kHasRegions) != 0) return reader.ErrorAt(at, "a cast does not have regions");
    return ReadCast(reader, types, operands, region);
  }
  Values results;
  for (const TypeId type : types) {
    results.push_back(module_.NewValue(type));
    if (!Define(reader, region, results.back())) return false;
  }
  std::vector<RegionId> regions;
  if ((mask & kHasRegions) != 0 && !ReadRegions(reader, known, *region, &regions)) return false;
  const bool ends_function = known.kind == KnownOperation::Kind::kReturn && region->is_function;
  operation.name = ends_function ? absl::string_view("func.return") : known.name;
  operation.operands = operands;
  operation.results = results;
  operation.regions = regions;
  operations->push_back(module_.Add(operation));
  return true;
}

bool OperationReader::ReadTypes(ByteReader& reader, Types* types) {
  uint64_t count = 0;
  if (!reader.ReadCount("results", &count)) return false;
  types->resize(count);
  for (TypeId& type : *types) {
    if (!decoder_.ReadType(reader, &type)) return false;
  }
  return Spend(reader, decoder_.TakeLength());
}

bool OperationReader::ReadOperands(ByteReader& reader, const OpenRegion& region, Values* operands) {
  uint64_t count = 0;
  if (!reader.ReadCount("operands", &count)) return false;
  operands->resize(count);
  for (ValueId& operand : *operands) {
    uint32_t number = 0;
    if (!reader.ReadIndex("a value", region.numbers->size(), &number)) return false;
    operand = (*region.numbers)[number];
    if (!operand.ok()) return reader.Error(absl::StrCat("the value ", number, " is not defined before this place"));
  }
  return true;
}

bool OperationReader::ReadCast(const ByteReader& reader, const Types& types, const Values& operands,
                               OpenRegion* region) {
  if (types.size() != 1 || operands.size() != 1 || module_.value(operands[0]).type != types[0]) {
    return reader.Error("expected a cast of one value to the type that it has");
  }
  return Define(reader, region, operands[0]);
}

bool OperationReader::Define(const ByteReader& reader, OpenRegion* region, ValueId value) {
  if (region->next == region->end) return reader.Error("this region has more values than it announces");
  (*region->numbers)[region->next++] = value;
  return true;
}

// The order in which values are used, which means nothing to us.
bool OperationReader::SkipUseLists(ByteReader& reader, size_t values) {
  uint64_t lists = 1;
  if (values > 1 && !reader.ReadCount("lists of uses", &lists)) return false;
  for (uint64_t i = 0; i < lists; ++i) {
    uint64_t value = 0;
    uint64_t count = 0;
    bool has_pairs = false;
    if ((values > 1 && !reader.ReadVarint(&value)) || !reader.ReadFlagged(&count, &has_pairs) ||
        !reader.CheckCount("uses", count)) {
      return false;
    }
    for (uint64_t k = 0; k < count; ++k) {
      if (!reader.ReadVarint(&value)) return false;
    }
  }
  return true;
}

// ---- Regions

bool OperationReader::ReadRegions(ByteReader& reader, const KnownOperation& known, const OpenRegion& outer,
                                  std::vector<RegionId>* regions) {
  OpenRegion inner;
  inner.depth = outer.depth + 1;
  inner.is_function = known.vhlo != nullptr && known.vhlo->name == "func";
  if (inner.depth > kMaxRegionNesting) {
    return reader.Error(absl::StrCat("operations nest more than ", kMaxRegionNesting, " deep"));
  }
  uint64_t count = 0;
  bool is_isolated = false;
  if (!reader.ReadFlagged(&count, &is_isolated) || !reader.CheckCount("regions", count)) return false;
  Numbers own;
  inner.numbers = is_isolated ? &own : outer.numbers;
  regions->resize(count);
  if (!is_isolated || container_.version < 2) {
    for (RegionId& region : *regions) {
      if (!ReadRegion(reader, inner, &region)) return false;
    }
    return true;
  }
  const size_t at = reader.offset();
  ByteReader inside;
  if (!reader.ReadSection(&inside)) return false;
  if (inside.section() != SectionId::kIr) {
    return reader.ErrorAt(at,
                          absl::StrCat("expected the regions of an operation, found ", SectionName(inside.section())));
  }
  for (RegionId& region : *regions) {
    if (!ReadRegion(inside, inner, &region)) return false;
  }
  return inside.ExpectEnd("the regions");
}

bool OperationReader::ReadRegion(ByteReader& reader, OpenRegion region, RegionId* id) {
  uint64_t count = 0;
  uint64_t values = 0;
  std::vector<BlockId> blocks;
  if (!reader.ReadCount("blocks", &count)) return false;
  if (count > 0) {
    if (!reader.ReadCount("values", &values)) return false;
    // Each takes a byte at least, whichever of the open regions it is in.
    open_values_ += values;
    if (open_values_ > container_.ir.left()) return reader.Error("the regions up to here announce too many values");
    region.next = region.numbers->size();
    region.end = region.next + values;
    region.numbers->resize(region.end);
    blocks.resize(count);
    for (BlockId& block : blocks) {
      if (!ReadBlock(reader, &region, &block)) return false;
    }
    if (region.next != region.end) {
      return reader.Error(
          absl::StrCat("this region announces ", values, " values, but has ", values - (region.end - region.next)));
    }
    region.numbers->resize(region.end - values);
    open_values_ -= values;
  }
  *id = module_.AddRegion(blocks);
  return true;
}

bool OperationReader::ReadBlock(ByteReader& reader, OpenRegion* region, BlockId* id) {
  uint64_t count = 0;
  bool has_arguments = false;
  std::vector<ValueId> arguments;
  if (!reader.ReadFlagged(&count, &has_arguments) || !reader.CheckCount("operations", count) ||
      (has_arguments && !ReadArguments(reader, &arguments))) {
    return false;
  }
  for (const ValueId argument : arguments) {
    if (!Define(reader, region, argument)) return false;
  }
  std::vector<OperationId> operations;
  operations.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    if (!ReadOperation(reader, region, &operations)) return false;
  }
  *id = module_.AddBlock(arguments, operations);
  return true;
}

bool OperationReader::ReadArguments(ByteReader& reader, std::vector<ValueId>* arguments) {
  uint64_t count = 0;
  if (!reader.ReadCount("arguments", &count)) return false;
  arguments->resize(count);
  for (ValueId& argument : *arguments) {
    uint64_t number = 0;
    bool has_location = true;
    TypeId type;
    LocationId location;
    if ((container_.version < 4 ? !reader.ReadVarint(&number) : !reader.ReadFlagged(&number, &has_location)) ||
        !decoder_.TypeAt(reader, number, &type) || (has_location && !decoder_.ReadLocation(reader, &location))) {
      return false;
    }
    // Since version 4 unknown ones are left out.
    if (!has_location) location = module_.Intern(Location());
    argument = module_.NewValue(type, "", location);
  }
  if (!Spend(reader, decoder_.TakeLength())) return false;
  if (container_.version < 3) return true;
  uint8_t has_use_lists = 0;
  return reader.ReadByte(&has_use_lists) && (has_use_lists == 0 || SkipUseLists(reader, arguments->size()));
}

}  // namespace stablehlo
}  // namespace xla
