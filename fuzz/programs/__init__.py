"""The sources of attacks: the corpus, generators, mutations."""
