"""The texts that run in children: behind a program, and in place of it beside a test."""
