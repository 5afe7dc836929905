"""Who asks for pages: Python-Markdown, MkDocs, and Zensical after it."""
