"""Commands for those who change Moldau: checks, benchmarks, lock files. Nothing here is installed."""
