"""The parts of `benchmarks.speed`: contenders, their programs and how they are measured."""
