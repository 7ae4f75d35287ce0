"""The client: producer, consumer by assignment, admin."""
