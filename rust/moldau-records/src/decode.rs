//! Batches in, records out.

use std::borrow::Cow;

use crate::batches::{check_sum, read_header, whole_batch};
use crate::compression::{Codec, decompress, known_codec};
use crate::fault::{Checked, Code, Fault};
use crate::header::{HEADER_BYTES, Header};
use crate::walk::{LEFT_OVER, Record, record};

const MOST_BASE_OFFSET: i64 = i64::MAX - (1 << 32) + 1;
/// No record is smaller: a length, six fields of one byte.
const SMALLEST_RECORD: usize = 7;

/// The records of one batch, unfolded.
pub struct Batch<'a> {
    header: Header,
    data: Cow<'a, [u8]>,
}

/// The next batch at or after `position` that holds data, and `position` moved past it; None at the end. A batch cut
/// short there is left out, control batches are passed over.
pub fn next_batch<'a>(buffer: &'a [u8], position: &mut usize, limit: usize) -> Checked<Option<Batch<'a>>> {
    while let Some(batch) = whole_batch(buffer, *position)? {
        let header = read_header(batch, 0)?;
        check_sum(batch, *position, &header)?;
        let start = *position;
        *position += batch.len();
        if header.is_control() {
            continue;
        }
        if header.record_count < 0 || !(0..=MOST_BASE_OFFSET).contains(&header.base_offset) {
            let message = format!("the batch at byte {start} has an impossible count or offset");
            return Err(Fault::new(Code::InvalidRecord, message));
        }
        if header.record_count == 0 {
            continue;
        }
        let payload = &batch[HEADER_BYTES..];
        let data = match known_codec(header.codec())? {
            Codec::None => Cow::Borrowed(payload),
            codec => Cow::Owned(decompress(codec, payload, limit)?),
        };
        return Ok(Some(Batch { header, data }));
    }
    Ok(None)
}

impl Batch<'_> {
    /// How many records there are at most.
    pub fn capacity(&self) -> usize {
        (self.header.record_count as usize).min(self.data.len() / SMALLEST_RECORD + 1)
    }

    /// Bytes of all the records.
    pub fn bytes(&self) -> usize {
        self.data.len()
    }

    /// Hand each record to `take` with its offset and its time.
    #[inline(always)]
    pub fn each<'s, E: From<Box<Fault>>>(
        &'s self,
        mut take: impl FnMut(i64, i64, Record<'s>) -> Result<(), E>,
    ) -> Result<(), E> {
        let header = &self.header;
        let mut position = 0;
        for index in 0..header.record_count {
            let record = record(&self.data, &mut position, index)?;
            let offset = header.base_offset + i64::from(record.offset_delta);
            let time = if header.append_time() {
                header.max_timestamp
            } else {
                header.base_timestamp.wrapping_add(record.timestamp_delta)
            };
            take(offset, time, record)?;
        }
        if position == self.data.len() { Ok(()) } else { Err(Fault::new(Code::InvalidRecord, LEFT_OVER).into()) }
    }
}
