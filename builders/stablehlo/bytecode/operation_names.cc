#include "builders/stablehlo/bytecode/operation_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/text/operation_forms.h"

namespace xla {
namespace stablehlo {
namespace {

using Kind = KnownOperation::Kind;

// The operations of other dialects that have properties; `?` marks those that may be missing.
struct OtherRow {
  absl::string_view name;
  absl::string_view properties;
};

constexpr OtherRow kOthers[] = {
    {"builtin.module", "sym_name? sym_visibility?"},
    {"chlo.broadcast_add", "broadcast_dimensions?"},
    {"chlo.broadcast_and", "broadcast_dimensions?"},
    {"chlo.broadcast_atan2", "broadcast_dimensions?"},
    {"chlo.broadcast_compare", "broadcast_dimensions? compare_type? comparison_direction"},
    {"chlo.broadcast_complex", "broadcast_dimensions?"},
    {"chlo.broadcast_divide", "broadcast_dimensions?"},
    {"chlo.broadcast_maximum", "broadcast_dimensions?"},
    {"chlo.broadcast_minimum", "broadcast_dimensions?"},
    {"chlo.broadcast_multiply", "broadcast_dimensions?"},
    {"chlo.broadcast_next_after", "broadcast_dimensions?"},
    {"chlo.broadcast_or", "broadcast_dimensions?"},
    {"chlo.broadcast_polygamma", "broadcast_dimensions?"},
    {"chlo.broadcast_power", "broadcast_dimensions?"},
    {"chlo.broadcast_remainder", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_left", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_arithmetic", "broadcast_dimensions?"},
    {"chlo.broadcast_shift_right_logical", "broadcast_dimensions?"},
    {"chlo.broadcast_subtract", "broadcast_dimensions?"},
    {"chlo.broadcast_xor", "broadcast_dimensions?"},
    {"chlo.broadcast_zeta", "broadcast_dimensions?"},
    {"chlo.constant", "value"},
    {"chlo.constant_like", "value"},
    {"chlo.ragged_dot", "precision_config? ragged_dot_dimension_numbers"},
    {"chlo.top_k", "k"},
    {"sdy.all_gather", "gathering_axes out_sharding"},
    {"sdy.all_reduce", "out_sharding reduction_axes"},
    {"sdy.all_slice", "out_sharding slicing_axes"},
    {"sdy.all_to_all", "out_sharding params"},
    {"sdy.collective_permute", "out_sharding"},
    {"sdy.constant", "value"},
    {"sdy.data_flow_edge", "sharding?"},
    {"sdy.func_data_flow_edge", ""},
    {"sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", "mesh sym_name"},
    {"sdy.named_computation", "in_shardings? name out_shardings?"},
    {"sdy.propagation_barrier", "allowed_direction"},
    {"sdy.reduce_scatter", "out_sharding reduce_scatter_axes"},
    {"sdy.replicated_to_unreduced", "axes out_sharding"},
    {"sdy.reshard", "sharding"},
    {"sdy.sharded_to_unreduced", "axes out_sharding"},
    {"sdy.sharding_constraint", "sharding"},
    {"sdy.sharding_group", "group_id"},
};

// Its lists of segment sizes have a form of their own in each version, and no writer makes artifacts with it.
constexpr absl::string_view kNeverWritten = "chlo.scan";

std::string NameInVhlo(const Container::OperationName& name) { return absl::StrCat("vhlo.", name.name); }

void FindVhlo(const Container::OperationName& name, VhloVersion version, Module* module, KnownOperation* known) {
  known->vhlo = FindVhloOperation(name.name);
  if (known->vhlo == nullptr) {
    known->error = absl::StrCat("unknown operation '", NameInVhlo(name), "'; Halo reads VHLO up to version ",
                                kNewestVhlo.ToString(), ", and this artifact has ", version.ToString(),
                                ": export the program for an older version");
    return;
  }
  const bool has_later_form = known->vhlo->until < kNewestVhlo && known->vhlo->until < version;
  if (version < known->vhlo->since || has_later_form) {
    known->error =
        absl::StrCat("the operation '", NameInVhlo(name), "' is in VHLO from version ", known->vhlo->since.ToString(),
                     " to ", known->vhlo->until.ToString(), ", but this artifact has ", version.ToString());
    return;
  }
  const absl::string_view today = known->vhlo->name;
  const bool is_function = today == "func" || today == "call";
  known->kind = today == "return" ? Kind::kReturn : Kind::kVhlo;
  known->name = module->Intern(absl::StrCat(is_function ? "func." : "stablehlo.", today));
}

void FindOther(absl::string_view name, Module* module, KnownOperation* known) {
  known->name = module->Intern(name);
  known->kind = name == "builtin.unrealized_conversion_cast" ? Kind::kCast : Kind::kOther;
  for (const OtherRow& row : kOthers) {
    if (row.name != name) continue;
    for (absl::string_view property : absl::StrSplit(row.properties, ' ')) {
      const bool is_optional = absl::ConsumeSuffix(&property, "?");
      known->properties.push_back({property, is_optional});
    }
  }
}

}  // namespace

KnownOperation FindOperation(const Container::OperationName& name, VhloVersion version, Module* module) {
  KnownOperation known;
  known.is_registered = name.is_registered;
  const std::string full_name =
      name.name.empty() ? std::string(name.dialect) : absl::StrCat(name.dialect, ".", name.name);
  if (name.dialect == "vhlo") {
    FindVhlo(name, version, module, &known);
  } else if (name.dialect == "stablehlo" || name.dialect == "func") {
    known.error = absl::StrCat("the operation '", full_name,
                               "' is not in portable artifacts; write the program with "
                               "stablehlo.serialize_portable_artifact or as text");
  } else if (IsKnownOperation(full_name) && full_name != kNeverWritten) {
    FindOther(full_name, module, &known);
  } else {
    known.error = absl::StrCat("unknown operation '", full_name, "'", DidYouMeanOperation(full_name));
  }
  return known;
}

}  // namespace stablehlo
}  // namespace xla
