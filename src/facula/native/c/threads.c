/* Threads that help with large work, and memory of each thread.

   The caller works like its helpers and waits only for pieces that others have begun: helpers that get no time to run
   cost nothing but their wake-up. One task is shared at a time; a second caller (another Python thread, or a kernel
   inside a kernel) works alone. Nothing is started before it is needed.

   To go to sleep and be woken takes some 50 us, as long as a small task. So whoever waits looks for a while before it
   sleeps, and no lock is taken while nobody sleeps. A helper counts itself among those at work before it looks whether
   the task is open, and the caller closes it before it looks who is at work: one of the two sees the other. */
#define _GNU_SOURCE
#include "kernel.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_THREADS = 256, SPINS = 5000, WORTH_IT = 60000 }; /* the last in ns */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those that go to sleep */
static pthread_cond_t something_to_do = PTHREAD_COND_INITIALIZER, all_done = PTHREAD_COND_INITIALIZER;
static atomic_int wanted = 1; /* threads that may work at once, the caller included */
static atomic_int busy;       /* whether a task is being shared */
static atomic_long round_;    /* odd while a task is open to helpers */
static atomic_int active;     /* helpers at work */
static atomic_int sleepers;   /* helpers that must be woken */
static atomic_int waits;      /* whether the caller must be */
static int helpers;           /* that exist: whoever is busy may start them */
static struct {
    job_t *job;
    void *argument;
    int64_t pieces;
    atomic_llong next;
    atomic_int status;
} task;

int64_t thread_count(void) { return atomic_load_explicit(&wanted, memory_order_relaxed); }
EXPORT void facula_set_threads(int64_t n) {
    atomic_store(&wanted, n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n);
}
EXPORT int64_t facula_get_threads(void) { return thread_count(); }

static void work(void) {
    for (;;) {
        int64_t piece = atomic_fetch_add_explicit(&task.next, 1, memory_order_relaxed);
        if (piece >= task.pieces) return;
        int status = task.job(task.argument, piece);
        if (status != DONE) atomic_store(&task.status, status);
    }
}

static void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}

static int is_for(int helper, long seen) {
    long now = atomic_load(&round_);
    return now % 2 && now != seen && helper < atomic_load(&wanted);
}

static void *help(void *number) {
    int mine = (int)(intptr_t)number;
    long seen = 0;
    for (;;) {
        for (int i = 0; i < SPINS && !is_for(mine, seen); i++) pause_a_little();
        if (!is_for(mine, seen)) {
            pthread_mutex_lock(&lock);
            atomic_fetch_add(&sleepers, 1);
            while (!is_for(mine, seen)) pthread_cond_wait(&something_to_do, &lock);
            atomic_fetch_sub(&sleepers, 1);
            pthread_mutex_unlock(&lock);
        }
        atomic_fetch_add(&active, 1);
        seen = atomic_load(&round_);
        if (seen % 2) work();
        if (atomic_fetch_sub(&active, 1) == 1 && atomic_load(&waits)) {
            pthread_mutex_lock(&lock);
            pthread_cond_signal(&all_done);
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

/* In a forked process there are no helpers, and locks may be held by threads that do not exist: begin anew. */
static void forget_helpers(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&something_to_do, NULL);
    pthread_cond_init(&all_done, NULL);
    helpers = 0;
    atomic_store(&active, 0);
    atomic_store(&sleepers, 0);
    atomic_store(&waits, 0);
    atomic_store(&round_, 0);
    atomic_store(&busy, 0);
}

static void start_helpers(int64_t n) {
    static int watches_forks;
    if (!watches_forks) {
        watches_forks = 1;
        pthread_atfork(NULL, NULL, forget_helpers);
    }
    if (helpers >= n) return;
    sigset_t all, before; /* signals are the interpreter's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (helpers < n) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, help, (void *)(intptr_t)(helpers + 1))) break; /* fewer will do */
        pthread_detach(thread);
        helpers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_for_helpers(void) {
    for (int i = 0; i < SPINS && atomic_load(&active); i++) pause_a_little();
    if (!atomic_load(&active)) return;
    pthread_mutex_lock(&lock);
    atomic_store(&waits, 1);
    while (atomic_load(&active)) pthread_cond_wait(&all_done, &lock);
    atomic_store(&waits, 0);
    pthread_mutex_unlock(&lock);
}

int in_pieces(job_t *job, void *argument, int64_t pieces, double work_ns) {
    int64_t threads = smaller(thread_count(), pieces);
    int expected = 0;
    if (threads <= 1 || work_ns < WORTH_IT || !atomic_compare_exchange_strong(&busy, &expected, 1)) {
        int status = DONE;
        for (int64_t i = 0; i < pieces; i++) {
            int s = job(argument, i);
            if (s != DONE) status = s;
        }
        return status;
    }
    start_helpers(threads - 1);
    task.job = job, task.argument = argument, task.pieces = pieces;
    atomic_store(&task.next, 0);
    atomic_store(&task.status, DONE);
    atomic_fetch_add(&round_, 1);
    if (atomic_load(&sleepers)) {
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&something_to_do);
        pthread_mutex_unlock(&lock);
    }
    work();
    atomic_fetch_add(&round_, 1);
    wait_for_helpers();
    int status = atomic_load(&task.status);
    atomic_store(&busy, 0);
    return status;
}
/* For emitted programs. */
EXPORT int facula_in_pieces(job_t *job, void *argument, int64_t pieces, double work_ns) {
    return in_pieces(job, argument, pieces, work_ns);
}

/* ---- memory of a thread */

struct memory {
    void *data[SLOTS];
    size_t size[SLOTS];
};
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct memory *mine;

static void release(void *p) {
    struct memory *m = p;
    for (int i = 0; i < SLOTS; i++) free(m->data[i]);
    free(m);
    mine = NULL;
}

static void make_key(void) { pthread_key_create(&key, release); }

void *scratch(int slot, size_t bytes) {
    if (!mine) {
        pthread_once(&once, make_key);
        mine = calloc(1, sizeof *mine);
        if (!mine) return NULL;
        pthread_setspecific(key, mine);
    }
    if (mine->size[slot] < bytes) {
        free(mine->data[slot]);
        mine->size[slot] = 0;
        size_t size = (bytes + bytes / 4 + 4095) / 4096 * 4096;
        mine->data[slot] = aligned_alloc(64, size);
        if (!mine->data[slot]) return NULL;
        mine->size[slot] = size;
    }
    return mine->data[slot];
}

EXPORT void facula_release_memory(void) {
    if (mine) {
        pthread_setspecific(key, NULL);
        release(mine);
    }
}
