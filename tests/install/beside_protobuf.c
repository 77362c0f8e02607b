/* Reads and writes a program as protobuf in a process that has another Protobuf in its global scope: loaded before
 * libhalo if the first argument is "before", after libhalo's first use otherwise.
 *
 *   beside_protobuf before|after LIBHALO FOREIGN_PROTOBUF
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <halo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char kProgram[] = "HloModule m\nENTRY e { ROOT c = f32[2] constant({1, 2}) }\n";

static void* halo;

/* What `name` is in libhalo; writing through a pointer to it is what ISO C has for functions from dlsym. */
static void find(const char* name, void* function) {
  void* const found = dlsym(halo, name);
  memcpy(function, &found, sizeof(found));
}

static int round_trip(void) {
  halo_status* (*load)(const void*, size_t, const halo_load_options*, halo_module**);
  halo_status* (*to_proto)(const halo_module*, halo_proto_encoding, char**, size_t*);
  const char* (*message)(const halo_status*);
  const char* (*format)(const halo_module*);
  find("halo_module_load", &load);
  find("halo_module_to_proto", &to_proto);
  find("halo_status_message", &message);
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
  if (error != NULL) fprintf(stderr, "%s\n", message(error));
  return error == NULL;
}

static int load_globally(const char* path) {
  if (dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL) return 1;
  fprintf(stderr, "%s\n", dlerror());
  return 0;
}

/* Whether everybody finds a Protobuf. */
static int has_global_protobuf(void) {
  return dlsym(dlopen(NULL, RTLD_LAZY), "_ZN6google8protobuf7Message8CopyFromERKS1_") != NULL;
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
    if (!round_trip()) return 1;
    if (has_global_protobuf()) return fprintf(stderr, "libhalo shows its Protobuf to everybody\n"), 1;
    if (!load_globally(argv[3])) return 1;
  }
  return round_trip() ? 0 : 1;
}
