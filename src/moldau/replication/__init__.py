"""One partition on one broker: appends, high watermark, parked produces and fetches."""
