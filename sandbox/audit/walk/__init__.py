"""The search behind the policy audit: a walk over all that a guest can do, in confined forks."""
