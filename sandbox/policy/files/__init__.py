"""Policy files: how they are read, merged and written, and what is told of a wrong one."""
