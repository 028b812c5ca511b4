"""Parts of the sandbox fuzzed by themselves: parsers, compiler, guards."""
