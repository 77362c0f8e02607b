// Custom calls of LAPACK and XLA, on which thunks work where the plan has put their arrays: without the evaluator, and
// with its results.
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/ops/custom_call_registry.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

// The result on cpu, which is the interpreter's and needs no evaluator.
Literal Check(const std::string& text, const std::vector<Literal>& arguments) {
  SCOPED_TRACE(text);
  const auto client = MakeClient();
  const auto program = CompileText(*client, text);
  EXPECT_TRUE(program->report().fallbacks.empty()) << program->report().ToString();
  Literal result = OrDie(ExecuteOnLiterals(*program, arguments));
  ExpectSame(result, OrDie(RunText(text, arguments)), Alike::kBits);  // both call the same routine
  return result;
}

// ---- LAPACK

struct ElementType {
  const char* letter;
  const char* name;
  const char* real;
  const char* complex;
  bool is_complex;
};
constexpr ElementType kTypes[] = {
    {"s", "f32", "f32", "c64", false},
    {"d", "f64", "f64", "c128", false},
    {"c", "c64", "f32", "c64", true},
    {"z", "c128", "f64", "c128", true},
};

// How matrices lie in memory: two batch dimensions, rows, columns.
constexpr const char* kOrders[] = {"{2,3,1,0}", "{3,2,1,0}", "{0,3,1,2}"};

class Calls {
 public:
  Calls(const ElementType& type, const char* order) : type_(type), order_(order) {}

  // Batches of 3 x 2 m by n matrices of a type.
  std::string Matrix(int m, int n, const char* element = nullptr) const {
    return absl::StrCat(element == nullptr ? type_.name : element, "[3,2,", m, ",", n, "]", order_);
  }
  std::string Vector(int n, const char* element = nullptr) const {
    return absl::StrCat(element == nullptr ? type_.name : element, "[3,2,", n, "]");
  }
  std::string Info() const { return "s32[3,2]"; }

  // The routine of these names for real and complex elements.
  void Check(const char* real_name, const char* complex_name, const std::vector<std::string>& operands,
             const std::vector<std::string>& results, const std::string& config,
             const std::string& aliases = "") const {
    const std::string target =
        absl::StrCat("lapack_", type_.letter, type_.is_complex ? complex_name : real_name, "_ffi");
    CheckTarget(target, operands, results, config, aliases);
  }
  void CheckTarget(const std::string& target, const std::vector<std::string>& operands,
                   const std::vector<std::string>& results, const std::string& config,
                   const std::string& aliases = "") const {
    std::string text = "HloModule m\nENTRY e {\n";
    std::vector<std::string> names;
    std::vector<Literal> arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", operands[i], " parameter(", i, ")\n");
      names.push_back(absl::StrCat("p", i));
    }
    const std::string result = results.size() == 1 ? results[0] : absl::StrCat("(", absl::StrJoin(results, ", "), ")");
    absl::StrAppend(&text, "  ROOT r = ", result, " custom-call(", absl::StrJoin(names, ", "),
                    "), custom_call_target=\"", target, "\", operand_layout_constraints={",
                    absl::StrJoin(operands, ", "), "}", aliases,
                    ", api_version=API_VERSION_TYPED_FFI, backend_config={", config, "}\n}\n");
    const auto module = ModuleFromText(text);
    for (const HloInstruction* parameter : module->entry()->parameters()) {
      arguments.push_back(Values(parameter->shape()));
    }
    xla::Check(text, arguments);
  }

 private:
  // Squares are Hermitian with a heavy diagonal, so that every routine likes them.
  static Literal Values(const Shape& shape) {
    Literal literal = *Literal::Zeros(shape.WithoutLayout());
    switch (shape.element_type()) {
      case F32:
        FillIn<float>(literal);
        break;
      case F64:
        FillIn<double>(literal);
        break;
      case C64:
        FillIn<complex64>(literal);
        break;
      case C128:
        FillIn<complex128>(literal);
        break;
      default:  // free pivots
        break;
    }
    return literal;
  }
  template <typename T>
  static void FillIn(Literal& literal) {
    const Shape& shape = literal.shape();
    T* const data = literal.mutable_data<T>();
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      data[i] = Element<T>(std::sin(1.7 * i + 0.3), std::cos(2.3 * i));
    }
    const int rank = shape.rank();
    if (rank < 2 || shape.dimension(rank - 1) != shape.dimension(rank - 2)) return;
    const int64_t n = shape.dimension(rank - 1);
    for (T* matrix = data; matrix < data + literal.element_count(); matrix += n * n) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) matrix[j * n + i] = Conjugate(matrix[i * n + j]);
        matrix[i * n + i] = T(static_cast<float>(2 * n + i));
      }
    }
  }
  template <typename T>
  static T Element(double real, double imaginary) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real);
    } else {
      return {static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(imaginary)};
    }
  }
  template <typename T>
  static T Conjugate(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return x;
    } else {
      return std::conj(x);
    }
  }

  const ElementType& type_;
  const char* const order_;
};

