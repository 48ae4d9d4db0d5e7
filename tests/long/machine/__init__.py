"""What the test machines of tests/long/ share.

A start (start.py) is a command and all that it may see: files, variables, working directory,
streams. place.py lays a start's files, runs it plain or under Reprise, and says what it left.
judge.py compares the two, finds the shortest row of starts that shows a difference, and writes it
as a shell script. crew.py runs many rows at once and sums them up."""
