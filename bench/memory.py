"""Prints the resident kilobytes of this host process: all of them, and those that are mapped from
libreprise.so."""

import json  # loads modules, as a host does
import re

total = mine = 0
current = ""
for line in open("/proc/self/smaps"):
    head = re.match(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$", line)
    if head:
        current = head.group(1)
    elif line.startswith("Rss:"):
        kilobytes = int(line.split()[1])
        total += kilobytes
        if current.endswith("libreprise.so"):
            mine += kilobytes
print(json.dumps([total, mine]))
