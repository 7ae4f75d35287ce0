"""The benchmark beside Apache Kafka: both brokers in one run, alternating, ratios of medians."""
