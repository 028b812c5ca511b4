"""Sessions as tools of the Model Context Protocol, and its HTTP transport."""
