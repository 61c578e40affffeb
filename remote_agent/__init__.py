"""What runs where the training is. Imports studio.schema and studio.domain, nothing else of studio."""
