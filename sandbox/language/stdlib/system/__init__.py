"""Stand-ins for modules that speak of the system: none of it is there."""
