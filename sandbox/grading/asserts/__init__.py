"""Tests that are programs: read in the caller, run in a child, the program in another."""
