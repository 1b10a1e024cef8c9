"""The parts of the end-to-end tests. Python's standard library only."""
