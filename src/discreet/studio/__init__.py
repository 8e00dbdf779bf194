"""Discreet Studio: the same work in a browser, on this machine, for people who do not program.

The pages call :mod:`discreet.workflow` and nothing else; numbers are computed there, and drawn here.
"""
