"""Dates, numbers, texts and streams: values that C code believes to be well made."""
