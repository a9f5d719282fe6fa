/* Sums whose error does not grow with their length: blocks in many lanes, then blocks into a total that keeps what
   rounding takes away (Neumaier). The order depends on the length alone. */
#ifndef FACULA_SUMS_H
#define FACULA_SUMS_H
#include "real.h"

enum { BLOCK = 1024 };

typedef struct {
    wide sum, lost;
} total;

INLINE void add_to(total *t, wide x) {
    wide s = t->sum + x;
    wide big = __builtin_fabs(t->sum) >= __builtin_fabs(x) ? t->sum : x, small = big == x ? t->sum : x;
    t->lost += (big - s) + small;
    t->sum = s;
}

INLINE wide value_of(total t) {
    wide all = t.sum + t.lost;
    return all - all == 0 ? all : t.sum; /* with inf, what was lost is NaN */
}

/* The sum of an expression of i, for i from `first` up to `last`: at most a block. */
#define SUM_OF(result, first, last, expression) \
    do { \
        real sum_ = 0; \
        _Pragma("omp simd reduction(+:sum_)") for (int64_t i = (first); i < (last); i++) sum_ += (expression); \
        (result) = sum_; \
    } while (0)

/* Two sums in one pass over any length. */
#define TWO_SUMS_OF(first_result, second_result, count, first_expression, second_expression) \
    do { \
        total first_total_ = {0, 0}, second_total_ = {0, 0}; \
        for (int64_t start_ = 0; start_ < (count); start_ += BLOCK) { \
            int64_t end_ = smaller(start_ + BLOCK, (count)); \
            real one_ = 0, two_ = 0; \
            _Pragma("omp simd reduction(+:one_,two_)") for (int64_t i = start_; i < end_; i++) { \
                one_ += (first_expression); \
                two_ += (second_expression); \
            } \
            add_to(&first_total_, one_); \
            add_to(&second_total_, two_); \
        } \
        (first_result) = value_of(first_total_); \
        (second_result) = value_of(second_total_); \
    } while (0)

/* The same for one sum, into a `wide`. */
#define LONG_SUM_OF(result, count, expression) \
    do { \
        total total_ = {0, 0}; \
        for (int64_t start_ = 0; start_ < (count); start_ += BLOCK) { \
            real part_; \
            SUM_OF(part_, start_, smaller(start_ + BLOCK, (count)), expression); \
            add_to(&total_, part_); \
        } \
        (result) = value_of(total_); \
    } while (0)
#endif
