#include "passes/memory/testing/aliasing_programs.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace {

constexpr int kMostDepth = 2;  // of calls within calls

using Names = std::vector<std::string>;

std::string TupleShape(size_t count, const std::string& element) {
  return absl::StrCat("(", absl::StrJoin(Names(count, element), ", "), ")");
}

class Writer {
 public:
  // What is small becomes one kernel with its neighbours, what is larger does not.
  explicit Writer(uint64_t seed)
      : random_(seed),
        size_(Chance(75) ? 12 : 1200),
        array_(absl::StrCat("s32[", size_, "]")),
        rows_(absl::StrCat("s32[3,", size_ / 3, "]")) {}

  std::string Write() {
    Scope entry;
    const int count = Pick(1, 4);
    for (int i = 0; i < count; ++i) AddParameter(entry, i);
    entry.number = Define(entry, "s32[]", absl::StrCat("parameter(", count, ")"));
    AddInstructions(entry, Pick(1, 7));
    const std::string root = WriteRoot(entry);
    return absl::StrCat("HloModule m", Header(), "\n", computations_, "ENTRY ", NewName(), " {\n", entry.text, root,
                        "}\n");
  }

 private:
  // A computation that is being written.
  struct Scope {
    std::string text;
    Names arrays;
    std::string number;  // a value of type s32[]
    int depth = 0;
  };

  // Of the program: an array, and where it is in the parameters.
  struct Argument {
    std::string array;
    std::string place;  // "0, {}"
  };

