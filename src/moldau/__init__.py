"""Moldau: a streaming platform for people who work in Python; any Kafka client can speak to it."""

__version__ = "0.1.0"
