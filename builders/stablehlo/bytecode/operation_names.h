// The names of the operations of a file, with what the reader must know of each.
#ifndef BUILDERS_STABLEHLO_BYTECODE_OPERATION_NAMES_H_
#define BUILDERS_STABLEHLO_BYTECODE_OPERATION_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/stablehlo/bytecode/container.h"
#include "builders/stablehlo/bytecode/vhlo_operations.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

struct KnownOperation {
  enum class Kind : uint8_t {
    kUnknown,
    kVhlo,    // vhlo
    kReturn,  // the one that ends functions and regions alike; in functions it is "func.return"
    kCast,    // between a type of VHLO and the same one of the builtin dialect: no operation at all
    kOther,
  };
  struct Property {
    absl::string_view name;
    bool is_optional = false;
  };

  Kind kind = Kind::kUnknown;
  absl::string_view name;  // of today: "stablehlo.add"
  const VhloOperation* vhlo = nullptr;
  std::vector<Property> properties;  // of others, in alphabetical order
  bool is_registered = true;
  std::string error;  // why it is unknown
};

KnownOperation FindOperation(const Container::OperationName& name, VhloVersion version, Module* module);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_OPERATION_NAMES_H_
