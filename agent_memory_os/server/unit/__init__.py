"""Having the system run a node: all the time, or at an hour each day, on three kinds of system."""
