"""What crosses between caller, supervisor and child: jobs, frames, plain data."""
