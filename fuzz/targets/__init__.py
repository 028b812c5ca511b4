"""What is attacked: sandboxes, weak ones among them, and the canaries around."""
