"""The targets of attacks: sandboxes, weak ones among them, and the canaries around."""
