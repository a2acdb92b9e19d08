"""Federation: whose node this is. Signing, routing and exchange stand on it."""
