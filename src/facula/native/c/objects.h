/* What C knows of Python's objects, without Python.h: the few names of CPython that are taken are declared here. The
   layouts hold for CPython with a GIL; who relies on one compares it with what Python says when the text is loaded, and
   takes another way where they differ. */
#ifndef FACULA_OBJECTS_H
#define FACULA_OBJECTS_H
#include <stdint.h>

typedef struct object {
    intptr_t count;
    void *type;
} object;
typedef struct {
    object head;
    char *data;
    int dimensions;
    intptr_t *shape, *strides;
    object *base, *dtype;
    int flags;
    void *weak;
} array;

/* Weak: in an interpreter that has not all of them a library loads all the same, and ctypes calls it. */
#pragma weak PyLong_AsLongLong
#pragma weak PyLong_AsVoidPtr
#pragma weak PyLong_FromLongLong
#pragma weak PyFloat_AsDouble
#pragma weak PyTuple_GetItem
#pragma weak PyErr_Occurred
#pragma weak PyErr_NoMemory
#pragma weak PyEval_SaveThread
#pragma weak PyEval_RestoreThread
#pragma weak Py_IncRef
extern long long PyLong_AsLongLong(object *);
extern void *PyLong_AsVoidPtr(object *);
extern object *PyLong_FromLongLong(long long);
extern double PyFloat_AsDouble(object *);
extern object *PyTuple_GetItem(object *, intptr_t);
extern object *PyErr_Occurred(void);
extern object *PyErr_NoMemory(void);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
extern void Py_IncRef(object *);
#endif