  int Pick(int low, int high) { return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1)); }
  bool Chance(int percent) { return Pick(1, 100) <= percent; }
  const std::string& PickFrom(const Names& names) { return names[Pick(0, static_cast<int>(names.size()) - 1)]; }
  // The newest ones are the most interesting, and arguments.
  std::string PickArray(const Scope& scope) {
    const int size = static_cast<int>(scope.arrays.size());
    return Chance(50) ? scope.arrays[Pick(std::max(0, size - 3), size - 1)] : PickFrom(scope.arrays);
  }
  Names PickArrays(const Scope& scope, int count) {
    Names picked;
    for (int i = 0; i < count; ++i) picked.push_back(PickArray(scope));
    return picked;
  }

  std::string NewName() { return absl::StrCat("v", ++names_); }
  static std::string Line(const std::string& name, const std::string& shape, const std::string& what) {
    return absl::StrCat("  ", name, " = ", shape, " ", what, "\n");
  }
  std::string Define(Scope& scope, const std::string& shape, const std::string& what) {
    const std::string name = NewName();
    scope.text += Line(name, shape, what);
    return name;
  }
  // One value, or a tuple of several.
  std::string Root(const Names& results, const std::string& element) {
    const std::string name = absl::StrCat("ROOT ", NewName());
    if (results.size() == 1) return Line(name, element, absl::StrCat("copy(", results[0], ")"));
    return Line(name, TupleShape(results.size(), element), absl::StrCat("tuple(", absl::StrJoin(results, ", "), ")"));
  }
  void AddArray(Scope& scope, const std::string& what) { scope.arrays.push_back(Define(scope, array_, what)); }
  void AddElements(Scope& scope, const std::string& tuple, int first, int count) {
    for (int i = first; i < first + count; ++i) {
      AddArray(scope, absl::StrCat("get-tuple-element(", tuple, "), index=", i));
    }
  }
  std::string Constant(Scope& scope) {
    Names numbers;
    for (int i = 0; i < size_; ++i) numbers.push_back(absl::StrCat(Pick(-9, 9)));
    return Define(scope, array_, absl::StrCat("constant({", absl::StrJoin(numbers, ", "), "})"));
  }

  void AddParameter(Scope& entry, int number) {
    const std::string parameter = absl::StrCat("parameter(", number, ")");
    if (Chance(70)) {
      AddArray(entry, parameter);
      arguments_.push_back({entry.arrays.back(), absl::StrCat(number, ", {}")});
      return;
    }
    const int count = Pick(1, 3);
    const std::string tuple = Define(entry, TupleOf(count), parameter);
    for (int i = 0; i < count; ++i) {
      AddElements(entry, tuple, i, 1);
      arguments_.push_back({entry.arrays.back(), absl::StrCat(number, ", {", i, "}")});
    }
  }

  void AddInstructions(Scope& scope, int count) {
    for (int i = 0; i < count; ++i) {
      const int kind = Pick(0, scope.depth < kMostDepth ? 16 : 9);
      if (kind <= 1) {
        AddElementwise(scope);
      } else if (kind == 2) {
        AddArray(scope, absl::StrCat("reverse(", PickArray(scope), "), dimensions={0}"));
      } else if (kind <= 4) {
        AddUpdate(scope);
      } else if (kind == 5) {
        AddScatter(scope);
      } else if (kind == 6) {
        AddView(scope);
      } else if (kind <= 8) {
        AddFusion(scope);
      } else if (kind == 9) {
        AddCustomCall(scope);
      } else if (kind <= 12) {
        AddLoop(scope);
      } else if (kind <= 14) {
        AddConditional(scope);
      } else if (kind == 15) {
        AddCall(scope);
      } else {
        AddAsync(scope);
      }
    }
  }

  void AddElementwise(Scope& scope) {
    if (Chance(50)) return AddArray(scope, absl::StrCat("negate(", PickArray(scope), ")"));
    AddArray(scope, absl::StrCat("add(", absl::StrJoin(PickArrays(scope, 2), ", "), ")"));
  }

  void AddUpdate(Scope& scope) {
    const std::string start = Define(scope, "s32[]", absl::StrCat("constant(", Pick(0, 9), ")"));
    const std::string part = Define(scope, "s32[3]", absl::StrCat("dynamic-slice(", PickArray(scope), ", ",
                                                                  scope.number, "), dynamic_slice_sizes={3}"));
    AddArray(scope, absl::StrCat("dynamic-update-slice(", PickArray(scope), ", ", part, ", ", start, ")"));
  }

  void AddScatter(Scope& scope) {
    const int count = Pick(1, 2);
    const std::string combiner = NewName();
    Names parameters, first;
    std::string text;
    for (int i = 0; i < 2 * count; ++i) {
      parameters.push_back(NewName());
      text += Line(parameters.back(), "s32[]", absl::StrCat("parameter(", i, ")"));
    }
    for (int i = 0; i < count; ++i) {
      first.push_back(NewName());
      text += Line(first.back(), "s32[]", absl::StrCat("add(", parameters[i], ", ", parameters[count + i], ")"));
    }
    absl::StrAppend(&computations_, combiner, " {\n", text, Root(first, "s32[]"), "}\n");
    const std::string indices = Define(scope, "s32[3]", "constant({1, 5, 1})");
    Names updates;
    for (int i = 0; i < count; ++i) {
      updates.push_back(
          Define(scope, "s32[3]", absl::StrCat("slice(", PickArray(scope), "), slice={[", i, ":", i + 3, "]}")));
    }
    const std::string scatter = absl::StrCat(
        "scatter(", absl::StrJoin(PickArrays(scope, count), ", "), ", ", indices, ", ", absl::StrJoin(updates, ", "),
        "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=",
        combiner);
    if (count == 1) return AddArray(scope, scatter);
    AddElements(scope, Define(scope, TupleOf(count), scatter), 0, count);
  }

  void AddView(Scope& scope) {
    const std::string array = PickArray(scope);
    const std::string other = PickArray(scope);
    switch (Pick(0, 3)) {
      case 0:
        return AddArray(scope, absl::StrCat("copy(", array, ")"));
      case 1: {
        const std::string view = Define(scope, rows_, absl::StrCat("bitcast(", array, ")"));
        const std::string made = Define(scope, rows_, absl::StrCat("negate(", view, ")"));
        return AddArray(scope, absl::StrCat("bitcast(", made, ")"));
      }
      case 2: {
        const std::string tuple = Define(scope, TupleOf(2), absl::StrCat("tuple(", array, ", ", other, ")"));
        return AddElements(scope, Define(scope, TupleOf(2), absl::StrCat("opt-barrier(", tuple, ")")), 0, 2);
      }
      default:
        scope.arrays.push_back(Constant(scope));
    }
  }

  // Everything that computes an array from another, element by element or not.
  std::string FusedValue(Scope& body) {
    const std::string x = PickFrom(body.arrays);
    const std::string y = PickFrom(body.arrays);
    const int cut = Pick(1, size_ - 1);
    switch (Pick(0, 7)) {
      case 0:
        return Define(body, array_, absl::StrCat("negate(", x, ")"));
      case 1:
        return Define(body, array_, absl::StrCat("add(", x, ", ", y, ")"));
      case 2:
        return Define(body, array_, absl::StrCat("reverse(", x, "), dimensions={0}"));
      case 3: {
        const std::string zero = Define(body, "s32[]", "constant(7)");
        const std::string part =
            Define(body, absl::StrCat("s32[", cut, "]"), absl::StrCat("slice(", x, "), slice={[0:", cut, "]}"));
        const int low = Chance(50) ? size_ - cut : 0;
        return Define(body, array_,
                      absl::StrCat("pad(", part, ", ", zero, "), padding=", low, "_", size_ - cut - low));
      }
      case 4: {
        const std::string left =
            Define(body, absl::StrCat("s32[", size_ - cut, "]"),
                   absl::StrCat("slice(", x, "), slice={[", cut, ":", size_, "]}"));
        const std::string right =
            Define(body, absl::StrCat("s32[", cut, "]"), absl::StrCat("slice(", y, "), slice={[0:", cut, "]}"));
        return Define(body, array_, absl::StrCat("concatenate(", left, ", ", right, "), dimensions={0}"));
      }
      case 5: {
        const std::string from = Define(body, "s32[]", absl::StrCat("constant(", Pick(0, 8), ")"));
        const std::string to = Define(body, "s32[]", absl::StrCat("constant(", Pick(0, 8), ")"));
        const std::string part =
            Define(body, "s32[4]", absl::StrCat("dynamic-slice(", y, ", ", from, "), dynamic_slice_sizes={4}"));
        return Define(body, array_, absl::StrCat("dynamic-update-slice(", x, ", ", part, ", ", to, ")"));
      }
      case 6: {
        const std::string matrix = Define(body, rows_, absl::StrCat("reshape(", x, ")"));
        const std::string turned = Define(body, absl::StrCat("s32[", size_ / 3, ",3]"),
                                          absl::StrCat("transpose(", matrix, "), dimensions={1,0}"));
        return Define(body, array_, absl::StrCat("reshape(", turned, ")"));
      }
      default: {
        const std::string part = Define(body, "s32[3]", absl::StrCat("slice(", x, "), slice={[2:5]}"));
        const std::string rows = Define(body, rows_, absl::StrCat("broadcast(", part, "), dimensions={0}"));
        const std::string flat = Define(body, array_, absl::StrCat("reshape(", rows, ")"));
        return Define(body, array_, absl::StrCat("add(", flat, ", ", y, ")"));
      }
    }
  }

  // Its results take the memory of its operands, in any combination.
  void AddFusion(Scope& scope) {
    Scope body;
    const int operands = Pick(1, 3);
    const int results = Pick(1, 3);
    for (int i = 0; i < operands; ++i) {
      body.arrays.push_back(Define(body, array_, absl::StrCat("parameter(", i, ")")));
    }
    for (int i = Pick(1, 3); i > 0; --i) body.arrays.push_back(FusedValue(body));
    Names made;
    for (int i = 0; i + 1 < results; ++i) made.push_back(PickFrom(body.arrays));
    made.push_back(FusedValue(body));
    // What has no users must not be there: everything flows into the last result.
    std::string sum = made.back();
    for (const std::string& array : body.arrays) {
      sum = Define(body, array_, absl::StrCat("subtract(", sum, ", ", array, ")"));
    }
    made.back() = sum;
    const std::string name = NewName();
    absl::StrAppend(&computations_, name, " {\n", body.text, Root(made, array_), "}\n");
    Names aliases;
    std::vector<bool> taken(operands, false);
    for (int i = 0; i < results; ++i) {
      const int operand = Pick(0, operands - 1);
      if (taken[operand] || Chance(30)) continue;
      taken[operand] = true;
      aliases.push_back(absl::StrCat(results == 1 ? "{}" : absl::StrCat("{", i, "}"), ": (", operand, ", {})"));
    }
    std::string fusion =
        absl::StrCat("fusion(", absl::StrJoin(PickArrays(scope, operands), ", "), "), kind=kLoop, calls=", name);
    if (!aliases.empty()) {
      absl::StrAppend(&fusion, ", output_to_operand_aliasing={", absl::StrJoin(aliases, ", "), "}");
    }
    if (results == 1) return AddArray(scope, fusion);
    AddElements(scope, Define(scope, TupleOf(results), fusion), 0, results);
  }

  void AddCustomCall(Scope& scope) {
    const char* const aliasing = Chance(70) ? ", output_to_operand_aliasing={{}: (0, {})}" : "";
    AddArray(scope,
             absl::StrCat("custom-call(", PickArray(scope), "), custom_call_target=\"MoveToHost\"", aliasing));
  }

  // A computation of one tuple: `count` arrays after a number.
  Scope Callee(const Scope& caller, int count, std::string* parameter) {
    Scope callee;
    callee.depth = caller.depth + 1;
    const std::string shape = absl::StrCat("(s32[], ", absl::StrJoin(Names(count, array_), ", "), ")");
    *parameter = Define(callee, shape, "parameter(0)");
    callee.number = Define(callee, "s32[]", absl::StrCat("get-tuple-element(", *parameter, "), index=0"));
    AddElements(callee, *parameter, 1, count);
    return callee;
  }

  std::string State(int count) {
    return absl::StrCat("(s32[], ", absl::StrJoin(Names(count, array_), ", "), ")");
  }

  void AddLoop(Scope& scope) {
    const int count = Pick(1, 3);
    std::string state;
    Scope body = Callee(scope, count, &state);
    AddInstructions(body, Pick(0, 3));
    const std::string one = Define(body, "s32[]", "constant(1)");
    const std::string next = Define(body, "s32[]", absl::StrCat("add(", body.number, ", ", one, ")"));
    const std::string body_name = NewName();
    absl::StrAppend(&computations_, body_name, " {\n", body.text,
                    Line("ROOT " + NewName(), State(count),
                         absl::StrCat("tuple(", next, ", ", absl::StrJoin(PickArrays(body, count), ", "), ")")),
                    "}\n");
    Scope condition = Callee(scope, count, &state);
    condition.depth = kMostDepth;
    if (Chance(30)) AddInstructions(condition, 1);
    const std::string limit = Define(condition, "s32[]", absl::StrCat("constant(", Pick(0, 5), ")"));
    const std::string condition_name = NewName();
    absl::StrAppend(&computations_, condition_name, " {\n", condition.text,
                    Line("ROOT " + NewName(), "pred[]",
                         absl::StrCat("compare(", condition.number, ", ", limit, "), direction=LT")),
                    "}\n");
    const std::string start = Define(scope, "s32[]", absl::StrCat("constant(", Pick(0, 2), ")"));
    const std::string initial =
        Define(scope, State(count),
               absl::StrCat("tuple(", start, ", ", absl::StrJoin(PickArrays(scope, count), ", "), ")"));
    const std::string loop = Define(
        scope, State(count),
        absl::StrCat("while(", initial, "), condition=", condition_name, ", body=", body_name));
    AddElements(scope, loop, 1, count);
  }

  void AddConditional(Scope& scope) {
    const int results = Pick(1, 3);
    Names branches, arguments;
    for (int i = Pick(2, 3); i > 0; --i) {
      const int count = Pick(1, 3);
      std::string parameter;
      Scope branch = Callee(scope, count, &parameter);
      AddInstructions(branch, Pick(0, 3));
      branches.push_back(NewName());
      absl::StrAppend(&computations_, branches.back(), " {\n", branch.text,
                      Line("ROOT " + NewName(), TupleOf(results),
                           absl::StrCat("tuple(", absl::StrJoin(PickArrays(branch, results), ", "), ")")),
                      "}\n");
      arguments.push_back(Define(scope, State(count),
                                 absl::StrCat("tuple(", scope.number, ", ",
                                              absl::StrJoin(PickArrays(scope, count), ", "), ")")));
    }
    const std::string conditional =
        Define(scope, TupleOf(results),
               absl::StrCat("conditional(", scope.number, ", ", absl::StrJoin(arguments, ", "),
                            "), branch_computations={", absl::StrJoin(branches, ", "), "}"));
    AddElements(scope, conditional, 0, results);
  }

  // The callee, which results in `results` arrays.
  std::string Function(const Scope& caller, int count, int results) {
    Scope callee;
    callee.depth = caller.depth + 1;
    for (int i = 0; i < count; ++i) AddArray(callee, absl::StrCat("parameter(", i, ")"));
    callee.number = Define(callee, "s32[]", absl::StrCat("constant(", Pick(0, 3), ")"));
    AddInstructions(callee, Pick(0, 3));
    const std::string name = NewName();
    absl::StrAppend(&computations_, name, " {\n", callee.text,
                    Line("ROOT " + NewName(), TupleOf(results),
                         absl::StrCat("tuple(", absl::StrJoin(PickArrays(callee, results), ", "), ")")),
                    "}\n");
    return name;
  }

  void AddCall(Scope& scope) {
    const int count = Pick(1, 3);
    const int results = Pick(1, 3);
    const std::string callee = Function(scope, count, results);
    AddElements(scope,
                Define(scope, TupleOf(results),
                       absl::StrCat("call(", absl::StrJoin(PickArrays(scope, count), ", "), "), to_apply=", callee)),
                0, results);
  }

  void AddAsync(Scope& scope) {
    const int count = Pick(1, 2);
    const int results = Pick(1, 2);
    const std::string callee = Function(scope, count, results);
    const std::string start =
        Define(scope, absl::StrCat("(", TupleOf(count), ", ", TupleOf(results), ", s32[])"),
               absl::StrCat("async-start(", absl::StrJoin(PickArrays(scope, count), ", "), "), calls=", callee));
    if (Chance(50)) AddElementwise(scope);
    if (Chance(50)) AddUpdate(scope);
    AddElements(scope, Define(scope, TupleOf(results), absl::StrCat("async-done(", start, ")")), 0, results);
  }

  // Results that are arguments, constants and one another are as welcome as others. Notes their places.
  std::string WriteRoot(Scope& entry) {
    const int count = Pick(1, 4);
    Names results;
    for (int i = 0; i < count; ++i) {
      const Argument& argument = arguments_[Pick(0, static_cast<int>(arguments_.size()) - 1)];
      results.push_back(Chance(15) ? argument.array : PickArray(entry));
    }
    if (count == 1 && Chance(50)) {
      outputs_ = {"{}"};
      return Line("ROOT " + NewName(), array_, absl::StrCat("copy(", results[0], ")"));
    }
    if (count > 2 && Chance(30)) {
      const std::string inner =
          Define(entry, TupleOf(2), absl::StrCat("tuple(", results[0], ", ", results[1], ")"));
      outputs_ = {"{0,0}", "{0,1}"};
      for (int i = 2; i < count; ++i) outputs_.push_back(absl::StrCat("{", i - 1, "}"));
      results.erase(results.begin(), results.begin() + 2);
      const std::string rest = absl::StrJoin(results, ", ");
      return Line("ROOT " + NewName(),
                  absl::StrCat("(", TupleOf(2), ", ", absl::StrJoin(Names(results.size(), array_), ", "), ")"),
                  absl::StrCat("tuple(", inner, ", ", rest, ")"));
    }
    for (int i = 0; i < count; ++i) outputs_.push_back(absl::StrCat("{", i, "}"));
    return Line("ROOT " + NewName(), TupleOf(count), absl::StrCat("tuple(", absl::StrJoin(results, ", "), ")"));
  }

  std::string Header() {
    Names aliases, donors;
    std::vector<bool> taken(arguments_.size(), false);
    const int must = Pick(0, 2) * 50;
    for (const std::string& output : outputs_) {
      const int argument = Pick(0, static_cast<int>(arguments_.size()) - 1);
      if (taken[argument] || Chance(20)) continue;
      taken[argument] = true;
      aliases.push_back(
          absl::StrCat(output, ": (", arguments_[argument].place, ", ", Chance(must) ? "must" : "may", "-alias)"));
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      if (!taken[i] && Chance(40)) donors.push_back(absl::StrCat("(", arguments_[i].place, ")"));
    }
    std::string header;
    if (!aliases.empty()) absl::StrAppend(&header, ", input_output_alias={ ", absl::StrJoin(aliases, ", "), " }");
    if (!donors.empty()) absl::StrAppend(&header, ", buffer_donor={ ", absl::StrJoin(donors, ", "), " }");
    return header;
  }

  std::string TupleOf(size_t count) const { return TupleShape(count, array_); }

  std::mt19937_64 random_;
  const int size_;
  const std::string array_;
  const std::string rows_;  // the same elements
  int names_ = 0;
  std::string computations_;
  std::vector<Argument> arguments_;
  Names outputs_;  // indices of the result's leaves
};

}  // namespace

std::string AliasingProgram(uint64_t seed) { return Writer(seed).Write(); }

}  // namespace xla
