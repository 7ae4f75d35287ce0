//! Finding batches in a buffer and checking their sums.

use crate::fault::{Checked, Code, Fault};
use crate::header::{HEADER_BYTES, Header, LENGTH_OVERHEAD, MAGIC_AT, length_at, sum};

const SMALLEST_ANY_MAGIC: i32 = 14;

/// The header at `position`, unchecked.
pub fn read_header(buffer: &[u8], position: usize) -> Checked<Header> {
    buffer
        .get(position..)
        .and_then(|rest| rest.first_chunk::<HEADER_BYTES>())
        .map(Header::read)
        .ok_or_else(|| Fault::new(Code::CorruptMessage, format!("no whole batch header at byte {position}")))
}

/// The headers of the whole batches; a batch cut short at the end is left out, a malformed one refused.
pub fn read_headers(buffer: &[u8]) -> Checked<Vec<Header>> {
    let mut headers = Vec::new();
    let mut position = 0;
    while let Some(batch) = whole_batch(buffer, position)? {
        headers.push(read_header(batch, 0)?);
        position += batch.len();
    }
    Ok(headers)
}

/// The headers of the batches at the front that are whole, of magic 2, and true to their sum.
pub fn verified_headers(buffer: &[u8]) -> Vec<Header> {
    let mut headers = Vec::new();
    let mut rest = buffer;
    while let Some(bytes) = rest.first_chunk::<HEADER_BYTES>() {
        let header = Header::read(bytes);
        let Ok(size) = usize::try_from(header.size()) else { break };
        if size < HEADER_BYTES || size > rest.len() || header.magic != 2 || sum(&rest[..size]) != header.crc {
            break;
        }
        headers.push(header);
        rest = &rest[size..];
    }
    headers
}

/// The bytes of the batch at `position`, or None when it is not all there.
pub fn whole_batch(buffer: &[u8], position: usize) -> Checked<Option<&[u8]>> {
    let rest = buffer.get(position..).unwrap_or_default();
    let Some(length) = length_at(rest) else { return Ok(None) };
    let claim = || format!("the batch at byte {position} claims a length of {length}");
    if length < SMALLEST_ANY_MAGIC {
        return Err(Fault::new(Code::CorruptMessage, claim()));
    }
    let Some(batch) = rest.get(..length as usize + LENGTH_OVERHEAD) else { return Ok(None) };
    let magic = batch[MAGIC_AT];
    if magic < 2 {
        let message = format!("the batch at byte {position} has magic {magic}; only 2 is known");
        return Err(Fault::new(Code::UnsupportedForMessageFormat, message));
    }
    if magic > 2 {
        return Err(Fault::new(Code::CorruptMessage, format!("the batch at byte {position} has magic {magic}")));
    }
    if batch.len() < HEADER_BYTES {
        return Err(Fault::new(Code::CorruptMessage, claim()));
    }
    Ok(Some(batch))
}

/// A fault unless the stored sum is that of the bytes.
pub fn check_sum(batch: &[u8], position: usize, header: &Header) -> Checked<()> {
    let actual = sum(batch);
    if actual == header.crc {
        return Ok(());
    }
    let message = format!("the batch at byte {position} has CRC {:08x}, its bytes make {actual:08x}", header.crc);
    Err(Fault::new(Code::CorruptMessage, message))
}

/// The bytes from `position` to the end of the batch there, to be written to.
pub fn batch_to_stamp(buffer: &mut [u8], position: usize) -> Checked<(&mut [u8], Header)> {
    let header = read_header(buffer, position)?;
    let size = usize::try_from(header.size()).unwrap_or(0);
    if size < HEADER_BYTES || size > buffer.len() - position {
        return Err(Fault::new(Code::CorruptMessage, format!("no whole batch at byte {position}")));
    }
    Ok((&mut buffer[position..position + size], header))
}
