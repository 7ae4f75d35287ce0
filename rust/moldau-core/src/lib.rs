//! The Python module `moldau._core`: a thin layer over the pure crates.
//!
//! It turns Python objects into slices and results into Python objects, and releases the GIL for work on large
//! buffers; it decides nothing. `unsafe` is in `buffers` alone, where each use says why it holds.

#![deny(unsafe_code)]

mod buffers;
mod building;
mod objects;
mod reading;

#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::building::{BatchBuilder, build, build_values};
    #[pymodule_export]
    use crate::reading::{
        crc32c, decode, decode_columns, read_header, read_headers, stamp, stamp_append_time, validate, verified_headers,
    };
}
