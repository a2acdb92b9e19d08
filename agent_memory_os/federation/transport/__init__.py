"""Transports: ways by which bundles get from one device to another."""
