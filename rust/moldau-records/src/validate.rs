//! What a leader checks of the batches that a producer sent.

use crate::batches::{check_sum, read_header, whole_batch};
use crate::compression::{Codec, Unfolding, known_codec};
use crate::fault::{Checked, Code, Fault};
use crate::header::{HEADER_BYTES, Header};
use crate::walk::{LEFT_OVER, Record, claimed_size, record};

const MOST_RECORD_ERRORS: usize = 1000;
const NO_KEY: &str = "a compacted topic takes no record without a key";

/// How far a leader goes with a producer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub batch_bytes: usize,
    pub decompressed_bytes: usize,
    pub require_keys: bool,
}

/// A batch that may be appended, once its maximum timestamp has been set right.
#[derive(Debug)]
pub struct Valid {
    pub header: Header,
    pub position: usize,
    /// The largest timestamp of its records.
    pub max_timestamp: i64,
}

/// The batch at `position`, or the reason to refuse it.
pub fn validate_batch(buffer: &[u8], position: usize, limits: Limits) -> Checked<Valid> {
    let batch = whole_batch(buffer, position).map_err(|mut fault| {
        if fault.code == Code::UnsupportedForMessageFormat {
            fault.code = Code::InvalidRecord;
        }
        fault
    })?;
    let Some(batch) = batch else {
        return Err(Fault::new(Code::CorruptMessage, format!("the batch at byte {position} is cut short")));
    };
    let (size, allowed) = (batch.len(), limits.batch_bytes);
    if size > allowed {
        let message = format!("the batch at byte {position} has {size} bytes, {allowed} are allowed");
        return Err(Fault::new(Code::MessageTooLarge, message));
    }
    let header = read_header(batch, 0)?;
    check_sum(batch, position, &header)?;
    check_header(&header)?;
    let payload = &batch[HEADER_BYTES..];
    let mut sight = Sight { largest: i64::MIN, keyless: Vec::new(), require_keys: limits.require_keys };
    match known_codec(header.codec())? {
        Codec::None => check_plain(payload, &header, &mut sight)?,
        codec => check_folded(Unfolding::new(codec, payload, limits.decompressed_bytes)?, &header, &mut sight)?,
    }
    if !sight.keyless.is_empty() {
        let mut fault = Fault::new(Code::InvalidRecord, NO_KEY);
        fault.records = sight.keyless.into_iter().map(|index| (index, NO_KEY.to_owned())).collect();
        return Err(fault);
    }
    Ok(Valid { header, position, max_timestamp: sight.largest })
}

fn check_header(header: &Header) -> Checked<()> {
    if let Some(reason) = header_fault(header) {
        return Err(Fault::new(Code::InvalidRecord, reason));
    }
    if header.append_time() {
        let message = "a producer must not set the timestamp type to LogAppendTime";
        return Err(Fault::new(Code::InvalidTimestamp, message));
    }
    Ok(())
}

fn header_fault(header: &Header) -> Option<String> {
    let (count, last_delta) = (header.record_count, header.last_offset_delta);
    if header.base_offset != 0 {
        return Some(format!("the base offset is {}, a producer must send 0", header.base_offset));
    }
    if count <= 0 {
        return Some(format!("the record count is {count}"));
    }
    if last_delta != count - 1 {
        return Some(format!("the last offset delta is {last_delta} for {count} records"));
    }
    if header.is_control() {
        return Some("producers must not write control records".to_owned());
    }
    if header.producer_id >= 0 && header.base_sequence < 0 {
        return Some(format!("the base sequence is {} for producer {}", header.base_sequence, header.producer_id));
    }
    None
}

/// What has been seen of the records so far.
struct Sight {
    largest: i64,
    keyless: Vec<i32>,
    require_keys: bool,
}

impl Sight {
    #[inline(always)]
    fn take(&mut self, record: &Record<'_>, header: &Header, index: i32) -> Checked<()> {
        if record.offset_delta != index {
            return Err(Fault::record(index, format!("its offset delta is {}", record.offset_delta)));
        }
        self.largest = self.largest.max(header.base_timestamp.wrapping_add(record.timestamp_delta));
        if self.require_keys && record.key.is_none() && self.keyless.len() < MOST_RECORD_ERRORS {
            self.keyless.push(index);
        }
        Ok(())
    }
}

fn check_plain(data: &[u8], header: &Header, sight: &mut Sight) -> Checked<()> {
    let mut position = 0;
    for index in 0..header.record_count {
        sight.take(&record(data, &mut position, index)?, header, index)?;
    }
    if position == data.len() { Ok(()) } else { Err(Fault::new(Code::InvalidRecord, LEFT_OVER)) }
}

/// A broken stream is told before a broken record, wherever each stands: so the verdict does not depend on how much
/// is unfolded at a time.
fn check_folded(stream: Unfolding<'_>, header: &Header, sight: &mut Sight) -> Checked<()> {
    let mut window = Window { stream, data: Vec::new(), position: 0 };
    for index in 0..header.record_count {
        window.fill_record()?;
        let checked =
            record(&window.data, &mut window.position, index).and_then(|record| sight.take(&record, header, index));
        if let Err(fault) = checked {
            window.drain()?;
            return Err(fault);
        }
    }
    if window.drain()? { Err(Fault::new(Code::InvalidRecord, LEFT_OVER)) } else { Ok(()) }
}

/// The part of an unfolding stream that is being looked at.
struct Window<'a> {
    stream: Unfolding<'a>,
    data: Vec<u8>,
    position: usize,
}

impl Window<'_> {
    /// Have the next record whole, or all that is left of the stream.
    fn fill_record(&mut self) -> Checked<()> {
        loop {
            let ahead = &self.data[self.position..];
            if claimed_size(ahead).is_ok_and(|size| size <= ahead.len()) {
                return Ok(());
            }
            self.data.drain(..self.position);
            self.position = 0;
            if !self.stream.more(&mut self.data)? {
                return Ok(());
            }
        }
    }

    /// Unfold the rest; whether there was any.
    fn drain(&mut self) -> Checked<bool> {
        let mut found = self.position < self.data.len();
        loop {
            self.data.clear();
            let goes_on = self.stream.more(&mut self.data)?;
            found |= !self.data.is_empty();
            if !goes_on {
                return Ok(found);
            }
        }
    }
}
