/* shim/object.h - what this process knows of the object itself. Set once by the constructor. */
#ifndef SHIM_OBJECT_H
#define SHIM_OBJECT_H

/* SIGNAL. Absolute path of libreprise.so as it was preloaded; "" in programs that link the code. */
const char *object_path(void);
/* Constructor only: finds it. */
void object_locate(void);

#endif
