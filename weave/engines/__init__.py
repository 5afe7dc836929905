"""Who asks for pages: Python-Markdown, MkDocs, and Zensical after it. Nothing else knows them."""
