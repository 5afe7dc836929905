"""What runs in the process of a snippet or a lab: all that its results and drawings depend on."""
