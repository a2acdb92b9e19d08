"""The service: one façade over a node, one file a noun; every transaction starts here.

Each method takes a :class:`Principal` first. What a principal may not see and what does not exist
raise the same error with the same words.
"""
