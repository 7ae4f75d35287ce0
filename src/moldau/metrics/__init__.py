"""Counters, gauges and histograms as plain data."""
