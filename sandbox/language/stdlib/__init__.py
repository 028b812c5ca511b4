"""Stand-ins for modules of the standard library, and the catalog of what a policy may grant."""
