// OperationReader: reads the IR section of an artifact, operations with their regions, into a module.
//
// Values have numbers, from 0 in each isolated operation: entering a region takes as many numbers as it
// announces, for the arguments and results in its blocks in the order in which they stand; leaving it gives them back.
#ifndef BUILDERS_STABLEHLO_BYTECODE_OPERATION_READER_H_
#define BUILDERS_STABLEHLO_BYTECODE_OPERATION_READER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"
#include "builders/stablehlo/bytecode/container.h"
#include "builders/stablehlo/bytecode/operation_names.h"
#include "builders/stablehlo/bytecode/vhlo_operations.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace stablehlo {

// Operations with regions nest at most this deep.
inline constexpr int kMaxRegionNesting = 100;

// Of the byte that says what an operation has.
inline constexpr int kHasAttributes = 1;
inline constexpr int kHasResults = 2;
inline constexpr int kHasOperands = 4;
inline constexpr int kHasSuccessors = 8;
inline constexpr int kHasRegions = 16;
inline constexpr int kHasUseLists = 32;
inline constexpr int kHasProperties = 64;

// Functions that read return false after an error, which they have reported.
class OperationReader {
 public:
  // All of them outlive it; `file_size` and `version` are those of the artifact.
  OperationReader(const Container& container, VhloVersion version, int64_t file_size, AttributeDecoder* decoder,
                  Module* module, const ResourceContext* resources);

  // The whole program, as the module's outermost operation.
  bool Read();

 private:
  // Of one operation; most have a few.
  using Types = absl::InlinedVector<TypeId, 4>;
  using Values = absl::InlinedVector<ValueId, 4>;
  // The numbers of values in an isolated operation; not ok(): taken, but not defined yet.
  using Numbers = std::vector<ValueId>;
  // A region while it is read: the numbers from `next` to `end` are still to be defined.
  struct OpenRegion {
    Numbers* numbers = nullptr;
    size_t next = 0;
    size_t end = 0;
    bool is_function = false;  // the body of one
    int depth = 0;
  };
  // What an operation has, as far as the file says it by number.
  struct AttributesKey {
    uint32_t name = 0;
    int64_t dictionary = -1;  // -1: none
    int64_t properties = -1;

    friend bool operator==(const AttributesKey& a, const AttributesKey& b) {
      return a.name == b.name && a.dictionary == b.dictionary && a.properties == b.properties;
    }
    template <typename H>
    friend H AbslHashValue(H state, const AttributesKey& key) {
      return H::combine(std::move(state), key.name, key.dictionary, key.properties);
    }
  };
  // The attributes of an operation as they are today.
  struct UpgradedAttributes {
    std::vector<NamedAttribute> attributes;
    int64_t length = 0;  // AttributeDecoder::TakeLength
  };

  bool ReadRoot(ByteReader& reader);
  bool ReadOperation(ByteReader& reader, OpenRegion* region, std::vector<OperationId>* operations);
  bool ReadAttributes(ByteReader& reader, int mask, AttributesKey key, Operation* operation);
  bool ReadTypes(ByteReader& reader, Types* types);
  bool ReadOperands(ByteReader& reader, const OpenRegion& region, Values* operands);
  bool ReadCast(const ByteReader& reader, const Types& types, const Values& operands, OpenRegion* region);
  bool ReadRegions(ByteReader& reader, const KnownOperation& known, const OpenRegion& outer,
                   std::vector<RegionId>* regions);
  bool ReadRegion(ByteReader& reader, OpenRegion region, RegionId* id);
  bool ReadBlock(ByteReader& reader, OpenRegion* region, BlockId* id);
  bool ReadArguments(ByteReader& reader, std::vector<ValueId>* arguments);
  bool SkipUseLists(ByteReader& reader, size_t values);
  bool Define(const ByteReader& reader, OpenRegion* region, ValueId value);
  const KnownOperation& Known(uint32_t name);
  // Counts how long the program is, written out.
  bool Spend(const ByteReader& reader, int64_t length);

  // operation_attributes.cc
  bool Upgrade(const ByteReader& reader, const AttributesKey& key, UpgradedAttributes* upgraded);
  bool ReadGiven(const ByteReader& reader, const AttributesKey& key, std::vector<NamedAttribute>* given);
  bool ReadProperties(ByteReader properties, const KnownOperation& known, std::vector<NamedAttribute>* given);
  bool AppendDictionary(const ByteReader& reader, AttributeId dictionary, std::vector<NamedAttribute>* given);
  bool UpgradeVhlo(const ByteReader& reader, const KnownOperation& known, std::vector<NamedAttribute>* attributes);
  bool UpgradeDirection(const ByteReader& reader, std::vector<NamedAttribute>* attributes);

  const Container& container_;
  const VhloVersion version_;
  AttributeDecoder& decoder_;
  Module& module_;
  ResourcePoll poll_;
  std::vector<std::unique_ptr<const KnownOperation>> names_;  // as in the container; nullptr: not used yet
  absl::flat_hash_map<AttributesKey, UpgradedAttributes> upgraded_;
  size_t open_values_ = 0;  // announced by all regions that are being read
  int64_t budget_;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_OPERATION_READER_H_
