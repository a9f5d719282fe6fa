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

/* The sum of an expression of i, for i from `first` up to `last`: at most a block. If it is long, four quarters side by
   side: one sum would wait for each addition before the next. */
#define SUM_OF(result, first, last, expression) \
    do { \
        real a_ = 0, b_ = 0, c_ = 0, d_ = 0; \
        const int64_t from_ = (first), to_ = (last), q_ = to_ - from_ < BLOCK / 2 ? 0 : (to_ - from_) / 4; \
        if (q_) \
            _Pragma("omp simd reduction(+:a_,b_,c_,d_)") for (int64_t k_ = from_; k_ < from_ + q_; k_++) { \
                { int64_t i = k_; a_ += (expression); } \
                { int64_t i = k_ + q_; b_ += (expression); } \
                { int64_t i = k_ + 2 * q_; c_ += (expression); } \
                { int64_t i = k_ + 3 * q_; d_ += (expression); } \
            } \
        real rest_ = 0; \
        _Pragma("omp simd reduction(+:rest_)") for (int64_t i = from_ + 4 * q_; i < to_; i++) rest_ += (expression); \
        (result) = rest_ + ((a_ + b_) + (c_ + d_)); \
    } while (0)

/* The sum over any length, into a `wide`. */
#define LONG_SUM_OF(result, count, expression) \
    do { \
        real part_; \
        if ((count) <= BLOCK) { \
            SUM_OF(part_, 0, (count), expression); \
            (result) = part_; \
            break; \
        } \
        total total_ = {0, 0}; \
        for (int64_t start_ = 0; start_ < (count); start_ += BLOCK) { \
            SUM_OF(part_, start_, smaller(start_ + BLOCK, (count)), expression); \
            add_to(&total_, part_); \
        } \
        (result) = value_of(total_); \
    } while (0)

/* Two sums in one pass. */
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
            if ((count) <= BLOCK) { \
                first_total_.sum = one_, second_total_.sum = two_; \
                break; \
            } \
            add_to(&first_total_, one_); \
            add_to(&second_total_, two_); \
        } \
        (first_result) = value_of(first_total_); \
        (second_result) = value_of(second_total_); \
    } while (0)
#endif