constexpr char kFirstInPlace[] = ", output_to_operand_aliasing={{0}: (0, {})}";

void CheckFactorizations(const ElementType& type, const Calls& c) {
  const std::string square = c.Matrix(4, 4), tall = c.Matrix(5, 3), info = c.Info();
  c.Check("potrf", "potrf", {square}, {square, info}, "uplo = 76 : ui8", kFirstInPlace);
  c.Check("getrf", "getrf", {tall}, {tall, c.Vector(3, "s32"), info}, "", kFirstInPlace);
  c.Check("geqrf", "geqrf", {tall}, {tall, c.Vector(3)}, "", kFirstInPlace);
  c.Check("geqp3", "geqp3", {tall, c.Vector(3, "s32")}, {tall, c.Vector(3, "s32"), c.Vector(3)}, "",
          ", output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {})}");
  c.Check("gehrd", "gehrd", {square}, {square, c.Vector(3), info}, "high = 4 : i32, low = 1 : i32", kFirstInPlace);
  c.Check("sytrd", "hetrd", {square}, {square, c.Vector(4, type.real), c.Vector(3, type.real), c.Vector(3), info},
          "uplo = 85 : ui8", kFirstInPlace);
}

void CheckReflections(const Calls& c) {
  const std::string tall = c.Matrix(5, 3);
  c.Check("orgqr", "ungqr", {tall, c.Vector(2)}, {tall}, "", ", output_to_operand_aliasing={{}: (0, {})}");
  for (const char* transpose : {"true", "false"}) {
    const std::string config = absl::StrCat(", transpose = ", transpose);
    c.Check("ormqr", "unmqr", {tall, c.Vector(3), c.Matrix(5, 2)}, {c.Matrix(5, 2)}, "left = true" + config,
            ", output_to_operand_aliasing={{}: (2, {})}");
    c.Check("ormqr", "unmqr", {tall, c.Vector(2), c.Matrix(4, 5)}, {c.Matrix(4, 5)}, "left = false" + config);
  }
}

void CheckSolvers(const Calls& c) {
  const std::string d = c.Vector(5), b = c.Matrix(5, 2);
  c.Check("trsm", "trsm", {c.Matrix(5, 5), b}, {b},
          "diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8",
          ", output_to_operand_aliasing={{}: (1, {})}");
  c.Check("gtsv", "gtsv", {d, d, d, b}, {d, d, d, b, c.Info()}, "",
          ", output_to_operand_aliasing={{0}: (0, {}), {1}: (1, {}), {2}: (2, {}), {3}: (3, {})}");
  // Results in places of operands that are read later.
  c.Check("gtsv", "gtsv", {d, d, d, b}, {d, d, d, b, c.Info()}, "",
          ", output_to_operand_aliasing={{0}: (2, {}), {2}: (0, {})}");
  c.CheckTarget("tridiagonal_solve_perturbed_ffi", {d, d, d, b}, {b}, "");
}

