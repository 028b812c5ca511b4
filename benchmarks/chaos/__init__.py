"""Faults at random moments, and verdicts that must be right all the same."""
