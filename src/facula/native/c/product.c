/* Products of matrices.

   C is computed in tiles that stay in registers for a whole run along k: 6 rows of 4 vectors (2 where there are 16
   registers), so that each number loaded is used 4 or 6 times. B is copied ("packed") into panels as wide as a tile,
   which are then read from end to end; a run along k is cut to about DEEP, so that a panel stays in the cache. A is read
   where it lies, but for a transposed A of long rows, which is copied in blocks: what a strip reads of it would be
   spread over as many pages as k is deep, and strides that are powers of two fall on each other in the cache.

   An element of C is always the same sequence of fused multiply-adds, whatever tile it falls into: results do not
   depend on how the work is divided. */
#include "product.h"
#include "layout.h"

#define NS 0.02                  /* of a multiply-add, about */
enum { TALL = 96, BROAD = 512 }; /* rows of A and columns of B that are worked on at once */
enum { FAR = 1 << 17 };          /* bytes of a C that was written to last when other things filled the caches */
enum { LONG = 4096 };            /* bytes of a row of a transposed A that is copied */
static const int HEIGHTS[4] = {6, 4, 2, 1};

/* 8 rows go by 4 and 4 rather than by 6 and 2: a tile of 2 rows waits for its own sums. */
INLINE int height_class(int64_t rows) {
    return rows >= 10 || rows == 6 || rows == 7 ? 0 : rows >= 4 ? 1 : rows >= 2 ? 2 : 3;
}

/* `runs` by a pointer: a copy of four numbers just written waits for them to reach the cache. */
typedef void tile_t(const struct runs *runs, const real *restrict a, int64_t lda, const real *restrict b, int64_t ldb,
                    real *restrict c, int64_t ldc, int adds, const real *bias);

/* ROW and STEP: the strides of A from row to row and from one k to the next; NEXT: that of B. */
#define TILE(name, M, N, ROW, STEP, NEXT) \
    APART void name(const struct runs *runs, const real *restrict a, int64_t lda, const real *restrict b, \
                    int64_t ldb, real *restrict c, int64_t ldc, int adds, const real *bias) { \
        vector t[M][N]; \
        UNUSED(lda), UNUSED(ldb); \
        _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) _Pragma("GCC unroll 8") for (int j = 0; j < N; j++) \
            t[i][j] = (vector){0}; \
        for (int64_t r = runs->count; r > 0; r--, a += runs->a_skip, b += runs->b_skip) \
            for (int64_t k = runs->k; k > 0; k--) { \
                vector v[N]; \
                _Pragma("GCC unroll 8") for (int j = 0; j < N; j++) v[j] = *(const vector *)(b + j * LANES); \
                _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) { \
                    real x = a[i * (ROW)]; \
                    _Pragma("GCC unroll 8") for (int j = 0; j < N; j++) t[i][j] += x * v[j]; \
                } \
                a += (STEP); \
                b += (NEXT); \
            } \
        _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) _Pragma("GCC unroll 8") for (int j = 0; j < N; j++) { \
            loose *p = (loose *)(c + i * ldc + j * LANES); \
            vector r = t[i][j]; \
            if (adds) r += *p; \
            else if (bias) r += *(const loose *)(bias + j * LANES); \
            *p = r; \
        } \
    }
