"""How a snippet or a lab is run: in a process of its own, and all that its outcome depends on."""
