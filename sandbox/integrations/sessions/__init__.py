"""Sessions in agent and trainer frameworks; each module is imported only when it is used."""
