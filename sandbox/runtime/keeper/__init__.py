"""The keeper: one process per session, the parent of its states, which runs no guest's code."""
