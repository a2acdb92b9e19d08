"""What a request says, as values that the façade takes."""
