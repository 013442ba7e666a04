"""What a running process says of itself. Figures and names only: no bodies, no keys."""
