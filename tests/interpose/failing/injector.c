// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A library to be preloaded beside ours, in front of it or behind: in one rank of a job the n-th call of a kind that
// Typewarp makes fails, as where the host has no more of it. Calls of the MPI and of the program do not count: the first
// frame of the stack that is not of the C or C++ library must lie in a library of ours. Nor do those count that are made
// while a library is loaded: CUDA's own registration of kernels crashes there.
//
// FAILING_KIND    memory, mapping, file or thread
// FAILING_NUMBER  which call fails, from 1; 0: none
// FAILING_STACK   counts only calls that are reached so: the hash of a stack, as FAILING_LOG tells it
// FAILING_AFTER   of calls after that one, which fail as well: "none" (as without it), "all", or "short" of those for
//                 memory: all that ask for more than was freed since
// FAILING_RANK    in which rank; 0 without it
// FAILING_LOG     a file: where the call came from that failed, or, if none is to fail, a line of each call that counts,
//                 "<kind> <number> <hash of the stack>"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

enum kind { memory, mapping, file, thread, kinds };
static const char* const names[kinds] = {"memory", "mapping", "file", "thread"};

enum { most_frames = 48 };

static enum kind wanted = kinds;
static long number = 0;
static uint64_t stack = 0;  ///< 0: any
static int log_file = -1;
static enum { none_after, short_after, all_after } after = none_after;
static atomic_int ran_out = 0;
static atomic_long freed = 0;  ///< bytes, since the first call failed, that nobody has taken again
static atomic_long calls[kinds];
static _Thread_local int looking __attribute__((tls_model("initial-exec"))) = 0;

/// Whose code lies at an address.
enum owner { runtime, loader, ours, another };

static enum owner owner_of_path(const char* path) {
  static const char* const of_runtime[] = {"libc.so", "libstdc++.so", "libgcc_s.so", "libinterpose_failing"};
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != NULL ? slash + 1 : path;
  if (strncmp(name, "libtypewarp", strlen("libtypewarp")) == 0) return ours;
  if (strncmp(name, "ld-linux", strlen("ld-linux")) == 0) return loader;
  for (size_t i = 0; i < sizeof of_runtime / sizeof of_runtime[0]; ++i) {
    if (strncmp(name, of_runtime[i], strlen(of_runtime[i])) == 0) return runtime;
  }
  return another;
}

static enum owner owner_of(void* address) {
  struct dl_find_object found;
  if (_dl_find_object(address, &found) != 0) return another;
  return owner_of_path(found.dlfo_link_map->l_name);
}

static int is_ours(void* caller) {
  if (owner_of(caller) == another) return 0;
  void* frames[most_frames];
  const int n = backtrace(frames, most_frames);
  enum owner first = runtime;
  for (int i = 0; i < n; ++i) {
    const enum owner owner = owner_of(frames[i]);
    if (owner == loader) return 0;
    if (first == runtime) first = owner;
  }
  return first == ours;
}

static uint64_t hash_of(void* const* frames, int n) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < n; ++i) {
    struct dl_find_object found;
    if (_dl_find_object(frames[i], &found) != 0) break;
    hash = (hash ^ (uint64_t)((char*)frames[i] - (char*)found.dlfo_map_start)) * 1099511628211u;
    if (owner_of_path(found.dlfo_link_map->l_name) == another) break;
  }
  return hash;
}

/// Of the call that the program or the MPI has made of ours.
__attribute__((noinline)) static uint64_t hash_of_caller(void) {
  void* frames[most_frames];
  const int n = backtrace(frames, most_frames);
  int first = 0;
  while (first < n && owner_of(frames[first]) == runtime) ++first;
  return hash_of(frames + first, n - first);
}

static void tell(enum kind kind, long call, int fails) {
  char text[80];
  void* frames[most_frames];
  const int n = backtrace(frames, most_frames);
  const unsigned long hash = hash_of_caller();
  const int length = snprintf(text, sizeof text, "%s%s %ld %lx\n", fails ? "failed " : "", names[kind], call, hash);
  if (write(log_file, text, (size_t)length) != length) return;
  if (fails) backtrace_symbols_fd(frames, n, log_file);
}

