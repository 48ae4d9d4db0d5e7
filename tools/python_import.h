/* tools/python_import.h - import statements: known modules, and other texts. Pure code. THREAD. */
#ifndef TOOLS_PYTHON_IMPORT_H
#define TOOLS_PYTHON_IMPORT_H

#include "tools/python_reader.h"

/* Behind `import`, and behind `from`. */
void python_import(struct python_reader *r);
void python_from(struct python_reader *r);

#endif
