"""Executions as their caller drives them: from a job to its `Result`, guest bytes as text only."""
