/*
 * Loaded with LD_PRELOAD into the programs of one machine: a clock that can jump, and a disk whose fsync can fail. MACHINE_FAULTS names a
 * file of two 64-bit numbers, mapped into memory: the seconds that the clock is ahead, and whether fsync fails.
 *
 * Only the time of day is changed. What counts elapsed time, such as CLOCK_MONOTONIC and every kind of sleep, is left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct faults {
  int64_t seconds_ahead;
  int64_t fsync_fails;
};

static const struct faults none = {0, 0};
static volatile const struct faults *faults = &none;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  const char *file = getenv("MACHINE_FAULTS");
  int descriptor = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  void *mapped = mmap(NULL, sizeof(struct faults), PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped != MAP_FAILED) faults = mapped;
  close(descriptor);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real_clock_gettime == NULL ? (int)syscall(SYS_clock_gettime, clock, time) : real_clock_gettime(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += faults->seconds_ahead;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *store) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (store != NULL) *store = now.tv_sec;
  return now.tv_sec;
}

static int sync_or_fail(int (*real)(int), int descriptor) {
  if (!faults->fsync_fails) return real(descriptor);
  errno = EIO;
  return -1;
}

int fsync(int descriptor) { return sync_or_fail(real_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_or_fail(real_fdatasync, descriptor); }
