"""Mechanism only, one file per kernel concept. Imports nothing from the rest of the package."""
