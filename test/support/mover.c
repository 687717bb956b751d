/* Exchanges two directories at full speed, and is hard to stop in one of these ways:
 *   mover plain A B      one process
 *   mover slow A B       one process, with a rest of a millisecond after each exchange
 *   mover hop A B        a process that leaves a child in its place after each exchange and ends
 *   mover leader A B     the first thread has ended, another one does it
 *   mover revive A B     two processes, each of which sets the other going again, all the time
 *   mover spawn A B      starts a program by vfork after each exchange
 *   mover session A B    as hop, and each child is in a session of its own
 *   mover lend A B       a child that has borrowed its parent's memory (vfork) does it, and never gives it back
 * Prints "ready" when it has begun. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *one, *other;

static void exchange(void) { renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE); }

static void *forever(void *unused) {
  for (;;) exchange();
  return unused;
}

static void hop(int session) {
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    exchange();
    pid_t child = fork();
    if (child > 0) _exit(0);
    if (child == 0 && session) setsid();
  }
}

static void revive(void) {
  pid_t first = getpid();
  pid_t second = fork();
  pid_t to = second == 0 ? first : second;
  for (;;) {
    exchange();
    kill(to, SIGCONT);
  }
}

static void spawn(void) {
  for (;;) {
    exchange();
    pid_t child = vfork();
    if (child == 0) {
      execl("/bin/true", "true", (char *)NULL);
      _exit(1);
    }
    if (child > 0) waitpid(child, NULL, 0);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  one = argv[2];
  other = argv[3];
  printf("ready\n");
  fflush(stdout);
  if (strcmp(argv[1], "plain") == 0) forever(NULL);
  if (strcmp(argv[1], "slow") == 0)
    for (;; usleep(1000)) exchange();
  if (strcmp(argv[1], "hop") == 0) hop(0);
  if (strcmp(argv[1], "session") == 0) hop(1);
  if (strcmp(argv[1], "revive") == 0) revive();
  if (strcmp(argv[1], "spawn") == 0) spawn();
  if (strcmp(argv[1], "lend") == 0 && vfork() == 0) forever(NULL);
  if (strcmp(argv[1], "leader") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, forever, NULL);
    pthread_exit(NULL);
  }
  return 2;
}
