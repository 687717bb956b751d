// Starts a program whenever a byte comes in, and says how long it ran: the nanoseconds from posix_spawn to its end, those of
// processor time it used, and its exit code.
// A small process of its own, since a start by Node's child_process takes one to two milliseconds more, which is as long as the
// clients take that are measured here.
//
//   spawner FILE PROGRAM [WORD ...]      the program's standard input is FILE; what it prints is thrown away

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "spawner FILE PROGRAM [WORD ...]\n");
    return 2;
  }
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, words[1], O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 2, "/dev/null", O_WRONLY, 0);
  char byte;
  while (read(0, &byte, 1) == 1) {
    pid_t child;
    int state;
    struct rusage used;
    long long started = now();
    if (posix_spawn(&child, words[2], &streams, NULL, words + 2, environ) != 0 || wait4(child, &state, 0, &used) != child) {
      perror(words[2]);
      return 1;
    }
    long long wall = now() - started;
    long long cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000LL + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL;
    printf("%lld %lld %d\n", wall, cpu, WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state));
    fflush(stdout);
  }
  return 0;
}
