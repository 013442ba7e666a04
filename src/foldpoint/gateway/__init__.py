"""The gateway: an HTTP door in front of the providers that folds what goes in and relays what comes out as it is."""
