/* What the library asks of the operating system beyond C11 and POSIX threads: files, the C locale for one thread,
 * signals, forks, processors. The build takes system_posix.c and system_processors.c, or system_windows.c. Nothing else
 * asks which system it is compiled for, but for what Linux alone has (futexes in progress.c, huge_pages.c, nameless.c),
 * with a plain form beside it, and for fused.h.
 *
 * Windows has no signals to block and no forks. Paths are those of the C library's open there, in the code page of the
 * process. */
#ifndef WLU_BASE_SYSTEM_H
#define WLU_BASE_SYSTEM_H

#include <locale.h>
#include <stddef.h>

#if !defined(_WIN32)
#include <signal.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* ------------------------------------------------------------------- files */

typedef enum wlu_open_mode {
    WLU_OPEN_READ,    /* waits for the writer of a pipe */
    WLU_OPEN_REGULAR, /* to read; waits for nobody */
    WLU_OPEN_WRITE,   /* what is there already */
    WLU_OPEN_NEW      /* to write; EEXIST where something has the name */
} wlu_open_mode;

/* A descriptor of bytes as they are, which programs that are started do not inherit; -1 with errno. */
int wlu_system_open(const char *path, wlu_open_mode mode);
/* The same for standard input, 0, or output, 1. */
int wlu_system_duplicate(int stream);
/* Waits until what was written is on the disk. 0, or -1 with errno. */
int wlu_system_sync(int fd);
/* Takes the place of what has the name. 0, or -1 with errno. */
int wlu_system_rename(const char *from, const char *to);
/* Characters before the last separator of the path; -1 where there is none. */
int wlu_system_folder_length(const char *path);
/* What errno says, in words. */
void wlu_system_describe(int error, char *text, size_t size);

/* ------------------------------------------------------------------ locale */

/* The C locale, in which numbers are read and written. */
#if defined(_WIN32)
typedef struct wlu_c_locale {
    int mode;          /* whether the thread had a locale of its own */
    char callers[160]; /* how it, or the process, wrote numbers; "" outside */
} wlu_c_locale;
#else
typedef struct wlu_c_locale {
    locale_t c, callers; /* 0: none */
} wlu_c_locale;
#endif

/* From zeros; one that is made already stays. 0: out of memory. */
int wlu_c_locale_make(wlu_c_locale *l);
/* From enter to leave the calling thread, and no other, is in the C locale. */
void wlu_c_locale_enter(wlu_c_locale *l);
void wlu_c_locale_leave(wlu_c_locale *l);
/* Takes one of zeros, too. */
void wlu_c_locale_free(wlu_c_locale *l);

/* ----------------------------------------------------------------- process */

#if defined(_WIN32)
typedef int wlu_signal_mask;
#else
typedef sigset_t wlu_signal_mask;
#endif

/* The calling thread's signals wait; those that faults raise do not, if but_faults. */
void wlu_system_block_signals(wlu_signal_mask *before, int but_faults);
void wlu_system_restore_signals(const wlu_signal_mask *before);
/* From now on calls this in the child of each fork. 0: it cannot be told of them. */
int wlu_system_watch_forks(void (*in_child)(void));
/* Those that this process may run on, where the system tells, else all; at least 1. */
int wlu_system_processors(void);

#endif
