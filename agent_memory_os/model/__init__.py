"""Values and rules: no I/O, no clock, no randomness.

Everything here is a pure function of its arguments. Time, ids and random bytes come in from
above, so that each rule can be tested by values alone.
"""
