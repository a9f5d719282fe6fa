/* What every emitted program begins with: the elementary functions for float32 and for float64, and the way to the native
   library's kernels and threads, whose addresses the program is given when it is loaded. */
#include <math.h>
#include "kernel.h"
#include "objects.h"

#include "elementary_both.h"

/* The larger and the smaller of two, NaN if one of them is: one comparison at a time, which vectors can do. */
#define BY_WIDTH(real, f) \
    INLINE real larger_##f(real a, real b) { \
        real m = a > b ? a : b; \
        return a == a ? m : a; \
    } \
    INLINE real smaller_##f(real a, real b) { \
        real m = a < b ? a : b; \
        return a == a ? m : a; \
    } \
    INLINE real sign_##f(real x) { \
        real s = x > 0 ? 1 : x; \
        return x < 0 ? -1 : s; \
    }
BY_WIDTH(float, f32)
BY_WIDTH(double, f64)

typedef int sharing_t(job_t *job, void *argument, int64_t pieces, double work);
EXPORT sharing_t *facula_shared; /* in_pieces of the library, or NULL */

static int shared(job_t *job, void *argument, int64_t pieces, double work) {
    if (facula_shared) return facula_shared(job, argument, pieces, work);
    for (int64_t i = 0; i < pieces; i++) job(argument, i);
    return DONE;
}
struct pieces {
    void *const *p;
    double *parts;
    int64_t step, total;
};
enum { CLEAN = -1, MEMORY = -2, DECLINED = -3, LAYOUT = -4, OTHER = -5, HELD = -6 }; /* what a program answers besides the number of a check that failed */

/* ---- the way from Python, as in the native library's call.c */

typedef int64_t segment_t(char *arena, void *const *p);
struct segment {
    segment_t *run;
    int64_t releases; /* whether other threads of Python may run meanwhile */
    int64_t inputs, kept;
    const int64_t *layouts; /* of each input, then of each result that is kept: dimensions, sizes, strides in bytes */
    void *const *types;     /* the dtype of each result that is kept */
};
EXPORT void *facula_none;
enum { MOST = 1024 };

/* Whether an array is as the program was made for; along a dimension of one element any stride will do. */
static int is_laid_out(const array *a, const int64_t *wanted) {
    if (a->dimensions != wanted[0]) return 0;
    for (int d = 0; d < a->dimensions; d++) {
        int64_t size = wanted[1 + d], stride = wanted[1 + a->dimensions + d];
        if (a->shape[d] != size || (size != 1 && a->strides[d] != stride)) return 0;
    }
    return 1;
}

/* Whether arrays of results, a tuple, can be written to again: nobody else has one, and nobody has made another of it. */
static int is_free(const struct segment *segment, object *results, const int64_t *layout, void **p) {
    enum { WRITABLE = 0x400 };
    for (int64_t i = 0; i < segment->kept; i++) {
        const array *a = (const array *)PyTuple_GetItem(results, i);
        if (a->head.count != 1 || a->base || a->weak || (void *)a->dtype != segment->types[i] || !(a->flags & WRITABLE)) return 0;
        if (!is_laid_out(a, layout)) return 0;
        layout += 1 + 2 * layout[0];
        p[i] = a->data;
    }
    return 1;
}

/* A segment as a function of (memory, arrays ...); None stands for an array that is not there yet. The memory is the
   arena and two tuples of results: those of the last call are in use, as a rule, while these are computed. The first
   one that is free is taken, and the answer tells which: CLEAN or OTHER. */
EXPORT object *facula_run(object *self, object *const *given, intptr_t count) {
    const struct segment *segment = PyLong_AsVoidPtr(self);
    void *p[MOST];
    const int64_t *layout = segment->layouts;
    for (intptr_t i = 1; i < count; i++) {
        p[i - 1] = (void *)given[i] == facula_none ? NULL : ((const array *)given[i])->data;
        if (i > segment->inputs) continue;
        if (!is_laid_out((const array *)given[i], layout)) return PyLong_FromLongLong(LAYOUT);
        layout += 1 + 2 * layout[0];
    }
    char *arena = ((const array *)PyTuple_GetItem(given[0], 0))->data;
    int is_other = 0;
    if (segment->kept) {
        is_other = !is_free(segment, PyTuple_GetItem(given[0], 1), layout, p + count - 1);
        if (is_other && !is_free(segment, PyTuple_GetItem(given[0], 2), layout, p + count - 1)) return PyLong_FromLongLong(HELD);
    }
    int64_t found;
    if (segment->releases) {
        void *state = PyEval_SaveThread();
        found = segment->run(arena, p);
        PyEval_RestoreThread(state);
    } else found = segment->run(arena, p);
    return PyLong_FromLongLong(found == CLEAN && is_other ? OTHER : found);
}

/* Where an array's type and data lie, for the self-test. */
EXPORT void facula_probe(const array *a, int64_t *found) {
    found[0] = (int64_t)(intptr_t)a->head.type;
    found[1] = (int64_t)(intptr_t)a->data;
    found[2] = a->dimensions;
    found[3] = a->dimensions ? a->shape[a->dimensions - 1] : -1;
    found[4] = a->dimensions ? a->strides[0] : -1;
    found[5] = (int64_t)(intptr_t)a->dtype;
    found[6] = a->flags;
    found[7] = a->weak != 0;
}
