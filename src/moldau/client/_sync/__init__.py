"""The synchronous client. All files but `runner.py` are generated from the asynchronous ones by `tools/unasync.py`.

The verbs run on the caller's thread and the drivers on a loop in one background thread, because what the drivers do
must not depend on the caller coming back: lingering batches leave in time, answers are read, connections are kept,
and (later) heartbeats go out while user code computes. A blocking twin of the drivers could do none of that between
two calls, and would be a second implementation of the part that is hardest to get right.

It is fast because threads meet once for a batch, not once for a record: `send` appends to the accumulator on the
caller's thread under a lock and wakes the loop only when a batch was opened or closed, and a consumer takes whole
fetched batches and decodes them on the caller's thread.

It is safe beside `fork` because nothing is shared: thread and loop are made when the block is entered, and a client
carried into another process by a fork refuses to work there (its thread did not come along) instead of hanging.
"""
