// A library that is preloaded and refuses one allocation of the core: the one with a given number since it was told to.
//
// Allocations of Python, NumPy and the dynamic loader are not counted: some of them end the process where memory does,
// and no program can do anything about it. The core allocates by itself or by `operator new`, so the caller is _core or
// libstdc++.
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { MOST = 8 };
static struct { uintptr_t begin, end; } libraries[MOST];
static int n_libraries = 0;
static atomic_long seen = 0, refused = -1;

static int note_library(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    if (strstr(info->dlpi_name, "/_core.") == NULL && strstr(info->dlpi_name, "/libstdc++") == NULL) return 0;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD) continue;
        const uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (first < begin) begin = first;
        if (first + part->p_memsz > end) end = first + part->p_memsz;
    }
    libraries[n_libraries].begin = begin;
    libraries[n_libraries++].end = end;
    return n_libraries == MOST;
}

/// Refuses the allocation with this number, counted from 1; 0 refuses none and only counts.
void refuse(long number) {
    n_libraries = 0;
    dl_iterate_phdr(note_library, NULL);
    seen = 0;
    refused = number;
}

/// Ends the refusals and returns how many allocations were asked for.
long allocations(void) {
    refused = -1;
    return seen;
}

static int is_refused(const void* caller) {
    if (refused < 0) return 0;
    for (int i = 0; i < n_libraries; ++i)
        if ((uintptr_t)caller >= libraries[i].begin && (uintptr_t)caller < libraries[i].end)
            return ++seen == refused;
    return 0;
}

#define REFUSED (is_refused(__builtin_return_address(0)) && (errno = ENOMEM))

void* malloc(size_t size) { return REFUSED ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return REFUSED ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { return REFUSED ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return REFUSED ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return REFUSED ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** found, size_t alignment, size_t size) {
    *found = REFUSED ? NULL : __libc_memalign(alignment, size);
    return *found == NULL ? ENOMEM : 0;
}
