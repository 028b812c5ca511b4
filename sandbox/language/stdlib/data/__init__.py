"""Stand-ins for names of modules that hold, order, wrap and copy data."""
