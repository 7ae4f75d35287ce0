//! Building batches: records in, one batch of bytes out.

use crate::compression::{Codec, compress};
use crate::header::{CONTROL_BIT, HEADER_BYTES, Header, LENGTH_OVERHEAD, TRANSACTIONAL_BIT, seal};
use crate::varint::{size, write};

/// What the header of a batch under construction will say.
#[derive(Clone, Debug)]
pub struct Cover {
    pub codec: Codec,
    pub compression_level: Option<i32>,
    pub base_offset: i64,
    pub leader_epoch: i32,
    pub producer_id: i64,
    pub producer_epoch: i16,
    pub base_sequence: i32,
    pub transactional: bool,
    pub control: bool,
}

/// The times and the number of the records in it.
#[derive(Clone, Copy, Debug)]
pub struct Content {
    pub record_count: i32,
    pub base_timestamp: i64,
    pub max_timestamp: i64,
}

/// Why there is no batch.
#[derive(Debug)]
pub enum Unbuilt {
    TooLarge(usize),
    Compression(std::io::Error),
}

/// Write the header over the first 61 bytes of a batch whose payload stands in place, and its sum.
pub fn cover(batch: &mut [u8], cover: &Cover, content: Content) -> Result<(), Unbuilt> {
    let length = batch.len() - LENGTH_OVERHEAD;
    let batch_length = i32::try_from(length).map_err(|_| Unbuilt::TooLarge(batch.len()))?;
    let header = Header {
        base_offset: cover.base_offset,
        batch_length,
        leader_epoch: cover.leader_epoch,
        magic: 2,
        crc: 0,
        attributes: cover.codec as i16
            | if cover.transactional { TRANSACTIONAL_BIT } else { 0 }
            | if cover.control { CONTROL_BIT } else { 0 },
        last_offset_delta: content.record_count - 1,
        base_timestamp: content.base_timestamp,
        max_timestamp: content.max_timestamp,
        producer_id: cover.producer_id,
        producer_epoch: cover.producer_epoch,
        base_sequence: cover.base_sequence,
        record_count: content.record_count,
    };
    if let Some(bytes) = batch.first_chunk_mut::<HEADER_BYTES>() {
        header.write(bytes);
    }
    seal(batch);
    Ok(())
}

/// Fold the payload of a plain batch (61 bytes of room, then records), if its codec asks for it.
pub fn fold(batch: &[u8], cover: &Cover) -> Result<Option<Vec<u8>>, Unbuilt> {
    if cover.codec == Codec::None {
        return Ok(None);
    }
    let payload = batch.get(HEADER_BYTES..).unwrap_or_default();
    let mut folded = Vec::with_capacity(HEADER_BYTES + payload.len() / 2);
    folded.resize(HEADER_BYTES, 0);
    compress(cover.codec, payload, cover.compression_level, &mut folded).map_err(Unbuilt::Compression)?;
    Ok(Some(folded))
}

/// One record as it will stand in the batch.
pub struct Draft<'a> {
    pub timestamp_delta: i64,
    pub offset_delta: i32,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub headers: &'a [(&'a [u8], Option<&'a [u8]>)],
}

impl Draft<'_> {
    #[inline(always)]
    fn body_size(&self) -> usize {
        let mut total = 1
            + size(self.timestamp_delta)
            + size(i64::from(self.offset_delta))
            + field_size(self.key)
            + field_size(self.value)
            + size(self.headers.len() as i64);
        for (key, value) in self.headers {
            total += field_size(Some(key)) + field_size(*value);
        }
        total
    }

    /// Append it to `out`; false, and nothing is, when `out` would be longer than `limit`.
    #[inline(always)]
    pub fn append_to(&self, out: &mut Vec<u8>, limit: usize) -> bool {
        let body = self.body_size();
        let start = out.len();
        let end = start + size(body as i64) + body;
        if end > limit {
            return false;
        }
        out.resize(end, 0);
        self.write(&mut out[start..], &mut 0, body);
        true
    }

    #[inline(always)]
    fn size(&self) -> usize {
        let body = self.body_size();
        size(body as i64) + body
    }

    #[inline(always)]
    fn write(&self, out: &mut [u8], position: &mut usize, body: usize) {
        write(out, position, body as i64);
        *position += 1;
        write(out, position, self.timestamp_delta);
        write(out, position, i64::from(self.offset_delta));
        write_field(out, position, self.key);
        write_field(out, position, self.value);
        write(out, position, self.headers.len() as i64);
        for (key, value) in self.headers {
            write_field(out, position, Some(key));
            write_field(out, position, *value);
        }
    }
}

/// Bytes of the whole plain batch of `values`, each alone in its record.
pub fn values_size<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> usize {
    let records = values.zip(0..).map(|(value, index)| value_draft(value, index).size());
    HEADER_BYTES + records.sum::<usize>()
}

/// Write the records of `values` behind the room for the header of a batch of `values_size` zeros.
pub fn write_values<'a>(batch: &mut [u8], values: impl Iterator<Item = Option<&'a [u8]>>) {
    let mut position = HEADER_BYTES;
    for (value, index) in values.zip(0..) {
        let draft = value_draft(value, index);
        draft.write(batch, &mut position, draft.body_size());
    }
}

#[inline(always)]
fn value_draft(value: Option<&[u8]>, index: i32) -> Draft<'_> {
    Draft { timestamp_delta: 0, offset_delta: index, key: None, value, headers: &[] }
}

#[inline(always)]
fn field_size(field: Option<&[u8]>) -> usize {
    field.map_or(1, |bytes| size(bytes.len() as i64) + bytes.len())
}

#[inline(always)]
fn write_field(out: &mut [u8], position: &mut usize, field: Option<&[u8]>) {
    match field {
        None => write(out, position, -1),
        Some(bytes) => {
            write(out, position, bytes.len() as i64);
            out[*position..*position + bytes.len()].copy_from_slice(bytes);
            *position += bytes.len();
        }
    }
}
