//! Why a batch is refused: Kafka's code, words, and the records to blame.

/// Kafka's numbers for the refusals that are made here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
pub enum Code {
    CorruptMessage = 2,
    MessageTooLarge = 10,
    InvalidTimestamp = 32,
    UnsupportedForMessageFormat = 43,
    UnsupportedCompressionType = 76,
    InvalidRecord = 87,
}

/// One refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    /// The place in the batch of each record to blame, and why.
    pub records: Vec<(i32, String)>,
}

pub type Checked<T> = Result<T, Box<Fault>>;

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { code, message: message.into(), records: Vec::new() })
    }

    /// The refusal of a batch for one of its records.
    pub fn record(index: i32, reason: impl Into<String>) -> Box<Fault> {
        let reason = reason.into();
        Box::new(Fault {
            code: Code::InvalidRecord,
            message: format!("record {index}: {reason}"),
            records: vec![(index, reason)],
        })
    }
}
