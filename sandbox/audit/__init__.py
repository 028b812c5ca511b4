"""Audits: what a policy lets out, and whether a reward function runs code any other way."""