void CheckDecompositions(const ElementType& type, const Calls& c) {
  const std::string square = c.Matrix(4, 4), wide = c.Matrix(3, 5), info = c.Info();
  for (const char* mode : {"86", "78"}) {
    c.Check("syevd", "heevd", {square}, {square, c.Vector(4, type.real), info},
            absl::StrCat("mode = ", mode, " : ui8, uplo = 76 : ui8"), kFirstInPlace);
    std::vector<std::string> values(type.is_complex ? 1 : 2, c.Vector(4));
    std::vector<std::string> results = values;
    results.insert(results.end(), 2, c.Matrix(4, 4, type.complex));
    results.push_back(info);
    c.Check("geev", "geev", {square}, results,
            absl::StrCat("compute_left = 78 : ui8, compute_right = ", mode, " : ui8"));
    results = {square, square};
    results.insert(results.end(), values.begin(), values.end());
    results.insert(results.end(), 2, info);
    c.Check("gees", "gees", {square}, results, absl::StrCat("mode = ", mode, " : ui8, sort = 78 : ui8"), kFirstInPlace);
  }
  for (const char* routine : {"gesdd", "gesvd"}) {
    const std::string values = c.Vector(3, type.real);
    c.Check(routine, routine, {wide}, {wide, values, c.Matrix(3, 3), c.Matrix(5, 5), info}, "mode = 65 : ui8",
            kFirstInPlace);
    c.Check(routine, routine, {wide}, {wide, values, c.Matrix(3, 3), wide, info}, "mode = 83 : ui8");
    c.Check(routine, routine, {wide}, {wide, values, c.Matrix(3, 3), c.Matrix(5, 5), info}, "mode = 78 : ui8");
  }
}

TEST(LapackCalls, OfEveryTypeInEveryOrderOfMemory) {
  for (const ElementType& type : kTypes) {
    for (const char* order : kOrders) {
      const Calls calls(type, order);
      CheckFactorizations(type, calls);
      CheckReflections(calls);
      CheckSolvers(calls);
      CheckDecompositions(type, calls);
    }
  }
}

// So many that several threads share them.
TEST(LapackCalls, OfManyMatrices) {
  Literal a = *Literal::Zeros(Shape::Array(F64, {96, 20, 20}));
  for (int64_t i = 0; i < a.element_count(); ++i) a.mutable_data<double>()[i] = std::sin(1.3 * i * i);
  Check(R"(HloModule m
ENTRY e { a = f64[96,20,20]{1,2,0} parameter(0)
  svd = (f64[96,20,20]{1,2,0}, f64[96,20], f64[96,20,20]{1,2,0}, f64[96,20,20]{1,2,0}, s32[96]) custom-call(a),
    custom_call_target="lapack_dgesdd_ffi", operand_layout_constraints={f64[96,20,20]{1,2,0}},
    api_version=API_VERSION_TYPED_FFI, backend_config={mode = 65 : ui8}
  eig = (f64[96,20], f64[96,20], c128[96,20,20]{1,2,0}, c128[96,20,20]{1,2,0}, s32[96]) custom-call(a),
    custom_call_target="lapack_dgeev_ffi", operand_layout_constraints={f64[96,20,20]{1,2,0}},
    api_version=API_VERSION_TYPED_FFI, backend_config={compute_left = 86 : ui8, compute_right = 86 : ui8}
  qr = (f64[96,20,20]{1,2,0}, f64[96,20]) custom-call(a), custom_call_target="lapack_dgeqrf_ffi",
    operand_layout_constraints={f64[96,20,20]{1,2,0}}, api_version=API_VERSION_TYPED_FFI, backend_config={}
  h = f64[96,20,20]{1,2,0} get-tuple-element(qr), index=0 tau = f64[96,20] get-tuple-element(qr), index=1
  qa = f64[96,20,20]{1,2,0} custom-call(h, tau, a), custom_call_target="lapack_dormqr_ffi",
    operand_layout_constraints={f64[96,20,20]{1,2,0}, f64[96,20]{1,0}, f64[96,20,20]{1,2,0}},
    api_version=API_VERSION_TYPED_FFI, backend_config={left = true, transpose = true}
  s = f64[96,20] get-tuple-element(svd), index=1 u = f64[96,20,20]{1,2,0} get-tuple-element(svd), index=2
  v = c128[96,20,20]{1,2,0} get-tuple-element(eig), index=3
  ROOT t = (f64[96,20], f64[96,20,20]{1,2,0}, c128[96,20,20]{1,2,0}, f64[96,20,20]{1,2,0}) tuple(s, u, v, qa) })",
        {a});
}

