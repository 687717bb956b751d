// Prints a file. With a second word it then makes the file `read`, waits until the first is gone, and prints it once more. Linked statically.

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void print(const char *path) {
  char bytes[4096];
  int file = open(path, O_RDONLY);
  ssize_t count = file < 0 ? -1 : read(file, bytes, sizeof bytes);
  if (count < 0) perror(path);
  else fwrite(bytes, 1, count, stdout);
  fflush(stdout);
  if (file >= 0) close(file);
}

int main(int words, char **word) {
  print(word[1]);
  if (words < 3) return 0;
  close(open("read", O_CREAT | O_WRONLY, 0600));
  while (access(word[1], F_OK) == 0) usleep(20000);
  print(word[1]);
  return 0;
}
