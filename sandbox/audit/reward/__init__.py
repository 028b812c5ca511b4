"""The gate for reward functions: read in the caller, run in children only."""
