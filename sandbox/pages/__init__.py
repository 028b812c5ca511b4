"""The pages that reports and the server make: one template engine, one stylesheet."""
