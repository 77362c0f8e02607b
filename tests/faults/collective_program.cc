#include "tests/faults/collective_program.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"

namespace xla {
namespace {

constexpr int64_t kIntegers = 5;
constexpr int64_t kMaxSteps = 3;

constexpr char kSums[] = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

add_integers {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT sum = s32[] add(a, b)
}
)";

class ProgramText {
 public:
  ProgramText(const CollectiveProgram& program, RandomSource& random)
      : program_(program),
        random_(random),
        elements_((program.elements + program.devices - 1) / program.devices * program.devices),
        array_(absl::StrCat("f32[", elements_, "]")),
        integers_(absl::StrCat("s32[", kIntegers, "]")),
        state_(absl::StrCat("(s32[], ", array_, ", ", integers_, ", ", array_, ")")) {}

  std::string Build() {
    return absl::StrCat("HloModule meet_again, ",
                        program_.are_partitions ? "num_partitions=" : "replica_count=", program_.devices, "\n", kSums,
                        Condition(), Body(), Entry());
  }

 private:
  std::vector<int> ShuffledDevices() {
    std::vector<int> devices(program_.devices);
    std::iota(devices.begin(), devices.end(), 0);
    for (size_t i = devices.size(); i > 1; --i) std::swap(devices[i - 1], devices[random_.Below(i)]);
    return devices;
  }

  // All devices in one group, in any order.
  std::string OneGroup() { return absl::StrCat("replica_groups={{", absl::StrJoin(ShuffledDevices(), ","), "}}"); }

  // Of any sizes, which only an all-reduce may have.
  std::string SomeGroups() {
    if (random_.Chance(60)) return OneGroup();
    std::string groups;
    for (const int device : ShuffledDevices()) {
      absl::StrAppend(&groups, groups.empty() ? "{" : random_.Chance(40) ? "},{" : ",", device);
    }
    return absl::StrCat("replica_groups={", groups, "}}");
  }

  // What says that numbers in groups are those of partitions.
  std::string Channel(bool takes_global_ids) {
    if (!program_.are_partitions) return "";
    return absl::StrCat(", channel_id=", ++channels_, takes_global_ids ? ", use_global_device_ids=true" : "");
  }

  std::string NewName() { return absl::StrCat("v", ++names_); }
  std::string Add(const std::string& shape, const std::string& operation) {
    const std::string name = NewName();
    absl::StrAppend(&lines_, "  ", name, " = ", shape, " ", operation, "\n");
    return name;
  }

  // Sums over devices must not grow from one trip to the next.
  std::string Shrink(const std::string& x) {
    const std::string factor = Add("f32[]", absl::StrFormat("constant(%g)", 0.5 / program_.devices));
    const std::string factors = Add(array_, absl::StrCat("broadcast(", factor, "), dimensions={}"));
    return Add(array_, absl::StrCat("multiply(", x, ", ", factors, ")"));
  }

  std::string AllReduce(const std::string& x) {
    const std::string groups = SomeGroups(), channel = Channel(true);
    const bool is_async = random_.Chance(30);
    const std::string sum = Add(
        array_, absl::StrCat("all-reduce", is_async ? "-start" : "", "(", x, "), ", groups, channel, ", to_apply=add"));
    return Shrink(is_async ? Add(array_, absl::StrCat("all-reduce-done(", sum, ")")) : sum);
  }

  std::string ScatterAndGather(const std::string& x) {
    const std::string groups = OneGroup();
    const std::string part_shape = absl::StrCat("f32[", elements_ / program_.devices, "]");
    const std::string part = Add(
        part_shape, absl::StrCat("reduce-scatter(", x, "), ", groups, Channel(true), ", dimensions={0}, to_apply=add"));
    return Shrink(Add(array_, absl::StrCat("all-gather(", part, "), ", groups, Channel(true), ", dimensions={0}")));
  }

