/* units/gather_sources.h - the sources that a pickle's code was made from. TOOL. */
#ifndef UNITS_GATHER_SOURCES_H
#define UNITS_GATHER_SOURCES_H

#include "units/gather_read.h"
#include "units/member.h"

enum gather_status gather_sources(struct gathering *g, struct member *m);

#endif
