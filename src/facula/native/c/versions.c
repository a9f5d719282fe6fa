/* Whether classes are what they were.

   CPython gives a class a number when something is looked up in it, and takes it away when the class or one of its bases
   is changed; no number is given twice. versions.py says where it lies. */
#include "kernel.h"
#include "objects.h"

struct versions {
    int64_t count, is_sure;
    const uint32_t *const *now;
    uint32_t *before;
};
enum { NOTE, SURE };

/* () tells whether no class has been changed; (NOTE) notes the numbers, and (SURE) says that what they stand for was
   then found to be right. */
EXPORT object *facula_versions(object *self, object *const *given, intptr_t count) {
    struct versions *v = PyLong_AsVoidPtr(self);
    int is_same = 1;
    if (count) {
        v->is_sure = PyLong_AsLongLong(given[0]) == SURE;
        for (int64_t i = 0; i < v->count && !v->is_sure; i++) v->before[i] = *v->now[i];
    } else {
        is_same = v->is_sure != 0;
        for (int64_t i = 0; i < v->count; i++) is_same &= *v->now[i] == v->before[i] && v->before[i];
    }
    return PyLong_FromLongLong(is_same);
}
