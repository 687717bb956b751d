/* The attacker of the race tests: changes names at full speed until it is told to stop or its stdin closes.
 *   racer flip A B                      exchange A and B, again and again
 *   racer unlink-relink DIR NAME KEEP   unlink DIR/NAME and link DIR/KEEP to it, again and again
 * Prints "ready" when it has begun and the number of turns at the end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped = 0;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

static int stdin_closed(void) {
  struct pollfd in = {.fd = 0, .events = POLLIN};
  return poll(&in, 1, 0) > 0 && (in.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

int main(int argc, char **argv) {
  int flip = argc == 4 && strcmp(argv[1], "flip") == 0;
  int relink = argc == 5 && strcmp(argv[1], "unlink-relink") == 0;
  unsigned long turns = 0;
  int dir = -1;

  if (!flip && !relink) {
    fprintf(stderr, "usage: racer flip A B | racer unlink-relink DIR NAME KEEP\n");
    return 2;
  }
  if (relink && (dir = open(argv[2], O_PATH | O_DIRECTORY)) < 0) {
    perror(argv[2]);
    return 1;
  }
  signal(SIGTERM, stop);
  signal(SIGINT, stop);
  printf("ready\n");
  fflush(stdout);

  while (!stopped && (turns % 256 != 0 || !stdin_closed())) {
    if (flip) {
      if (renameat2(AT_FDCWD, argv[2], AT_FDCWD, argv[3], RENAME_EXCHANGE) != 0) {
        perror("renameat2");
        return 1;
      }
    } else {
      unlinkat(dir, argv[3], 0);
      linkat(dir, argv[4], dir, argv[3], 0);
    }
    turns++;
  }
  printf("%lu\n", turns);
  return 0;
}
