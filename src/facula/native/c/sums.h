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

/* Expressions name what is summed as OF(array): a vector of it at a time, and a number at a time of what is left. */
#define OF(array) (*(const some *)((array) + i_))

/* The sum of an expression from `first` up to `last`: at most a block. Four vectors side by side: one would wait for each
   addition before the next. */
#define SUM_OF(result, first, last, expression) \
    do { \
        const int64_t to_ = (last); \
        int64_t i_ = (first); \
        vector a_ = {0}, b_ = {0}, c_ = {0}, d_ = {0}; \
        real rest_ = 0; \
        { \
            typedef loose some; \
            while (i_ + 4 * LANES <= to_) { \
                a_ += (expression), i_ += LANES; \
                b_ += (expression), i_ += LANES; \
                c_ += (expression), i_ += LANES; \
                d_ += (expression), i_ += LANES; \
            } \
            for (; i_ + LANES <= to_; i_ += LANES) a_ += (expression); \
        } \
        { \
            typedef real some; \
            for (; i_ < to_; i_++) rest_ += (expression); \
        } \
        (result) = rest_ + lanes_sum((a_ + b_) + (c_ + d_)); \
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
            int64_t end_ = smaller(start_ + BLOCK, (count)), i_ = start_; \
            vector a_ = {0}, b_ = {0}, c_ = {0}, d_ = {0}; \
            real one_ = 0, two_ = 0; \
            { \
                typedef loose some; \
                while (i_ + 2 * LANES <= end_) { \
                    a_ += (first_expression), b_ += (second_expression), i_ += LANES; \
                    c_ += (first_expression), d_ += (second_expression), i_ += LANES; \
                } \
                if (i_ + LANES <= end_) a_ += (first_expression), b_ += (second_expression), i_ += LANES; \
            } \
            { \
                typedef real some; \
                for (; i_ < end_; i_++) one_ += (first_expression), two_ += (second_expression); \
            } \
            one_ += lanes_sum(a_ + c_), two_ += lanes_sum(b_ + d_); \
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
