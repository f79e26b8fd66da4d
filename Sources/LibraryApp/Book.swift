// Example.
