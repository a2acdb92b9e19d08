"""What happens to one memory: added, found, changed, forgotten, erased, and who may do it."""
