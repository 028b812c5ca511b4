"""The data that crosses between caller, supervisor and child: jobs, frames, plain data."""
