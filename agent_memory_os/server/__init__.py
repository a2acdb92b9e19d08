"""The server: the API on a port and on the home's socket, in one process."""
