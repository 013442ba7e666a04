"""Values, protocols and errors that every other room speaks in. No I/O, no clock, no third party but msgspec."""
