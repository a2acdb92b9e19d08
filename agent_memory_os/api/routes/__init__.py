"""The routes of the API, one noun a file; a new endpoint is one function in its noun's file."""
