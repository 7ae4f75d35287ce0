//! Kafka record batches (v2) as bytes: check, stamp, build, decode, compress.
//!
//! Pure functions on buffers; the Python module above is their only caller, and `records/twin` is their twin: same
//! checks in the same order, same words. Nothing here panics on any input.

#![forbid(unsafe_code)]

pub mod batches;
pub mod build;
pub mod columns;
pub mod compression;
pub mod decode;
pub mod fault;
pub mod header;
pub mod validate;
pub mod varint;
pub mod walk;

/// The Castagnoli sum of all bytes.
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(bytes)
}