TEST(LapackCalls, WithoutElements) {
  const Literal none = *Literal::Zeros(Shape::Array(F32, {2, 3, 0}));
  const Literal qr = Check(R"(HloModule m
ENTRY e { a = f32[2,3,0]{1,2,0} parameter(0)
  ROOT r = (f32[2,3,0]{1,2,0}, f32[2,0]) custom-call(a), custom_call_target="lapack_sgeqrf_ffi",
    operand_layout_constraints={f32[2,3,0]{1,2,0}}, api_version=API_VERSION_TYPED_FFI, backend_config={} })",
                           {none});
  EXPECT_EQ(qr.element(1).element_count(), 0);
}

// A solver that calls LAPACK in every iteration, once through an asynchronous wrapper.
TEST(LapackCalls, InLoopsAndBehindAsynchronousStarts) {
  const Literal a = Literal::FromValues<float>({3, 3}, std::vector<float>{4, 1, 2, 1, 5, 1, 2, 1, 6});
  Check(R"(HloModule m
wrapped { a = f32[3,3]{0,1} parameter(0)
  ROOT r = (f32[3,3]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
    operand_layout_constraints={f32[3,3]{0,1}}, output_to_operand_aliasing={{0}: (0, {})},
    api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8} }
body { s = (s32[], f32[3,3]{0,1}) parameter(0)
  i = s32[] get-tuple-element(s), index=0 a = f32[3,3]{0,1} get-tuple-element(s), index=1
  start = ((f32[3,3]{0,1}), (f32[3,3]{0,1}, s32[])) async-start(a), calls=wrapped
  done = (f32[3,3]{0,1}, s32[]) async-done(start)
  l = f32[3,3]{0,1} get-tuple-element(done), index=0
  qr = (f32[3,3]{0,1}, f32[3]{0}) custom-call(l), custom_call_target="lapack_sgeqrf_ffi",
    operand_layout_constraints={f32[3,3]{0,1}}, output_to_operand_aliasing={{0}: (0, {})},
    api_version=API_VERSION_TYPED_FFI, backend_config={}
  h = f32[3,3]{0,1} get-tuple-element(qr), index=0 tau = f32[3]{0} get-tuple-element(qr), index=1
  next = f32[3,3]{0,1} custom-call(h, tau, a), custom_call_target="lapack_sormqr_ffi",
    operand_layout_constraints={f32[3,3]{0,1}, f32[3]{0}, f32[3,3]{0,1}}, output_to_operand_aliasing={{}: (2, {})},
    api_version=API_VERSION_TYPED_FFI, backend_config={left = true, transpose = true}
  t = f32[3,3]{0,1} transpose(next), dimensions={1,0} sum = f32[3,3]{0,1} add(next, t)
  eights = f32[3,3]{0,1} broadcast(f32[] constant(0.125)), dimensions={} part = f32[3,3]{0,1} multiply(sum, eights)
  scaled = f32[3,3]{0,1} add(a, part)
  ROOT n = (s32[], f32[3,3]{0,1}) tuple(s32[] add(i, s32[] constant(1)), scaled) }
cond { s = (s32[], f32[3,3]{0,1}) parameter(0) i = s32[] get-tuple-element(s), index=0
  ROOT l = pred[] compare(i, s32[] constant(3)), direction=LT }
ENTRY e { a = f32[3,3]{0,1} parameter(0) s = (s32[], f32[3,3]{0,1}) tuple(s32[] constant(0), a)
  ROOT w = (s32[], f32[3,3]{0,1}) while(s), condition=cond, body=body })",
        {a});
}

// ---- XLA's own

TEST(XlaCalls, QrAndItsReflectors) {
  for (const char* type : {"f16", "bf16", "f32", "f64", "c64", "c128"}) {
    const std::string text = absl::StrCat(R"(HloModule m
ENTRY e { x = f32[2,4,3] parameter(0) a = )", type, R"([2,4,3] convert(x)
  qr = ()", type, "[2,4,3], ", type, R"([2,3]) custom-call(a), custom_call_target="Qr"
  h = )", type, R"([2,4,3] get-tuple-element(qr), index=0 tau = )", type, R"([2,3] get-tuple-element(qr), index=1
  q = )", type, R"([2,4,3] custom-call(h, tau), custom_call_target="ProductOfElementaryHouseholderReflectors"
  ROOT t = ()", type, "[2,4,3], ", type, R"([2,4,3]) tuple(h, q) })");
    std::vector<float> values(24);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 7) - 3;
    Check(text, {Literal::FromValues<float>({2, 4, 3}, values)});
  }
}

