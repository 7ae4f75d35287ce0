"""Stream processing on Spark, from and to Moldau topics."""
