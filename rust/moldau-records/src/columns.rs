//! Batches in, columns in Arrow's layout out. All numbers are little-endian.

use std::borrow::Cow;

use crate::decode::{Batch, next_batch};
use crate::fault::Fault;
use crate::walk::Record;

/// Byte strings end to end, with int32 positions one more than there are strings.
#[derive(Default)]
pub struct Binary {
    pub null_count: usize,
    /// A bit for each string, 1 where there is one; absent when nothing is null.
    pub validity: Option<Vec<u8>>,
    pub offsets: Vec<u8>,
    pub data: Vec<u8>,
}

/// `rows` records, column by column.
#[derive(Default)]
pub struct Columns {
    pub rows: usize,
    pub offsets: Vec<u8>,
    pub timestamps: Vec<u8>,
    pub keys: Binary,
    pub values: Binary,
    pub header_offsets: Vec<u8>,
    pub header_keys: Binary,
    pub header_values: Binary,
    header_count: usize,
}

/// Why there are no columns.
pub enum Undecoded {
    Invalid(Box<Fault>),
    /// A column would pass 2 GiB.
    TooLarge,
}

impl From<Box<Fault>> for Undecoded {
    fn from(fault: Box<Fault>) -> Undecoded {
        Undecoded::Invalid(fault)
    }
}

/// The records of all whole batches from `start_offset` on.
pub fn decode_columns(buffer: &[u8], start_offset: i64, limit: usize) -> Result<Columns, Undecoded> {
    let mut columns = Columns::default();
    for binary in [&mut columns.keys, &mut columns.values, &mut columns.header_keys, &mut columns.header_values] {
        binary.offsets.extend_from_slice(&[0; 4]);
    }
    columns.header_offsets.extend_from_slice(&[0; 4]);
    let mut position = 0;
    while let Some(batch) = next_batch(buffer, &mut position, limit)? {
        columns.reserve(&batch);
        batch.each(
            |offset, time, record| {
                if offset < start_offset { Ok(()) } else { columns.push(offset, time, &record) }
            },
        )?;
    }
    Ok(columns)
}

impl Columns {
    fn reserve(&mut self, batch: &Batch<'_>) {
        let rows = batch.capacity();
        self.offsets.reserve(rows * 8);
        self.timestamps.reserve(rows * 8);
        self.keys.offsets.reserve(rows * 4);
        self.values.offsets.reserve(rows * 4);
        self.header_offsets.reserve(rows * 4);
        self.values.data.reserve(batch.bytes());
    }

    #[inline(always)]
    fn push(&mut self, offset: i64, time: i64, record: &Record<'_>) -> Result<(), Undecoded> {
        self.offsets.extend_from_slice(&offset.to_le_bytes());
        self.timestamps.extend_from_slice(&time.to_le_bytes());
        self.keys.push(self.rows, record.key)?;
        self.values.push(self.rows, record.value)?;
        if record.header_count > 0 {
            self.push_headers(record)?;
        }
        self.header_offsets.extend_from_slice(&position(self.header_count)?);
        self.rows += 1;
        Ok(())
    }

    fn push_headers(&mut self, record: &Record<'_>) -> Result<(), Undecoded> {
        for (key, value) in record.headers() {
            let key: Cow<'_, str> = String::from_utf8_lossy(key);
            self.header_keys.push(self.header_count, Some(key.as_bytes()))?;
            self.header_values.push(self.header_count, value)?;
            self.header_count += 1;
        }
        Ok(())
    }
}

impl Binary {
    /// Append string number `row`.
    #[inline(always)]
    fn push(&mut self, row: usize, value: Option<&[u8]>) -> Result<(), Undecoded> {
        match value {
            Some(bytes) => {
                self.data.extend_from_slice(bytes);
                if let Some(validity) = &mut self.validity {
                    mark(validity, row, true);
                }
            }
            None => {
                self.null_count += 1;
                mark(self.validity.get_or_insert_with(|| all_valid(row)), row, false);
            }
        }
        self.offsets.extend_from_slice(&position(self.data.len())?);
        Ok(())
    }
}

#[inline(always)]
fn position(bytes: usize) -> Result<[u8; 4], Undecoded> {
    i32::try_from(bytes).map(i32::to_le_bytes).map_err(|_| Undecoded::TooLarge)
}

fn all_valid(rows: usize) -> Vec<u8> {
    let mut bits = vec![0xFF; rows / 8];
    if !rows.is_multiple_of(8) {
        bits.push((1 << (rows % 8)) - 1);
    }
    bits
}

#[inline(always)]
fn mark(bits: &mut Vec<u8>, row: usize, valid: bool) {
    if row / 8 == bits.len() {
        bits.push(0);
    }
    if let Some(byte) = bits.last_mut() {
        *byte |= u8::from(valid) << (row % 8);
    }
}
