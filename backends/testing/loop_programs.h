// Programs with loops and branches whose bodies are small: how many iterations they take depends on their arguments,
// which are small whole numbers, and their results are exact.
#ifndef BACKENDS_TESTING_LOOP_PROGRAMS_H_
#define BACKENDS_TESTING_LOOP_PROGRAMS_H_

namespace xla {

struct LoopProgram {
  const char* name;
  const char* text;
};

inline constexpr LoopProgram kLoopPrograms[] = {
    {"no iteration, one or several, by an argument", R"(HloModule m
body { p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=1 x = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1) next = s32[] add(i, one) f = f32[] convert(i) y = f32[] add(x, f) z = f32[] multiply(y, y)
  w = f32[] minimum(z, f32[] constant(1000))
  ROOT t = (s32[], s32[], f32[]) tuple(next, n, w) }
cond { p = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=1
  ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) x = f32[] parameter(1) zero = s32[] constant(0)
  t = (s32[], s32[], f32[]) tuple(zero, n, x)
  ROOT w = (s32[], s32[], f32[]) while(t), condition=cond, body=body })"},

    {"scalars of all kinds that change places", R"(HloModule m
body { p = (s32[], f32[], f32[], pred[], c64[], bf16[], u8[], f64[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  a = f32[] get-tuple-element(p), index=1 b = f32[] get-tuple-element(p), index=2
  k = pred[] get-tuple-element(p), index=3 c = c64[] get-tuple-element(p), index=4
  h = bf16[] get-tuple-element(p), index=5 u = u8[] get-tuple-element(p), index=6
  d = f64[] get-tuple-element(p), index=7 n = s32[] get-tuple-element(p), index=8
  next = s32[] add(i, s32[] constant(1))
  l = pred[] not(k)
  e = c64[] add(c, c64[] constant((1, 2)))
  g = bf16[] add(h, bf16[] constant(1))
  v = u8[] add(u, u8[] constant(100))
  f = f64[] subtract(d, f64[] constant(3))
  ROOT t = (s32[], f32[], f32[], pred[], c64[], bf16[], u8[], f64[], s32[]) tuple(next, b, a, l, e, g, v, f, n) }
cond { p = (s32[], f32[], f32[], pred[], c64[], bf16[], u8[], f64[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=8
  ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) a = f32[] parameter(1) b = f32[] parameter(2) k = pred[] parameter(3)
  c = c64[] parameter(4) h = bf16[] parameter(5) u = u8[] parameter(6) d = f64[] parameter(7)
  zero = s32[] constant(-2)
  t = (s32[], f32[], f32[], pred[], c64[], bf16[], u8[], f64[], s32[]) tuple(zero, a, b, k, c, h, u, d, n)
  ROOT w = (s32[], f32[], f32[], pred[], c64[], bf16[], u8[], f64[], s32[]) while(t), condition=cond, body=body })"},

    {"arrays that change places and shift", R"(HloModule m
body { p = (s32[], f32[8], f32[8], f32[5], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 a = f32[8] get-tuple-element(p), index=1
  b = f32[8] get-tuple-element(p), index=2 c = f32[5] get-tuple-element(p), index=3
  n = s32[] get-tuple-element(p), index=4
  next = s32[] add(i, s32[] constant(1))
  r = f32[8] reverse(a), dimensions={0}
  s = f32[8] add(r, b)
  head = f32[4] slice(c), slice={[0:4]}
  last = f32[1] slice(c), slice={[4:5]}
  d = f32[5] concatenate(last, head), dimensions={0}
  ROOT t = (s32[], f32[8], f32[8], f32[5], s32[]) tuple(next, b, s, d, n) }
cond { p = (s32[], f32[8], f32[8], f32[5], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=4
  ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) a = f32[8] parameter(1) b = f32[8] parameter(2) c = f32[5] parameter(3)
  zero = s32[] constant(-3) t = (s32[], f32[8], f32[8], f32[5], s32[]) tuple(zero, a, b, c, n)
  ROOT w = (s32[], f32[8], f32[8], f32[5], s32[]) while(t), condition=cond, body=body })"},

    {"a large array, of which iterations update a part", R"(HloModule m
body { p = (s32[], f32[100000], f32[2,2], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 x = f32[100000] get-tuple-element(p), index=1
  m = f32[2,2] get-tuple-element(p), index=2 n = s32[] get-tuple-element(p), index=3
  next = s32[] add(i, s32[] constant(1))
  at = s32[] multiply(i, s32[] constant(30000))
  part = f32[3] dynamic-slice(x, at), dynamic_slice_sizes={3}
  more = f32[3] add(part, f32[3] constant({1, 2, 3}))
  y = f32[100000] dynamic-update-slice(x, more, at)
  k = f32[2,2] dot(m, f32[2,2] constant({{0, 1}, {1, 1}})), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[100000], f32[2,2], s32[]) tuple(next, y, k, n) }
cond { p = (s32[], f32[100000], f32[2,2], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=3
  ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) x = f32[100000] parameter(1) m = f32[2,2] parameter(2)
  zero = s32[] constant(-2) t = (s32[], f32[100000], f32[2,2], s32[]) tuple(zero, x, m, n)
  ROOT w = (s32[], f32[100000], f32[2,2], s32[]) while(t), condition=cond, body=body })"},

    {"a loop in a loop, and a tuple in the state", R"(HloModule m
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] add(a, b) }
inner { p = (s32[], s32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = s32[6] get-tuple-element(p), index=1 next = s32[] add(i, s32[] constant(1))
  s = s32[] reduce(x, i), dimensions={0}, to_apply=plus
  u = s32[1] reshape(s) y = s32[6] dynamic-update-slice(x, u, i)
  ROOT t = (s32[], s32[6]) tuple(next, y) }
inner_cond { p = (s32[], s32[6]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(40)), direction=LT }
body { p = (s32[], (s32[6], s32[])) parameter(0)
  i = s32[] get-tuple-element(p), index=0 q = (s32[6], s32[]) get-tuple-element(p), index=1
  x = s32[6] get-tuple-element(q), index=0 n = s32[] get-tuple-element(q), index=1
  start = (s32[], s32[6]) tuple(s32[] constant(0), x)
  w = (s32[], s32[6]) while(start), condition=inner_cond, body=inner
  y = s32[6] get-tuple-element(w), index=1 next = s32[] add(i, s32[] constant(1))
  r = (s32[6], s32[]) tuple(y, n)
  ROOT t = (s32[], (s32[6], s32[])) tuple(next, r) }
cond { p = (s32[], (s32[6], s32[])) parameter(0)
  i = s32[] get-tuple-element(p), index=0 q = (s32[6], s32[]) get-tuple-element(p), index=1
  n = s32[] get-tuple-element(q), index=1 ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) x = s32[6] parameter(1) q = (s32[6], s32[]) tuple(x, n)
  t = (s32[], (s32[6], s32[])) tuple(s32[] constant(0), q)
  ROOT w = (s32[], (s32[6], s32[])) while(t), condition=cond, body=body })"},

    {"branches in a loop, by index and by predicate", R"(HloModule m
zero_th { p = (f32[], f32[3]) parameter(0) a = f32[] get-tuple-element(p), index=0 x = f32[3] get-tuple-element(p), index=1
  b = f32[] add(a, f32[] constant(1)) ROOT t = (f32[], f32[3]) tuple(b, x) }
first { p = (f32[], f32[3]) parameter(0) a = f32[] get-tuple-element(p), index=0 x = f32[3] get-tuple-element(p), index=1
  y = f32[3] add(x, x) ROOT t = (f32[], f32[3]) tuple(a, y) }
second { p = (f32[], f32[3]) parameter(0) a = f32[] get-tuple-element(p), index=0 x = f32[3] get-tuple-element(p), index=1
  b = f32[] subtract(a, f32[] constant(2)) n = f32[3] negate(x) ROOT t = (f32[], f32[3]) tuple(b, n) }
yes { a = f32[] parameter(0) ROOT n = f32[] negate(a) }
no { a = f32[] parameter(0) ROOT s = f32[] add(a, f32[] constant(5)) }
body { p = (s32[], f32[], f32[3], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 a = f32[] get-tuple-element(p), index=1
  x = f32[3] get-tuple-element(p), index=2 n = s32[] get-tuple-element(p), index=3
  q = (f32[], f32[3]) tuple(a, x)
  c = (f32[], f32[3]) conditional(i, q, q, q), branch_computations={zero_th, first, second}
  b = f32[] get-tuple-element(c), index=0 y = f32[3] get-tuple-element(c), index=1
  k = pred[] compare(b, f32[] constant(2)), direction=GT
  d = f32[] conditional(k, b, b), true_computation=yes, false_computation=no
  next = s32[] add(i, s32[] constant(1))
  ROOT t = (s32[], f32[], f32[3], s32[]) tuple(next, d, y, n) }
cond { p = (s32[], f32[], f32[3], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=3
  ROOT l = pred[] compare(i, n), direction=LT }
ENTRY e { n = s32[] parameter(0) a = f32[] parameter(1) x = f32[3] parameter(2)
  t = (s32[], f32[], f32[3], s32[]) tuple(s32[] constant(-3), a, x, n)
  ROOT w = (s32[], f32[], f32[3], s32[]) while(t), condition=cond, body=body })"},

    {"a branch with a loop in it", R"(HloModule m
body { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1 r = f32[4] reverse(x), dimensions={0}
  y = f32[4] add(x, r) z = f32[4] minimum(y, f32[4] constant({90, 80, 70, 60}))
  next = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], f32[4]) tuple(next, z) }
cond { p = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(50)), direction=LT }
loops { x = f32[4] parameter(0) t = (s32[], f32[4]) tuple(s32[] constant(0), x)
  w = (s32[], f32[4]) while(t), condition=cond, body=body ROOT y = f32[4] get-tuple-element(w), index=1 }
other { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }
ENTRY e { k = s32[] parameter(0) x = f32[4] parameter(1) y = f32[4] parameter(2)
  ROOT c = f32[4] conditional(k, x, y), branch_computations={loops, other} })"},

    {"a condition over an array", R"(HloModule m
most { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] maximum(a, b) }
body { p = (s32[7], s32[7]) parameter(0) x = s32[7] get-tuple-element(p), index=0
  d = s32[7] get-tuple-element(p), index=1 y = s32[7] add(x, d)
  s = s32[1] slice(d), slice={[6:7]} h = s32[6] slice(d), slice={[0:6]} e = s32[7] concatenate(s, h), dimensions={0}
  ROOT t = (s32[7], s32[7]) tuple(y, e) }
cond { p = (s32[7], s32[7]) parameter(0) x = s32[7] get-tuple-element(p), index=0
  m = s32[] reduce(x, s32[] constant(0)), dimensions={0}, to_apply=most
  ROOT l = pred[] compare(m, s32[] constant(40)), direction=LT }
ENTRY e { x = s32[7] parameter(0) k = s32[7] parameter(1) a = s32[7] abs(k)
  d = s32[7] add(a, s32[7] constant({1, 2, 3, 4, 5, 6, 7}))
  t = (s32[7], s32[7]) tuple(x, d) ROOT w = (s32[7], s32[7]) while(t), condition=cond, body=body })"},

    {"each element by itself, in many iterations", R"(HloModule m
body { p = (s32[], s32[50,21], f32[50,21], s32[50,21], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 x = s32[50,21] get-tuple-element(p), index=1
  y = f32[50,21] get-tuple-element(p), index=2 c = s32[50,21] get-tuple-element(p), index=3
  s = s32[] get-tuple-element(p), index=4 last = f32[] get-tuple-element(p), index=5
  b = s32[50,21] broadcast(s), dimensions={}
  q = s32[50,21] multiply(x, x) r = s32[50,21] add(q, c) v = s32[50,21] xor(r, b)
  k = pred[50,21] compare(v, c), direction=LT f = f32[50,21] convert(k) z = f32[50,21] add(y, f)
  l = f32[50,21] broadcast(last), dimensions={} zz = f32[50,21] maximum(z, l)
  w = s32[] multiply(s, s32[] constant(3)) o = s32[] add(w, i) t0 = f32[] convert(i)
  next = s32[] add(i, s32[] constant(2))
  ROOT t = (s32[], s32[50,21], f32[50,21], s32[50,21], s32[], f32[]) tuple(next, v, zz, c, o, t0) }
cond { p = (s32[], s32[50,21], f32[50,21], s32[50,21], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0 ROOT l = pred[] compare(i, s32[] constant(151)), direction=LT }
ENTRY e { x = s32[50,21] parameter(0) y = f32[50,21] parameter(1) c = s32[50,21] parameter(2) s = s32[] parameter(3)
  t = (s32[], s32[50,21], f32[50,21], s32[50,21], s32[], f32[]) tuple(s32[] constant(0), x, y, c, s, f32[] constant(2))
  ROOT w = (s32[], s32[50,21], f32[50,21], s32[50,21], s32[], f32[]) while(t), condition=cond, body=body })"},
};

}  // namespace xla

#endif  // BACKENDS_TESTING_LOOP_PROGRAMS_H_
