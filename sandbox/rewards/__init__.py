"""Reward functions that run in children only, for as long as they are used."""