TEST(XlaCalls, MarksGiveBackTheirOperandInTheLayoutOfTheResult) {
  const Literal x = Literal::FromValues<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  for (const char* target : {"LayoutConstraint", "SetBound", "ShardBarrierFrom", "ShardBarrierTo", "Sharding",
                             "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier"}) {
    const Literal result = Check(absl::StrCat(R"(HloModule m
ENTRY e { x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} custom-call(x), custom_call_target=")", target, R"("
  t = (f32[2,3]{0,1}, f32[2,3]) tuple(y, x)
  u = (f32[2,3], f32[2,3]{0,1}) custom-call(t), custom_call_target=")", target, R"("
  z = f32[2,3] get-tuple-element(u), index=0
  ROOT r = f32[3,2] transpose(z), dimensions={1,0} })"),
                                 {x});
    EXPECT_THAT(result.span<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  }
}

TEST(XlaCalls, AllocateBufferIsZeroEveryTime) {
  const Literal result = Check(R"(HloModule m
body { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[3] get-tuple-element(s), index=1
  b = f32[3] custom-call(), custom_call_target="AllocateBuffer"
  one = f32[1] constant({7}) u = f32[3] dynamic-update-slice(b, one, i) sum = f32[3] add(x, u)
  ROOT n = (s32[], f32[3]) tuple(s32[] add(i, s32[] constant(1)), sum) }
cond { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  ROOT l = pred[] compare(i, s32[] constant(3)), direction=LT }
ENTRY e { b = f32[3] custom-call(), custom_call_target="AllocateBuffer" s = (s32[], f32[3]) tuple(s32[] constant(0), b)
  w = (s32[], f32[3]) while(s), condition=cond, body=body ROOT r = f32[3] get-tuple-element(w), index=1 })",
                               {});
  EXPECT_THAT(result.span<float>(), ElementsAre(7, 7, 7));
}

TEST(XlaCalls, ApproxTopKIsExact) {
  const Literal x = Literal::FromValues<float>({5, 2}, std::vector<float>{5, -1, 2, 0, 9, 7, 2, -3, 4, 8});
  const auto text = [](const char* aggregates, int kept) {
    return absl::StrCat(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e { x = f32[5,2] parameter(0) i = s32[5,2] iota(), iota_dimension=0
  ROOT t = (f32[)", kept, ",2], s32[", kept, R"(,2]) custom-call(x, i, f32[] constant(inf), s32[] constant(-1)),
    custom_call_target="ApproxTopK", called_computations={less}, api_version=API_VERSION_TYPED_FFI,
    backend_config={aggregate_to_topk = )", aggregates, R"(, recall_target = 0.95 : f32, reduction_dim = 0 : i64,
      reduction_input_size_override = -1 : i64, top_k = 2 : i64} })");
  };
  const Literal best = Check(text("true", 2), {x});
  EXPECT_THAT(best.element(0).span<float>(), ElementsAre(2, -3, 2, -1));
  EXPECT_THAT(best.element(1).span<int32_t>(), ElementsAre(1, 3, 3, 0));
  EXPECT_THAT(Check(text("false", 3), {x}).element(0).span<float>(), ElementsAre(2, -3, 2, -1, 4, 0));
}

// ---- A program's own

// Results without elements leave nothing to compute but the effect.
TEST(OwnCalls, RunForTheirEffectAlone) {
  static int calls = 0;
  ASSERT_TRUE(CustomCallRegistry::Global()
                  .Register("test_count_calls",
                            [](const CustomCall& call) -> absl::StatusOr<Literal> {
                              ++calls;
                              const Shape& shape = call.instruction.shape();
                              return shape.IsTuple() ? Literal::Tuple({}) : call.context.Allocate(shape);
                            })
                  .ok());
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[2] parameter(0)
  none = () custom-call(x), custom_call_target="test_count_calls", custom_call_has_side_effect=true
  empty = f32[0] custom-call(x), custom_call_target="test_count_calls", custom_call_has_side_effect=true
  ROOT r = f32[2] negate(x) })");
  OrDie(ExecuteOnLiterals(*program, {Literal::FromValues<float>({2}, std::vector<float>{1, 2})}));
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace xla
