"""The policy audit: what a policy lets out, how two policies differ."""
