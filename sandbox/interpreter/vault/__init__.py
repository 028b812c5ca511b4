"""The vault: an audit hook with the native powers a child still needs, and how to ask for them."""
