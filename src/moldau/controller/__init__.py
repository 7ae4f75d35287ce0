"""The writing side of the control plane: requests in, metadata records and answers out."""
