"""Kafka's wire protocol: messages as tables, codecs compiled per version, frames."""
