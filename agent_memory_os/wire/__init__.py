"""The shapes that the API speaks: values to JSON, JSON to values, and the schema of both."""
