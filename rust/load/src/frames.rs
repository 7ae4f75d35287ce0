//! Requests as bytes, and where an answer keeps its error code.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::options::{Kind, Options};

const CLIENT: &[u8] = b"moldau-load";

/// What one connection sends, and how it reads the answers.
pub struct Exchange {
    kind: Kind,
    frame: Vec<u8>,
    /// Where the fetch offset stands in the frame.
    offset_at: usize,
    next_offset: i64,
    step: i64,
    offsets: i64,
    /// Where the answer (after its length) has its error code.
    error_at: usize,
}

impl Exchange {
    pub fn new(options: &Options, connection: usize) -> Exchange {
        let partition = (connection % options.partitions) as i32;
        let mut made = Exchange {
            kind: options.kind,
            frame: Vec::new(),
            offset_at: 0,
            next_offset: (connection as i64 * options.step * 7) % options.offsets.max(1),
            step: options.step,
            offsets: options.offsets,
            error_at: 0,
        };
        match options.kind {
            Kind::ApiVersions => made.api_versions(),
            Kind::Metadata => made.metadata(&options.topic),
            Kind::Produce => made.produce(options, partition),
            Kind::Fetch | Kind::LongPoll => made.fetch(&options.topic, partition, options.fetch_bytes),
        }
        let length = (made.frame.len() - 4) as i32;
        made.frame[..4].copy_from_slice(&length.to_be_bytes());
        made
    }

    /// The next request, length included.
    pub fn next(&mut self) -> &[u8] {
        if self.kind == Kind::Fetch {
            let offset = self.next_offset;
            self.next_offset = (offset + self.step) % self.offsets.max(1);
            self.seek(offset);
        }
        &self.frame
    }

    pub fn seek(&mut self, offset: i64) -> &[u8] {
        self.frame[self.offset_at..self.offset_at + 8].copy_from_slice(&offset.to_be_bytes());
        &self.frame
    }

    /// How many bytes at the head of an answer `check` wants to see.
    pub fn head_bytes(&self) -> usize {
        self.error_at + 2
    }

    pub fn check(&self, head: &[u8]) -> Result<(), String> {
        if self.kind == Kind::Metadata {
            return Ok(()); // no error code at a fixed place; its size is what counts
        }
        let error = i16::from_be_bytes([head[self.error_at], head[self.error_at + 1]]);
        if error == 0 {
            Ok(())
        } else {
            Err(format!("the broker answered with error code {error}"))
        }
    }

    fn header(&mut self, key: i16, version: i16, flexible: bool) {
        self.frame.extend_from_slice(&[0; 4]);
        self.frame.extend_from_slice(&key.to_be_bytes());
        self.frame.extend_from_slice(&version.to_be_bytes());
        self.frame.extend_from_slice(&7i32.to_be_bytes());
        self.frame.extend_from_slice(&(CLIENT.len() as i16).to_be_bytes());
        self.frame.extend_from_slice(CLIENT);
        if flexible {
            self.frame.push(0);
        }
    }

    fn compact(&mut self, text: &str) {
        varint(&mut self.frame, text.len() as u64 + 1);
        self.frame.extend_from_slice(text.as_bytes());
    }

    fn api_versions(&mut self) {
        self.header(18, 3, true);
        self.compact("moldau-load");
        self.compact("1");
        self.frame.push(0);
        self.error_at = 4;
    }

    fn metadata(&mut self, topic: &str) {
        self.header(3, 12, true);
        self.frame.push(2);
        self.frame.extend_from_slice(&[0; 16]);
        self.compact(topic);
        self.frame.push(0);
        self.frame.extend_from_slice(&[0, 0, 0]);
    }

    fn produce(&mut self, options: &Options, partition: i32) {
        self.header(0, 9, true);
        self.frame.push(0);
        self.frame.extend_from_slice(&options.acks.to_be_bytes());
        self.frame.extend_from_slice(&30_000i32.to_be_bytes());
        self.frame.push(2);
        self.compact(&options.topic);
        self.frame.push(2);
        self.frame.extend_from_slice(&partition.to_be_bytes());
        let batch = batch(options.records, options.bytes);
        varint(&mut self.frame, batch.len() as u64 + 1);
        self.frame.extend_from_slice(&batch);
        self.frame.extend_from_slice(&[0, 0, 0]);
        self.error_at = 4 + 1 + 1 + 1 + options.topic.len() + 1 + 4;
    }

    fn fetch(&mut self, topic: &str, partition: i32, max_bytes: i32) {
        self.header(1, 12, true);
        for field in [-1, 5_000, 1, max_bytes] {
            self.frame.extend_from_slice(&i32::to_be_bytes(field)); // replica, wait, at least, at most
        }
        self.frame.push(0);
        self.frame.extend_from_slice(&0i32.to_be_bytes());
        self.frame.extend_from_slice(&(-1i32).to_be_bytes());
        self.frame.push(2);
        self.compact(topic);
        self.frame.push(2);
        self.frame.extend_from_slice(&partition.to_be_bytes());
        self.frame.extend_from_slice(&(-1i32).to_be_bytes());
        self.offset_at = self.frame.len();
        self.frame.extend_from_slice(&0i64.to_be_bytes());
        self.frame.extend_from_slice(&(-1i32).to_be_bytes());
        self.frame.extend_from_slice(&(-1i64).to_be_bytes());
        self.frame.extend_from_slice(&max_bytes.to_be_bytes());
        self.frame.extend_from_slice(&[0, 0, 1, 1, 0]);
        self.error_at = 4 + 1 + 4 + 2 + 4 + 1 + 1 + topic.len() + 1 + 4;
    }
}

/// One uncompressed record batch, as any producer without idempotence makes it.
fn batch(records: usize, bytes: usize) -> Vec<u8> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_millis() as i64;
    let value: Vec<u8> = (0..bytes).map(|at| b'a' + ((at * 7 + at / 13) % 26) as u8).collect();
    let mut body = Vec::new();
    for index in 0..records {
        let mut record = vec![0, 0]; // attributes, timestamp delta
        zigzag(&mut record, index as i64);
        zigzag(&mut record, -1);
        zigzag(&mut record, bytes as i64);
        record.extend_from_slice(&value);
        record.push(0);
        zigzag(&mut body, record.len() as i64);
        body.extend_from_slice(&record);
    }
    let mut checked = Vec::new();
    checked.extend_from_slice(&0i16.to_be_bytes());
    checked.extend_from_slice(&(records as i32 - 1).to_be_bytes());
    checked.extend_from_slice(&now.to_be_bytes());
    checked.extend_from_slice(&now.to_be_bytes());
    checked.extend_from_slice(&(-1i64).to_be_bytes());
    checked.extend_from_slice(&(-1i16).to_be_bytes());
    checked.extend_from_slice(&(-1i32).to_be_bytes());
    checked.extend_from_slice(&(records as i32).to_be_bytes());
    checked.extend_from_slice(&body);
    let mut whole = Vec::new();
    whole.extend_from_slice(&0i64.to_be_bytes());
    whole.extend_from_slice(&(checked.len() as i32 + 9).to_be_bytes());
    whole.extend_from_slice(&(-1i32).to_be_bytes());
    whole.push(2);
    whole.extend_from_slice(&crc32c::crc32c(&checked).to_be_bytes());
    whole.extend_from_slice(&checked);
    whole
}

fn varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}

fn zigzag(into: &mut Vec<u8>, value: i64) {
    varint(into, ((value << 1) ^ (value >> 63)) as u64);
}