/// Whether this is the call that is to fail first.
static int is_first(enum kind kind) {
  if (stack != 0 && stack != hash_of_caller()) return 0;
  const long call = atomic_fetch_add(&calls[kind], 1) + 1;
  if (log_file >= 0 && (call == number || number == 0)) tell(kind, call, call == number);
  if (call != number) return 0;
  ran_out = 1;
  return 1;
}

/// Takes so much of what was freed, or as much as there is.
static int take_freed(long bytes) {
  long left = freed;
  while (!atomic_compare_exchange_weak(&freed, &left, left > bytes ? left - bytes : 0)) continue;
  return left >= bytes;
}

static void give(long bytes) {
  if (ran_out && after == short_after) atomic_fetch_add(&freed, bytes);
}

/// Whether this call is to fail, by `code`. `bytes`: what it asks for.
static int fails(enum kind kind, void* caller, long bytes, int code) {
  if (kind != wanted || looking) return 0;
  looking = 1;
  const int others_fail = ran_out && after != none_after;
  const int is_there = others_fail && after == short_after && take_freed(bytes);
  int it_does = !is_there && is_ours(caller);
  if (it_does && !others_fail) it_does = is_first(kind);
  looking = 0;
  if (it_does) errno = code;
  return it_does;
}

#define FAILS(kind, code) fails(kind, __builtin_return_address(0), 0, code)
#define LACKS(bytes) fails(memory, __builtin_return_address(0), (long)(bytes), ENOMEM)

/// The function that would have been called.
#define NEXT(name) \
  static __typeof__(&(name)) next; \
  if (next == NULL) next = (__typeof__(&(name)))dlsym(RTLD_NEXT, #name)

static const char* text_of(const char* variable, const char* otherwise) {
  const char* const text = getenv(variable);
  return text != NULL ? text : otherwise;
}

__attribute__((constructor)) static void begin(void) {
  static const char* const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  const char* rank = NULL;
  for (size_t i = 0; rank == NULL && i < sizeof ranks / sizeof ranks[0]; ++i) rank = getenv(ranks[i]);
  if (rank == NULL || strcmp(rank, text_of("FAILING_RANK", "0")) != 0) return;
  void* frames[2];
  backtrace(frames, 2);  // loads what it needs
  number = atol(text_of("FAILING_NUMBER", "0"));
  stack = strtoull(text_of("FAILING_STACK", "0"), NULL, 16);
  const char* const others = text_of("FAILING_AFTER", "none");
  after = strcmp(others, "all") == 0 ? all_after : strcmp(others, "short") == 0 ? short_after : none_after;
  const char* const log = getenv("FAILING_LOG");
  if (log != NULL) log_file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char* const kind = text_of("FAILING_KIND", "");
  for (int i = 0; i < kinds; ++i) {
    if (strcmp(kind, names[i]) == 0) wanted = (enum kind)i;
  }
}

void* malloc(size_t size) { return LACKS(size) ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return LACKS(n * size) ? NULL : __libc_calloc(n, size); }
void* memalign(size_t to, size_t size) { return LACKS(size) ? NULL : __libc_memalign(to, size); }
void* aligned_alloc(size_t to, size_t size) { return LACKS(size) ? NULL : __libc_memalign(to, size); }

void* realloc(void* old, size_t size) {
  if (LACKS(size)) return NULL;
  give((long)malloc_usable_size(old));
  return __libc_realloc(old, size);
}

void free(void* old) {
  give((long)malloc_usable_size(old));
  __libc_free(old);
}

int posix_memalign(void** made, size_t to, size_t size) {
  if (LACKS(size)) return ENOMEM;
  void* const memory_made = __libc_memalign(to, size);
  if (memory_made == NULL) return ENOMEM;
  *made = memory_made;
  return 0;
}

void* mmap(void* at, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  NEXT(mmap);
  return FAILS(mapping, ENOMEM) ? MAP_FAILED : next(at, bytes, protection, flags, descriptor, offset);
}

void* mmap64(void* at, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  NEXT(mmap64);
  return FAILS(mapping, ENOMEM) ? MAP_FAILED : next(at, bytes, protection, flags, descriptor, offset);
}

int madvise(void* at, size_t bytes, int advice) {
  NEXT(madvise);
  return FAILS(mapping, ENOMEM) ? -1 : next(at, bytes, advice);
}

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*run)(void*), void* data) {
  NEXT(pthread_create);
  return FAILS(thread, EAGAIN) ? EAGAIN : next(made, attributes, run, data);
}

