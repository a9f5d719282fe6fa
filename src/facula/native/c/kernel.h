/* What every file of the library begins with: a kernel's form, memory, threads.

   All kernels have one form, so that one function (call.c) can call each of them: pointers to the data of arrays, whole
   numbers, real numbers. What they mean stands above each kernel, in the order in which the Python face gives them. */
#ifndef FACULA_KERNEL_H
#define FACULA_KERNEL_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* restrict is lost when a function is inlined into its caller, and with it the vectors: inner kernels stay functions.
 */
#define APART static __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

enum { DONE = 0, NO_MEMORY = 1, NOT_HANDLED = 2 };
typedef int kernel_t(void *const *a, const int64_t *n, const double *s);

/* threads.c: run job(argument, 0) ... job(argument, pieces - 1), in any order, by several threads if the work (in ns,
   about) is worth that. What a piece computes never depends on how many there are: a kernel gives the same with any
   number of threads. A job returns DONE or what went wrong. */
typedef int job_t(void *argument, int64_t piece);
int in_pieces(job_t *job, void *argument, int64_t pieces, double work);
int64_t thread_count(void);

/* Memory of this thread, kept for the next call: at least so many bytes, aligned to 64; NULL if there is none.
   A kernel that calls another one uses another slot. */
enum { PRODUCT_SLOT, KERNEL_SLOT, SLOTS };
void *scratch(int slot, size_t bytes);

INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
INLINE int64_t pieces_of(int64_t n, int64_t each) { return (n + each - 1) / each; }
INLINE int64_t rounded_up(int64_t n, int64_t to) { return pieces_of(n, to) * to; }
#endif