  std::string Permute(const std::string& x) {
    const std::vector<int> targets = ShuffledDevices();
    std::vector<std::string> pairs;
    for (size_t source = 0; source < targets.size(); ++source) {
      pairs.push_back(absl::StrCat("{", source, ",", targets[source], "}"));
    }
    return Add(array_, absl::StrCat("collective-permute(", x, "), source_target_pairs={", absl::StrJoin(pairs, ","),
                                    "}", Channel(false)));
  }

  std::string Step(const std::string& x) {
    switch (random_.Below(6)) {
      case 0:
        return ScatterAndGather(x);
      case 1:
        return Permute(x);
      case 2:
        return Add(array_, absl::StrCat("all-to-all(", x, "), ", OneGroup(), Channel(false), ", dimensions={0}"));
      case 3:
        return Add(array_, absl::StrCat("collective-broadcast(", x, "), ", OneGroup(), Channel(false)));
      default:
        return AllReduce(x);
    }
  }

  std::string Condition() const {
    std::string limit = absl::Substitute("  limit = s32[] constant($0)\n", program_.trips);
    if (program_.extra_trip >= 0) {
      limit = absl::Substitute(
          "  trips = s32[] constant($0)\n  id = u32[] $1-id()\n  chosen = u32[] constant($2)\n"
          "  is_chosen = pred[] compare(id, chosen), direction=EQ\n  more = s32[] convert(is_chosen)\n"
          "  limit = s32[] add(trips, more)\n",
          program_.trips, program_.are_partitions ? "partition" : "replica", program_.extra_trip);
    }
    return absl::Substitute(
        "\ngoes_on {\n  state = $0 parameter(0)\n  trip = s32[] get-tuple-element(state), index=0\n$1"
        "  ROOT less = pred[] compare(trip, limit), direction=LT\n}\n",
        state_, limit);
  }

  std::string Body() {
    lines_ = absl::Substitute(
        "\ntrip {\n  state = $0 parameter(0)\n  trip = s32[] get-tuple-element(state), index=0\n"
        "  one = s32[] constant(1)\n  next = s32[] add(trip, one)\n"
        "  x = $1 get-tuple-element(state), index=1\n  k = $2 get-tuple-element(state), index=2\n"
        "  own = $1 get-tuple-element(state), index=3\n",
        state_, array_, integers_);
    std::string x = "x";
    for (int64_t steps = random_.Between(1, kMaxSteps); steps > 0; --steps) x = Step(x);
    // Without it all devices would soon have the same.
    x = Add(array_, absl::StrCat("add(", Shrink(x), ", own)"));
    // All meet in each trip, so that none goes on for ever without the others. It wraps around.
    std::string k =
        Add(integers_, absl::StrCat("all-reduce(k), ", OneGroup(), Channel(true), ", to_apply=add_integers"));
    k = Add(integers_, absl::StrCat("add(", k, ", k)"));
    return absl::StrCat(lines_, "  ROOT result = ", state_, " tuple(next, ", x, ", ", k, ", own)\n}\n");
  }

  std::string Entry() const {
    return absl::Substitute(
        "\nENTRY main {\n  x = $1 parameter(0)\n  k = $2 parameter(1)\n  zero = s32[] constant(0)\n"
        "  start = $0 tuple(zero, x, k, x)\n  end = $0 while(start), condition=goes_on, body=trip\n"
        "  x_end = $1 get-tuple-element(end), index=1\n  k_end = $2 get-tuple-element(end), index=2\n"
        "  ROOT results = ($1, $2) tuple(x_end, k_end)\n}\n",
        state_, array_, integers_);
  }

  const CollectiveProgram& program_;
  RandomSource& random_;
  const int64_t elements_;
  const std::string array_, integers_, state_;  // as text
  std::string lines_;
  int names_ = 0;
  int channels_ = 0;
};

}  // namespace

std::string MakeCollectiveProgram(const CollectiveProgram& program, RandomSource& random) {
  return ProgramText(program, random).Build();
}

}  // namespace xla
