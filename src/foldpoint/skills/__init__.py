"""Pure planners: what to seal, when, and where it goes. Each returns a plan; none touches a byte of the request."""
