/* C = A B (+ bias), for whoever needs a product of matrices. See product.c. */
#ifndef FACULA_PRODUCT_H
#define FACULA_PRODUCT_H
#include "real.h"

#define VECTORS (REGISTERS == 32 ? 4 : 2) /* of a tile's columns */
#define WIDTH (VECTORS * LANES)           /* a tile's columns */

struct product {
    int64_t m, n, k;
    const real *a;
    int64_t a_row, a_column; /* strides; one of them is 1 */
    const real *b;
    int64_t b_row, b_column;
    real *c;
    int64_t c_row;
    int adds;         /* C += A B */
    const real *bias; /* of each column, or NULL */
};

/* The rows from i to i_end and columns from j to j_end of C. */
int NAME(product_part)(const struct product *p, int64_t i, int64_t i_end, int64_t j, int64_t j_end);
/* All of C, by several threads if that is worth it. */
int NAME(product_of)(const struct product *p);

/* The last panel may be narrower. */
INLINE int width_class(int64_t columns) { return VECTORS == 4 && columns > 2 * LANES ? 0 : columns > LANES ? 1 : 2; }
INLINE int64_t panel_width(int class) { return class == 0 ? 4 * LANES : class == 1 ? 2 * LANES : LANES; }

/* B packed once for many products: as many reals as this; k at most DEEP. */
enum { DEEP = 256 };
INLINE int64_t packed_size(int64_t n, int64_t k) { return rounded_up(n, WIDTH) * k; }
void NAME(pack_all)(const real *b, int64_t b_row, int64_t b_column, int64_t n, int64_t k, real *packed);
/* C = A B (+ C) with it; rows of A and C lie apart by a_row and c_row. */
void NAME(packed_product)(const real *a, int64_t a_row, int64_t m, const real *packed, int64_t n, int64_t k, real *c,
                          int64_t c_row, int adds);
/* k in runs: between them lie numbers of A and of B that are skipped. */
struct runs {
    int64_t k, count, a_skip, b_skip;
};
/* C = A B (+ C, or + bias) with B in panels of `depth` rows, of which the runs begin at `from`; C has room for whole
   panels. */
void NAME(add_panels)(const real *a, int64_t a_row, int64_t m, struct runs runs, const real *panels, int64_t depth,
                      int64_t from, int64_t n, real *c, int64_t c_row, int adds, const real *bias);
/* C += A B, where rows of B are as long as whole vectors, and aligned: n, b_row and c_row are multiples of LANES. There
   are `count` runs of k, short enough together that what B has of them stays in the cache: A's lie one behind the
   other, between B's are `skip` numbers. */
void NAME(add_product)(const real *a, int64_t a_row, int64_t m, const real *b, int64_t b_row, int64_t n, int64_t k,
                       int64_t count, int64_t skip, real *c, int64_t c_row);
/* The same in one run, where the columns of A are dense and lie `a_column` apart. */
void NAME(add_crossed)(const real *a, int64_t a_column, int64_t m, const real *b, int64_t b_row, int64_t n, int64_t k,
                       real *c, int64_t c_row);
#endif