#define OPENS(name)                                      \
  int name(const char* path, int flags, ...) {           \
    va_list list;                                        \
    va_start(list, flags);                               \
    const mode_t mode = (mode_t)va_arg(list, int);       \
    va_end(list);                                        \
    NEXT(name);                                          \
    return FAILS(file, EMFILE) ? -1 : next(path, flags, mode); \
  }
OPENS(open)
OPENS(open64)

/// A call on files, sockets and the like, of which `fails_by` tells that it failed.
#define ON_FILES(result, name, parameters, arguments, code, fails_by) \
  result name parameters {                                            \
    NEXT(name);                                                       \
    return FAILS(file, code) ? (fails_by) : next arguments;           \
  }
ON_FILES(FILE*, fopen, (const char* path, const char* mode), (path, mode), EMFILE, NULL)
ON_FILES(FILE*, fopen64, (const char* path, const char* mode), (path, mode), EMFILE, NULL)
ON_FILES(int, shm_open, (const char* name, int flags, mode_t mode), (name, flags, mode), EMFILE, -1)
ON_FILES(int, memfd_create, (const char* name, unsigned flags), (name, flags), EMFILE, -1)
ON_FILES(int, mkstemp, (char* path), (path), EMFILE, -1)
ON_FILES(int, mkostemp, (char* path, int flags), (path, flags), EMFILE, -1)
ON_FILES(int, ftruncate, (int to, off_t bytes), (to, bytes), ENOSPC, -1)
ON_FILES(int, ftruncate64, (int to, off_t bytes), (to, bytes), ENOSPC, -1)
ON_FILES(int, posix_fallocate, (int to, off_t at, off_t bytes), (to, at, bytes), ENOSPC, ENOSPC)
ON_FILES(int, posix_fallocate64, (int to, off_t at, off_t bytes), (to, at, bytes), ENOSPC, ENOSPC)
ON_FILES(ssize_t, pwrite, (int to, const void* from, size_t bytes, off_t at), (to, from, bytes, at), ENOSPC, -1)
ON_FILES(ssize_t, pwrite64, (int to, const void* from, size_t bytes, off_t at), (to, from, bytes, at), ENOSPC, -1)
ON_FILES(ssize_t, pread, (int from, void* to, size_t bytes, off_t at), (from, to, bytes, at), EIO, -1)
ON_FILES(ssize_t, pread64, (int from, void* to, size_t bytes, off_t at), (from, to, bytes, at), EIO, -1)
ON_FILES(ssize_t, process_vm_readv,
         (pid_t of, const struct iovec* to, unsigned long n, const struct iovec* from, unsigned long m, unsigned long flags),
         (of, to, n, from, m, flags), EPERM, -1)
ON_FILES(int, socket, (int domain, int type, int protocol), (domain, type, protocol), EMFILE, -1)
ON_FILES(int, bind, (int to, const struct sockaddr* name, socklen_t bytes), (to, name, bytes), ENOMEM, -1)
ON_FILES(int, listen, (int on, int waiting), (on, waiting), ENOBUFS, -1)
ON_FILES(int, connect, (int by, const struct sockaddr* to, socklen_t bytes), (by, to, bytes), ENOBUFS, -1)
ON_FILES(int, accept4, (int on, struct sockaddr* from, socklen_t* bytes, int flags), (on, from, bytes, flags), EMFILE, -1)
ON_FILES(ssize_t, sendmsg, (int by, const struct msghdr* message, int flags), (by, message, flags), ENOBUFS, -1)
ON_FILES(ssize_t, recvmsg, (int by, struct msghdr* message, int flags), (by, message, flags), ENOMEM, -1)
