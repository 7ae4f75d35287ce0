//! The 61-byte header of a batch.

use crate::crc32c;

pub const HEADER_BYTES: usize = 61;
/// Bytes of a batch that its own length field does not count.
pub const LENGTH_OVERHEAD: usize = 12;
pub const CODEC_BITS: i16 = 0x07;
pub const APPEND_TIME_BIT: i16 = 0x08;
pub const TRANSACTIONAL_BIT: i16 = 0x10;
pub const CONTROL_BIT: i16 = 0x20;

const LENGTH_AT: usize = 8;
const EPOCH_AT: usize = 12;
pub const MAGIC_AT: usize = 16;
const CRC_AT: usize = 17;
const ATTRIBUTES_AT: usize = 21;
const MAX_TIMESTAMP_AT: usize = 35;

/// The header as it stands in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub base_offset: i64,
    pub batch_length: i32,
    pub leader_epoch: i32,
    pub magic: i8,
    pub crc: u32,
    pub attributes: i16,
    pub last_offset_delta: i32,
    pub base_timestamp: i64,
    pub max_timestamp: i64,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub record_count: i32,
}

impl Header {
    /// The header at the start of `bytes`, unchecked.
    #[inline]
    pub fn read(bytes: &[u8; HEADER_BYTES]) -> Header {
        Header {
            base_offset: i64::from_be_bytes(field(bytes, 0)),
            batch_length: i32::from_be_bytes(field(bytes, LENGTH_AT)),
            leader_epoch: i32::from_be_bytes(field(bytes, EPOCH_AT)),
            magic: i8::from_be_bytes(field(bytes, MAGIC_AT)),
            crc: u32::from_be_bytes(field(bytes, CRC_AT)),
            attributes: i16::from_be_bytes(field(bytes, ATTRIBUTES_AT)),
            last_offset_delta: i32::from_be_bytes(field(bytes, 23)),
            base_timestamp: i64::from_be_bytes(field(bytes, 27)),
            max_timestamp: i64::from_be_bytes(field(bytes, MAX_TIMESTAMP_AT)),
            producer_id: i64::from_be_bytes(field(bytes, 43)),
            producer_epoch: i16::from_be_bytes(field(bytes, 51)),
            base_sequence: i32::from_be_bytes(field(bytes, 53)),
            record_count: i32::from_be_bytes(field(bytes, 57)),
        }
    }

    pub fn write(&self, bytes: &mut [u8; HEADER_BYTES]) {
        put(bytes, 0, &self.base_offset.to_be_bytes());
        put(bytes, LENGTH_AT, &self.batch_length.to_be_bytes());
        put(bytes, EPOCH_AT, &self.leader_epoch.to_be_bytes());
        put(bytes, MAGIC_AT, &self.magic.to_be_bytes());
        put(bytes, CRC_AT, &self.crc.to_be_bytes());
        put(bytes, ATTRIBUTES_AT, &self.attributes.to_be_bytes());
        put(bytes, 23, &self.last_offset_delta.to_be_bytes());
        put(bytes, 27, &self.base_timestamp.to_be_bytes());
        put(bytes, MAX_TIMESTAMP_AT, &self.max_timestamp.to_be_bytes());
        put(bytes, 43, &self.producer_id.to_be_bytes());
        put(bytes, 51, &self.producer_epoch.to_be_bytes());
        put(bytes, 53, &self.base_sequence.to_be_bytes());
        put(bytes, 57, &self.record_count.to_be_bytes());
    }

    /// Bytes of the whole batch; negative for a length that no batch can have.
    #[inline]
    pub fn size(&self) -> i64 {
        i64::from(self.batch_length) + LENGTH_OVERHEAD as i64
    }

    #[inline]
    pub fn codec(&self) -> u8 {
        (self.attributes & CODEC_BITS) as u8
    }

    #[inline]
    pub fn append_time(&self) -> bool {
        self.attributes & APPEND_TIME_BIT != 0
    }

    #[inline]
    pub fn is_control(&self) -> bool {
        self.attributes & CONTROL_BIT != 0
    }
}

/// The sum of a whole batch, from the attributes on.
#[inline]
pub fn sum(batch: &[u8]) -> u32 {
    crc32c(&batch[ATTRIBUTES_AT..])
}

/// Write the sum of a whole batch into it.
pub fn seal(batch: &mut [u8]) -> u32 {
    let crc = sum(batch);
    put(batch, CRC_AT, &crc.to_be_bytes());
    crc
}

/// Write where a batch stands and who led; neither is under the sum.
pub fn write_place(batch: &mut [u8], base_offset: i64, leader_epoch: i32) {
    put(batch, 0, &base_offset.to_be_bytes());
    put(batch, EPOCH_AT, &leader_epoch.to_be_bytes());
}

/// Write attributes and maximum timestamp, and the sum that follows from them.
pub fn write_times(batch: &mut [u8], attributes: i16, max_timestamp: i64) -> u32 {
    put(batch, ATTRIBUTES_AT, &attributes.to_be_bytes());
    put(batch, MAX_TIMESTAMP_AT, &max_timestamp.to_be_bytes());
    seal(batch)
}

pub fn length_at(bytes: &[u8]) -> Option<i32> {
    let field = bytes.get(LENGTH_AT..EPOCH_AT)?;
    Some(i32::from_be_bytes(field.try_into().ok()?))
}

#[inline(always)]
fn field<const SIZE: usize>(bytes: &[u8; HEADER_BYTES], at: usize) -> [u8; SIZE] {
    let mut out = [0; SIZE];
    out.copy_from_slice(&bytes[at..at + SIZE]);
    out
}

#[inline(always)]
fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
