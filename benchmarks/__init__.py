"""Benchmarks, run from the checkout: `python -m benchmarks.speed`, `… -m benchmarks.compat`."""
