/* jit/linked.h - which names objects that are linked against a library find with us (hooks/linked.c). */
#ifndef JIT_LINKED_H
#define JIT_LINKED_H

/* NVRTC and nvJitLink of these majors; of nvJitLink the functions of these minors. */
#define LINKED_MAJOR_FIRST 12
#define LINKED_MAJORS 2
#define LINKED_MINORS 10

#endif
