"""Kafka's messages, one file per API."""
