"""Measures what hostile texts cost the code that reads them, and a server's honest clients."""
