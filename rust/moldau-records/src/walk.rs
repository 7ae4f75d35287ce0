//! Reading one record in place.

use crate::fault::{Checked, Fault};
use crate::varint::{Broken, read_int, read_long};

pub const LEFT_OVER: &str = "bytes remain after the last record";
const LENGTH_BROKEN: &str = "its length is not a number";
const LONGER_THAN_BATCH: &str = "it is longer than the bytes left";
const FIELDS_BEYOND: &str = "its fields do not fill its length exactly";
const OVERLONG: &str = "one of its numbers has too many bytes";
const HEADER_COUNT: &str = "its header count cannot be";
const HEADER_KEY: &str = "one of its headers has no key";

/// One record, borrowed from the batch.
pub struct Record<'a> {
    pub timestamp_delta: i64,
    pub offset_delta: i32,
    pub key: Option<&'a [u8]>,
    pub value: Option<&'a [u8]>,
    pub header_count: i32,
    headers: &'a [u8],
}

/// One header: its name (UTF-8, if the writer did well) and its value.
pub type Pair<'a> = (&'a [u8], Option<&'a [u8]>);

impl<'a> Record<'a> {
    /// The headers, which `record` has walked before.
    pub fn headers(&self) -> impl ExactSizeIterator<Item = Pair<'a>> {
        let headers = self.headers;
        let mut position = 0;
        (0..self.header_count).map(move |_| {
            let key = field(headers, &mut position).unwrap_or_default().unwrap_or_default();
            (key, field(headers, &mut position).unwrap_or_default())
        })
    }
}

/// The record at `position`, which moves to its end.
#[inline(always)]
pub fn record<'a>(data: &'a [u8], position: &mut usize, index: i32) -> Checked<Record<'a>> {
    let mut start = *position;
    let Ok(size) = read_int(data, &mut start) else { return Err(Fault::record(index, LENGTH_BROKEN)) };
    let body = usize::try_from(size).ok().and_then(|size| data.get(start..start + size));
    let Some(body) = body else { return Err(Fault::record(index, LONGER_THAN_BATCH)) };
    *position = start + body.len();
    fields(body).map_err(|reason| Fault::record(index, reason))
}

/// How long the record at the start of `data` is, with its length, if that can be told.
pub fn claimed_size(data: &[u8]) -> Result<usize, Broken> {
    let mut position = 0;
    let size = read_int(data, &mut position)?;
    Ok(position + usize::try_from(size).unwrap_or(0))
}

#[inline(always)]
fn fields(body: &[u8]) -> Result<Record<'_>, &'static str> {
    let mut position = 1;
    let timestamp_delta = read_long(body, &mut position).map_err(reason)?;
    let offset_delta = read_int(body, &mut position).map_err(reason)?;
    let key = field(body, &mut position).map_err(reason)?;
    let value = field(body, &mut position).map_err(reason)?;
    let header_count = read_int(body, &mut position).map_err(reason)?;
    let headers = &body[position..];
    if header_count == 0 {
        if headers.is_empty() {
            return Ok(Record { timestamp_delta, offset_delta, key, value, header_count, headers });
        }
        return Err(FIELDS_BEYOND);
    }
    walk_headers(headers, header_count)?;
    Ok(Record { timestamp_delta, offset_delta, key, value, header_count, headers })
}

fn walk_headers(headers: &[u8], count: i32) -> Result<(), &'static str> {
    if count < 0 || count as usize > headers.len() {
        return Err(HEADER_COUNT);
    }
    let mut position = 0;
    for _ in 0..count {
        if field(headers, &mut position).map_err(reason)?.is_none() {
            return Err(HEADER_KEY);
        }
        field(headers, &mut position).map_err(reason)?;
    }
    if position == headers.len() { Ok(()) } else { Err(FIELDS_BEYOND) }
}

/// A length and that many bytes; none for a negative length.
#[inline(always)]
fn field<'a>(body: &'a [u8], position: &mut usize) -> Result<Option<&'a [u8]>, Broken> {
    let size = read_int(body, position)?;
    if size < 0 {
        return Ok(None);
    }
    let end = *position + size as usize;
    let bytes = body.get(*position..end).ok_or(Broken::Ends)?;
    *position = end;
    Ok(Some(bytes))
}

fn reason(broken: Broken) -> &'static str {
    match broken {
        Broken::Ends => FIELDS_BEYOND,
        Broken::Overlong => OVERLONG,
    }
}
