"""What an author may embed in a page: a module for each kind, over what `embed` hands to them."""
