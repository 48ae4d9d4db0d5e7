"""Reprise, a compile cache for unmodified jobs. `python -m reprise run -- COMMAND` runs a job.

This module holds files and no code. To import it preloads nothing and changes nothing.
"""
