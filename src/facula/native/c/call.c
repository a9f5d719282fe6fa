/* The way from Python to a kernel.

   A function of Python is made (library.py) for each kernel, whose `self` is the address of a `struct entry`: the
   kernel for float32 and for float64, and a letter for each argument. It answers True; or False if the arguments are
   not what the kernel takes, and then nothing has been changed. */
#include "kernel.h"
#include "objects.h"

enum { CONTIGUOUS = 1, ALIGNED = 0x100, WRITEABLE = 0x400, LETTERS = 48, MOST = 96 };

struct entry {
    kernel_t *kernels[2]; /* NULL for a width that it does not take */
    double cost; /* ns for an element of the largest array: above 50 us in all, other threads of Python may run */
    char letters[LETTERS];
};

/* What Python puts here: the type of arrays, the dtypes, and the constants. */
EXPORT object *facula_objects[9];
enum { ARRAY, FLOAT32, FLOAT64, INT64, BOOL, UINT8, NONE, TRUE, FALSE };

static object *answer(int which) {
    object *found = facula_objects[which];
    Py_IncRef(found);
    return found;
}

INLINE int64_t size_of(const array *a) {
    int64_t n = 1;
    for (int i = 0; i < a->dimensions; i++) n *= a->shape[i];
    return n;
}

/* f: floats, dense; F: or None; w: the same, written: it shares memory with no other array; W: or None;
   m: floats of any strides: four sizes and four strides in elements (1 and 0 for dimensions that are not there) go
   before the whole numbers, and the cost is multiplied by the last size of the first; M: or None, for which there are
   zeros; v: the same as m, written; i: int64, dense; x: int64, written; b: bool or bytes, dense; B: or None; u: the
   same, written; n: a whole number; k: one by which the cost is multiplied; s: a real number. A kernel without floats
   is that for float64. */
EXPORT object *facula_call(object *self, object *const *given, intptr_t count) {
    const struct entry *entry = PyLong_AsVoidPtr(self);
    void *data[MOST];
    int64_t whole[MOST], bytes[MOST], largest = 0;
    double real[MOST], cost = entry->cost;
    int arrays = 0, wholes = 0, reals = 0, which = -1, is_written[MOST];
    for (intptr_t i = 0; i < count; i++) {
        object *v = given[i];
        switch (entry->letters[i]) {
        case 'n':
        case 'k':
            whole[wholes] = PyLong_AsLongLong(v);
            if (whole[wholes] == -1 && PyErr_Occurred()) return NULL;
            if (entry->letters[i] == 'k') cost *= (double)whole[wholes];
            wholes++;
            continue;
        case 's':
            real[reals] = PyFloat_AsDouble(v);
            if (real[reals] == -1.0 && PyErr_Occurred()) return NULL;
            reals++;
            continue;
        case 'F':
        case 'W':
        case 'B':
        case 'M':
            if (v == facula_objects[NONE]) {
                data[arrays] = NULL, bytes[arrays] = 0, is_written[arrays] = 0;
                for (int d = 0; d < 8 && entry->letters[i] == 'M'; d++) whole[wholes++] = 0;
                arrays++;
                continue;
            }
            break;
        case 0:
            return answer(FALSE);
        }
        if (v->type != facula_objects[ARRAY]) return answer(FALSE);
        const array *a = (const array *)v;
        char letter = entry->letters[i] | 32; /* without regard to None */
        int64_t size = size_of(a), width = 8;
        int is_strided = letter == 'm' || letter == 'v';
        int writes = letter == 'w' || letter == 'x' || letter == 'u' || letter == 'v';
        int kind = a->dtype == facula_objects[FLOAT32] ? 0 : a->dtype == facula_objects[FLOAT64] ? 1 : 2;
        if (letter == 'f' || letter == 'w' || is_strided) {
            if (kind == 2 || (which >= 0 && kind != which)) return answer(FALSE);
            which = kind;
            width = kind ? 8 : 4;
        } else if (letter == 'i' || letter == 'x') {
            if (a->dtype != facula_objects[INT64]) return answer(FALSE);
        } else {
            if (a->dtype != facula_objects[BOOL] && a->dtype != facula_objects[UINT8]) return answer(FALSE);
            width = 1;
        }
        int needed = ALIGNED | (is_strided ? 0 : CONTIGUOUS) | (writes ? WRITEABLE : 0);
        if ((a->flags & needed) != needed) return answer(FALSE);
        if (is_strided) {
            int64_t reach = width;
            if (a->dimensions > 4 || wholes + 8 > MOST) return answer(FALSE);
            for (int d = 0; d < 4; d++) {
                int from = d + a->dimensions - 4;
                intptr_t length = from < 0 ? 1 : a->shape[from], stride = from < 0 ? 0 : a->strides[from];
                if (stride < 0 || stride % width) return answer(FALSE);
                if (length) reach += (length - 1) * stride;
                whole[wholes + d] = length;
                whole[wholes + 4 + d] = stride / width;
            }
            if (!wholes) cost *= (double)whole[3];
            wholes += 8;
            bytes[arrays] = size ? reach : 0;
        } else bytes[arrays] = size * width;
        is_written[arrays] = writes;
        data[arrays++] = a->data;
        largest = larger(largest, size);
    }
    if (which < 0) which = 1;
    if (entry->letters[count] || !entry->kernels[which]) return answer(FALSE);
    for (int i = 0; i < arrays; i++)
        if (is_written[i])
            for (int j = 0; j < arrays; j++)
                if (j != i && (char *)data[i] < (char *)data[j] + bytes[j]
                    && (char *)data[j] < (char *)data[i] + bytes[i])
                    return answer(FALSE);
    int status;
    if (cost * (double)largest > 50e3) {
        void *state = PyEval_SaveThread();
        status = entry->kernels[which](data, whole, real);
        PyEval_RestoreThread(state);
    } else status = entry->kernels[which](data, whole, real);
    if (status == NO_MEMORY) return PyErr_NoMemory();
    return answer(status == DONE ? TRUE : FALSE);
}

/* What the self-test compares with NumPy's own answers: where data, shape, strides, dtype and flags of an array lie. */
EXPORT void facula_probe(const array *a, int64_t *found) {
    found[0] = (int64_t)(intptr_t)a->head.type;
    found[1] = (int64_t)(intptr_t)a->data;
    found[2] = a->dimensions;
    found[3] = a->dimensions ? a->shape[a->dimensions - 1] : -1;
    found[4] = a->dimensions ? a->strides[0] : -1;
    found[5] = (int64_t)(intptr_t)a->dtype;
    found[6] = a->flags;
}
