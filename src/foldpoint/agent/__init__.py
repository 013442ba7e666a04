"""The agent: a loop that lives on a persistent conversation log, and its prompt built anew from it each time."""
