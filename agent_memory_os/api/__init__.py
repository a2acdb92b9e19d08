"""The HTTP API: one versioned set of routes over the service façade, thin by design."""
