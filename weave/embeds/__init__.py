"""The kinds of embeds, a module each: what its token looks like, and what the token becomes."""
