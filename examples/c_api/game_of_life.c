/* Plays Conway's game of life from C: loads the program that JAX wrote, compiles it, and lets a glider fly.
 *
 *   cc game_of_life.c $(pkg-config --cflags --libs halo) -o game_of_life
 *   ./game_of_life ../game_of_life/module.hlo
 *   ./game_of_life ../game_of_life/module.hlo cpu
 */
#include <halo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 24

/* Ends the program if something went wrong. */
static void check(halo_status* error) {
  if (error == NULL) return;
  fprintf(stderr, "%s: %s\n", halo_code_name(halo_status_code(error)), halo_status_message(error));
  halo_status_free(error);
  exit(1);
}

static void print_board(const char* title, const uint8_t board[SIZE][SIZE]) {
  printf("%s\n", title);
  for (int row = 0; row < SIZE; ++row) {
    char line[2 * SIZE + 1] = "";
    for (int column = 0; column < SIZE; ++column) strcat(line, board[row][column] ? " #" : " .");
    puts(line);
  }
}

static void print_signature(const halo_module* module) {
  printf("%s (%s):", halo_module_name(module), halo_module_format(module));
  for (size_t i = 0; i < halo_module_parameter_count(module); ++i) {
    char* shape = NULL;
    check(halo_shape_to_string(halo_module_parameter_shape(module, i), &shape));
    printf(" %s %s", halo_module_parameter_name(module, i), shape);
    halo_free(shape);
  }
  for (size_t i = 0; i < halo_module_result_count(module); ++i) {
    char* shape = NULL;
    check(halo_shape_to_string(halo_module_result_shape(module, i), &shape));
    printf(" -> %s", shape);
    halo_free(shape);
  }
  printf("\n");
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: %s MODULE.hlo [BACKEND]\nBACKEND is one of", argv[0]);
    for (size_t i = 0; i < halo_backend_count(); ++i) fprintf(stderr, " %s", halo_backend_name(i));
    fprintf(stderr, "; interpreter without it\n");
    return 2;
  }
  halo_module* module = NULL;
  check(halo_module_load_file(argv[1], NULL, &module));
  print_signature(module);

  halo_client* client = NULL;
  check(halo_client_create(argc == 3 ? argv[2] : "interpreter", NULL, &client));
  printf("backend %s\n", halo_client_platform_name(client));
  halo_executable* program = NULL;
  check(halo_client_compile(client, module, NULL, &program));
  halo_module_free(module);
  halo_client_free(client);

  uint8_t before[SIZE][SIZE] = {{0}}, after[SIZE][SIZE];
  before[0][1] = before[1][2] = before[2][0] = before[2][1] = before[2][2] = 1;
  const int64_t dimensions[] = {SIZE, SIZE};
  const halo_array argument = {before, sizeof(before), HALO_U8, 2, dimensions, NULL};
  const halo_array result = {after, sizeof(after), HALO_U8, 2, dimensions, NULL};
  print_board("A glider:", (const uint8_t(*)[SIZE])before);
  halo_execution_report report = HALO_EXECUTION_REPORT_INIT;
  halo_execute_options options = HALO_EXECUTE_OPTIONS_INIT;
  options.timeout_seconds = 60;
  options.report = &report;
  check(halo_executable_run(program, &argument, 1, &result, 1, &options));
  print_board("Some generations later:", (const uint8_t(*)[SIZE])after);
  printf("%lld steps in %.1f ms, halo %s\n", (long long)report.steps, 1e3 * report.elapsed_seconds, halo_version());
  halo_executable_free(program);
  return 0;
}
