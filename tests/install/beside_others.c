/* Reads and writes a program as protobuf, and computes a convolution on the backend cpu, in a process that has other
 * libraries of the same symbols in its global scope: loaded before libhalo if the first argument is "before", after
 * libhalo's first use otherwise.
 *
 *   beside_others before|after LIBHALO FOREIGN
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <halo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char kProgram[] = "HloModule m\nENTRY e { ROOT c = f32[2] constant({1, 2}) }\n";

/* Large enough for oneDNN: each element is a sum of 9 * 16 products. */
static const char kConvolution[] =
    "HloModule convolution\n"
    "ENTRY e {\n"
    "  x = f32[2,30,30,16] parameter(0)\n"
    "  w = f32[3,3,16,32] parameter(1)\n"
    "  ROOT c = f32[2,28,28,32] convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f\n"
    "}\n";

static void* halo;

/* What `name` is in libhalo; writing through a pointer to it is what ISO C has for functions from dlsym. */
static void find(const char* name, void* function) {
  void* const found = dlsym(halo, name);
  memcpy(function, &found, sizeof(found));
}

/* Whether there was no error; says what it was. */
static int fine(const halo_status* error) {
  const char* (*message)(const halo_status*);
  find("halo_status_message", &message);
  if (error != NULL) fprintf(stderr, "%s\n", message(error));
  return error == NULL;
}

static int round_trip(void) {
  halo_status* (*load)(const void*, size_t, const halo_load_options*, halo_module**);
  halo_status* (*to_proto)(const halo_module*, halo_proto_encoding, char**, size_t*);
  const char* (*format)(const halo_module*);
  find("halo_module_load", &load);
  find("halo_module_to_proto", &to_proto);
  find("halo_module_format", &format);
  halo_module* module = NULL;
  halo_status* error = load(kProgram, sizeof(kProgram) - 1, NULL, &module);
  for (halo_proto_encoding encoding = HALO_PROTO_BINARY; error == NULL && encoding <= HALO_PROTO_TEXT; ++encoding) {
    char* data = NULL;
    size_t size = 0;
    error = to_proto(module, encoding, &data, &size);
    if (error == NULL) error = load(data, size, NULL, &module);
    if (error == NULL) printf("%s\n", format(module));
  }
  return fine(error);
}

static int convolve(void) {
  halo_status* (*load)(const void*, size_t, const halo_load_options*, halo_module**);
  halo_status* (*create)(const char*, const halo_client_options*, halo_client**);
  halo_status* (*compile)(halo_client*, const halo_module*, const halo_compile_options*, halo_executable**);
  halo_status* (*run)(halo_executable*, const halo_array*, size_t, const halo_array*, size_t,
                      const halo_execute_options*);
  find("halo_module_load", &load);
  find("halo_client_create", &create);
  find("halo_client_compile", &compile);
  find("halo_executable_run", &run);
  static float x[2 * 30 * 30 * 16], w[3 * 3 * 16 * 32], sums[2 * 28 * 28 * 32];
  const int64_t x_size[] = {2, 30, 30, 16}, w_size[] = {3, 3, 16, 32}, sums_size[] = {2, 28, 28, 32};
  const halo_array arguments[] = {{x, sizeof(x), HALO_F32, 4, x_size, NULL}, {w, sizeof(w), HALO_F32, 4, w_size, NULL}};
  const halo_array result = {sums, sizeof(sums), HALO_F32, 4, sums_size, NULL};
  for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); ++i) x[i] = 2;
  for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); ++i) w[i] = 3;
  halo_module* module = NULL;
  halo_client* client = NULL;
  halo_executable* program = NULL;
  halo_status* error = load(kConvolution, sizeof(kConvolution) - 1, NULL, &module);
  if (error == NULL) error = create("cpu", NULL, &client);
  if (error == NULL) error = compile(client, module, NULL, &program);
  if (error == NULL) error = run(program, arguments, 2, &result, 1, NULL);
  if (!fine(error)) return 0;
  for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); ++i) {
    if (sums[i] != 9 * 16 * 6) return fprintf(stderr, "a sum is %g\n", sums[i]), 0;
  }
  return 1;
}

static int load_globally(const char* path) {
  if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL) return 1;
  fprintf(stderr, "%s\n", dlerror());
  return 0;
}

/* Whether all libraries find a Protobuf or a oneDNN. */
static int has_global_symbols(void) {
  void* const global_scope = dlopen(NULL, RTLD_LAZY);
  return dlsym(global_scope, "_ZN6google8protobuf7Message8CopyFromERKS1_") != NULL ||
         dlsym(global_scope, "dnnl_primitive_create") != NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int before = strcmp(argv[1], "before") == 0;
  if (before && !load_globally(argv[3])) return 1;
  halo = dlopen(argv[2], RTLD_LAZY | RTLD_GLOBAL);
  if (halo == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  /* LIBHALO may be relative to where we were. */
  if (chdir("/") != 0) return 1;
  if (!before) {
    if (!round_trip() || !convolve()) return 1;
    if (has_global_symbols()) return fprintf(stderr, "libhalo exports the symbols of its libraries\n"), 1;
    if (!load_globally(argv[3])) return 1;
  }
  return round_trip() && convolve() ? 0 : 1;
}
