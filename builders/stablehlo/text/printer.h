// Writes a module as StableHLO text, which ParseModule and StableHLO's own tools read.
#ifndef BUILDERS_STABLEHLO_TEXT_PRINTER_H_
#define BUILDERS_STABLEHLO_TEXT_PRINTER_H_

#include <string>

#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

struct PrintOptions {
  // MLIR's generic form of every operation; else the pretty form of those that have one.
  bool is_generic = false;
  bool with_locations = false;
};

// Values keep their names where these are free; the others get numbers.
std::string PrintModule(const Module& module, const PrintOptions& options = {});

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PRINTER_H_
