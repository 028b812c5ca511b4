"""Where attacks come from: the corpus, generators, mutations."""
