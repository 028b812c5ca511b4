"""The judgement of what counts as an escape, and the record that is kept of one."""
