"""A node that is served elsewhere, with the nouns and methods of a local one."""
