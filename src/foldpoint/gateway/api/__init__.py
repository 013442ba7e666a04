"""The gateway's own HTTP API: records read back, keys, a key's skills, and the document that describes it."""
