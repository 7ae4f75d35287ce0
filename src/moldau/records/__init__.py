"""Record batches as bytes: read, check, stamp, build, decode."""