#define TILES_OF_WIDTH(form, N, ROW, STEP, NEXT) \
    TILE(form##_6_##N, 6, N, ROW, STEP, NEXT) \
    TILE(form##_4_##N, 4, N, ROW, STEP, NEXT) \
    TILE(form##_2_##N, 2, N, ROW, STEP, NEXT) \
    TILE(form##_1_##N, 1, N, ROW, STEP, NEXT)
#define TABLE(form, N) \
    { form##_6_##N, form##_4_##N, form##_2_##N, form##_1_##N }

#define FORMS_OF_WIDTH(N) \
    TILES_OF_WIDTH(rows, N, lda, 1, N * LANES) \
    TILES_OF_WIDTH(strips, N, 1, lda, N * LANES) \
    TILES_OF_WIDTH(unpacked, N, lda, 1, ldb) \
    TILES_OF_WIDTH(crossed, N, 1, lda, ldb)

/* A by rows or by columns, with B packed; the same with B where it lies. */
enum { BY_ROWS, IN_STRIPS, UNPACKED, CROSSED };
FORMS_OF_WIDTH(2)
FORMS_OF_WIDTH(1)
#if REGISTERS == 32
FORMS_OF_WIDTH(4)
#define FORM(form) \
    { TABLE(form, 4), TABLE(form, 2), TABLE(form, 1) }
#else
#define FORM(form) \
    { {0}, TABLE(form, 2), TABLE(form, 1) }
#endif
static tile_t *const TILES[4][3][4] = {FORM(rows), FORM(strips), FORM(unpacked), FORM(crossed)};

/* ---- packing */

/* Rows as wide as a panel, vector by vector: a call of memcpy for each would take longer. */
#define PACK_ROWS(N) \
    for (int64_t x = 0; x < k; x++) \
        _Pragma("GCC unroll 8") for (int t = 0; t < (N); t++) \
            *(vector *)(o + (x * (N) + t) * LANES) = *(const loose *)(b + x * row + t * LANES);

APART void pack_dense(const real *restrict b, int64_t row, int64_t k, int64_t w, int64_t width, real *restrict o) {
    if (w == 4 * LANES) {
        PACK_ROWS(4)
    } else if (w == 2 * LANES) {
        PACK_ROWS(2)
    } else if (w == LANES) {
        PACK_ROWS(1)
    } else
        for (int64_t x = 0; x < k; x++) {
            for (int64_t t = 0; t < w; t++) o[x * width + t] = b[x * row + t];
            for (int64_t t = w; t < width; t++) o[x * width + t] = 0;
        }
}

/* Columns that are dense: blocks of them transposed. Others 8 at a time: so many streams are read side by side, and
   each write is a dense piece. */
APART void pack_strided(const real *restrict b, int64_t row, int64_t column, int64_t k, int64_t w, int64_t width,
                        real *restrict o) {
    int64_t t = 0;
    if (row == 1 && k >= LANES && w >= LANES) {
        transpose(b, column, w, k, o, width);
        t = w;
    }
    for (; t + 8 <= w; t += 8)
        for (int64_t x = 0; x < k; x++) {
            const real *p = b + x * row + t * column;
            real *q = o + x * width + t;
            for (int j = 0; j < 8; j++) q[j] = p[j * column];
        }
    for (; t < width; t++)
        for (int64_t x = 0; x < k; x++) o[x * width + t] = t < w ? b[x * row + t * column] : 0;
}

static void pack(const real *b, int64_t row, int64_t column, int64_t k, int64_t w, int64_t width, real *o) {
    if (column == 1) pack_dense(b, row, k, w, width, o);
    else pack_strided(b, row, column, k, w, width, o);
}

APART void copy_block(const real *restrict a, int64_t column, int64_t k, int64_t rows, real *restrict o) {
    if (rows == TALL)
        for (int64_t x = 0; x < k; x++)
            for (int t = 0; t < TALL; t++) o[x * TALL + t] = a[x * column + t];
    else
        for (int64_t x = 0; x < k; x++)
            for (int64_t t = 0; t < rows; t++) o[x * TALL + t] = a[x * column + t];
}

/* ---- the loops around the tiles */

struct bounds {
    real *c;
    int64_t c_row;
    int adds;
    const real *bias;
};

/* A strip of rows times a packed panel; at the edges of C, through a full tile. */
static void strip_times_panel(tile_t *tile, int64_t height, int64_t w, int64_t width, int64_t k, const real *a,
                              int64_t lda, const real *panel, const struct bounds *to) {
    const struct runs runs = {k, 1, 0, 0};
    if (w == width) {
        tile(&runs, a, lda, panel, 0, to->c, to->c_row, to->adds, to->bias);
        return;
    }
    real whole[6 * WIDTH] __attribute__((aligned(64)));
    tile(&runs, a, lda, panel, 0, whole, WIDTH, 0, NULL);
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < w; j++) {
            real *c = to->c + i * to->c_row + j, x = whole[i * WIDTH + j];
            *c = to->adds ? x + *c : to->bias ? x + to->bias[j] : x;
        }
}

/* The lines of C that a tile will write: they are there when it is done, however far away they were. */
static void fetch(const real *c, int64_t c_row, int64_t height, int64_t width) {
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j += 64 / (int64_t)sizeof(real)) __builtin_prefetch(c + i * c_row + j, 1);
}

int NAME(product_part)(const struct product *p, int64_t i_first, int64_t i_end, int64_t j_first, int64_t j_end) {
    /* In equal runs, rather a little longer than with a short one at the end, which would read and write C for little. */
    int64_t depth = pieces_of(p->k, larger(1, pieces_of(p->k, DEEP + DEEP / 8)));
    size_t panels = (size_t)(smaller(j_end - j_first, BROAD) + WIDTH) * (size_t)depth;
    int form = p->a_column == 1 ? BY_ROWS : IN_STRIPS;
    int copies = form && p->a_column * (int64_t)sizeof(real) >= LONG;
    size_t strips = copies ? (size_t)TALL * (size_t)depth : 0;
    real *packed = scratch(PRODUCT_SLOT, sizeof(real) * (panels + strips + 16)), *copied = packed + panels;
    if (!packed) return NO_MEMORY;
    int is_far = (i_end - i_first) * (j_end - j_first) * (int64_t)sizeof(real) >= FAR;
    if (p->k == 0 && !p->adds) {
        for (int64_t i = i_first; i < i_end; i++)
            for (int64_t j = j_first; j < j_end; j++) p->c[i * p->c_row + j] = p->bias ? p->bias[j] : 0;
        return DONE;
    }
    for (int64_t jj = j_first; jj < j_end; jj += BROAD) {
        int64_t columns = smaller(BROAD, j_end - jj);
        for (int64_t kk = 0; kk < p->k; kk += depth) {
            int64_t k = smaller(depth, p->k - kk);
            for (int64_t j = 0; j < columns; j += WIDTH) {
                int64_t w = smaller(WIDTH, columns - j);
                pack(p->b + kk * p->b_row + (jj + j) * p->b_column, p->b_row, p->b_column, k, w,
                     panel_width(width_class(w)), packed + j * k);
            }
            for (int64_t ii = i_first; ii < i_end; ii += TALL) {
                int64_t rows = smaller(TALL, i_end - ii);
                const real *a = p->a + ii * p->a_row + kk * p->a_column;
                if (copies) copy_block(a, p->a_column, k, rows, copied);
                for (int64_t i = 0; i < rows;) {
                    int q = height_class(rows - i);
                    int64_t height = HEIGHTS[q], lda = copies ? TALL : form ? p->a_column : p->a_row;
                    const real *strip = copies ? copied + i : a + i * p->a_row;
                    for (int64_t j = 0; j < columns; j += WIDTH) {
                        int64_t w = smaller(WIDTH, columns - j);
                        int v = width_class(w);
                        struct bounds to = {p->c + (ii + i) * p->c_row + jj + j, p->c_row, p->adds || kk,
                                            p->bias ? p->bias + jj + j : NULL};
                        if (is_far) fetch(to.c, to.c_row, height, w);
                        strip_times_panel(TILES[form][v][q], height, w, panel_width(v), k, strip, lda, packed + j * k,
                                          &to);
                    }
                    i += height;
                }
            }
        }
    }
    return DONE;
}

struct cut {
    const struct product *p;
    int64_t rows, columns, across;
};

static int product_piece(void *argument, int64_t piece) {
    struct cut *c = argument;
    int64_t i = piece / c->across * c->rows, j = piece % c->across * c->columns;
    return NAME(product_part)(c->p, i, smaller(c->p->m, i + c->rows), j, smaller(c->p->n, j + c->columns));
}

int NAME(product_of)(const struct product *p) {
    double work = NS * (double)p->m * (double)p->n * (double)p->k;
    if (!p->m || !p->n) return DONE;
    if (thread_count() == 1) return NAME(product_part)(p, 0, p->m, 0, p->n);
    /* Columns first: a part then packs its own panels and nobody else's. Two parts a thread, in case one is late. */
    int64_t parts = 2 * thread_count();
    int64_t columns = rounded_up(larger(WIDTH, pieces_of(p->n, parts)), WIDTH), across = pieces_of(p->n, columns);
    int64_t rows = rounded_up(larger(24, pieces_of(p->m, larger(1, parts / across))), 6);
    struct cut c = {p, rows, columns, across};
    return in_pieces(product_piece, &c, across * pieces_of(p->m, rows), work);
}

/* ---- B packed once */

void NAME(pack_all)(const real *b, int64_t b_row, int64_t b_column, int64_t n, int64_t k, real *packed) {
    for (int64_t kk = 0; kk < k; kk += DEEP) {
        int64_t depth = smaller(DEEP, k - kk);
        real *o = packed + kk * rounded_up(n, WIDTH);
        for (int64_t j = 0; j < n; j += WIDTH) {
            int64_t w = smaller(WIDTH, n - j);
            pack(b + kk * b_row + j * b_column, b_row, b_column, depth, w, panel_width(width_class(w)), o + j * depth);
        }
    }
}

void NAME(packed_product)(const real *a, int64_t a_row, int64_t m, const real *packed, int64_t n, int64_t k, real *c,
                          int64_t c_row, int adds) {
    for (int64_t kk = 0; kk < k; kk += DEEP) {
        int64_t depth = smaller(DEEP, k - kk);
        const real *o = packed + kk * rounded_up(n, WIDTH);
        for (int64_t i = 0; i < m;) {
            int q = height_class(m - i);
            for (int64_t j = 0; j < n; j += WIDTH) {
                int64_t w = smaller(WIDTH, n - j);
                int v = width_class(w);
                struct bounds to = {c + i * c_row + j, c_row, adds || kk, NULL};
                strip_times_panel(TILES[BY_ROWS][v][q], HEIGHTS[q], w, panel_width(v), depth, a + i * a_row + kk, a_row,
                                  o + j * depth, &to);
            }
            i += HEIGHTS[q];
        }
    }
}

void NAME(add_panels)(const real *a, int64_t a_row, int64_t m, struct runs runs, const real *panels, int64_t depth,
                      int64_t from, int64_t n, real *c, int64_t c_row, int adds, const real *bias) {
    for (int64_t j = 0; j < n; j += WIDTH) {
        int v = width_class(smaller(WIDTH, n - j));
        const real *panel = panels + j * depth + from * panel_width(v);
        for (int64_t i = 0; i < m;) {
            int q = height_class(m - i);
            TILES[BY_ROWS][v][q](&runs, a + i * a_row, a_row, panel, 0, c + i * c_row + j, c_row, adds,
                                 bias ? bias + j : NULL);
            i += HEIGHTS[q];
        }
    }
}

/* ---- B where it lies */

/* lda: what its form is told of A; a_row: from row to row. */
static void add_where_it_lies(int form, struct runs runs, const real *a, int64_t a_row, int64_t lda, int64_t m,
                              const real *b, int64_t b_row, int64_t n, real *c, int64_t c_row) {
    for (int64_t j = 0; j < n;) {
        int v = n - j >= WIDTH ? width_class(WIDTH) : n - j >= 2 * LANES ? 1 : 2;
        for (int64_t i = 0; i < m;) {
            int q = height_class(m - i);
            TILES[form][v][q](&runs, a + i * a_row, lda, b + j, b_row, c + i * c_row + j, c_row, 1, NULL);
            i += HEIGHTS[q];
        }
        j += panel_width(v);
    }
}

void NAME(add_product)(const real *a, int64_t a_row, int64_t m, const real *b, int64_t b_row, int64_t n, int64_t k,
                       int64_t count, int64_t skip, real *c, int64_t c_row) {
    add_where_it_lies(UNPACKED, (struct runs){k, count, 0, skip}, a, a_row, a_row, m, b, b_row, n, c, c_row);
}

void NAME(add_crossed)(const real *a, int64_t a_column, int64_t m, const real *b, int64_t b_row, int64_t n, int64_t k,
                       real *c, int64_t c_row) {
    add_where_it_lies(CROSSED, (struct runs){k, 1, 0, 0}, a, 1, a_column, m, b, b_row, n, c, c_row);
}

/* ---- kernels */

struct batch {
    struct product p;
    int64_t inner, a_steps[2], b_steps[2];
};

static int batch_piece(void *argument, int64_t piece) {
    struct batch *w = argument;
    struct product p = w->p;
    int64_t i = piece / w->inner, j = piece % w->inner;
    p.a += i * w->a_steps[0] + j * w->a_steps[1];
    p.b += i * w->b_steps[0] + j * w->b_steps[1];
    p.c += (i * w->inner + j) * p.m * p.n;
    return NAME(product_part)(&p, 0, p.m, 0, p.n);
}

/* matmul: A, B (of any strides, in up to four dimensions, of which the first two broadcast), bias of columns or none,
 * C. */
KERNEL(matmul) {
    UNUSED(s);
    const int64_t *a_size = n, *a_step = n + 4, *b_size = n + 8, *b_step = n + 12;
    struct batch w = {.p = {a_size[2], b_size[3], a_size[3], a[0], a_step[2], a_step[3], a[1], b_step[2], b_step[3],
                            a[3], b_size[3], 0, a[2]}};
    struct product *p = &w.p;
    if (a_size[3] != b_size[2]) return NOT_HANDLED;
    /* Along a dimension of one element any stride will do; one of A's two must be 1. */
    if (p->k <= 1) p->a_column = 1;
    else if (p->a_column != 1 && p->m <= 1) p->a_row = 1;
    if (p->a_column != 1 && p->a_row != 1) return NOT_HANDLED;
    int64_t sizes[2];
    for (int d = 0; d < 2; d++) {
        if (a_size[d] != b_size[d] && a_size[d] != 1 && b_size[d] != 1) return NOT_HANDLED;
        sizes[d] = a_size[d] == 1 ? b_size[d] : a_size[d];
        w.a_steps[d] = a_size[d] == 1 ? 0 : a_step[d];
        w.b_steps[d] = b_size[d] == 1 ? 0 : b_step[d];
    }
    w.inner = sizes[1];
    int64_t all = sizes[0] * sizes[1];
    if (all == 1) return NAME(product_of)(p);
    return in_pieces(batch_piece, &w, all, NS * (double)all * (double)(p->m * p->n) * (double)p->k);
}
