//! The command line of the load generator.

use std::net::SocketAddr;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    ApiVersions,
    Metadata,
    Produce,
    Fetch,
    LongPoll,
}

pub struct Options {
    pub kind: Kind,
    pub address: SocketAddr,
    pub connections: usize,
    pub pipeline: usize,
    pub seconds: f64,
    pub warmup: f64,
    pub topic: String,
    pub partitions: usize,
    /// Records in one produced batch.
    pub records: usize,
    /// Bytes in one record's value.
    pub bytes: usize,
    pub acks: i16,
    /// How many records the topic's partitions hold each (for fetches that walk them).
    pub offsets: i64,
    /// How far the offset moves from one fetch to the next.
    pub step: i64,
    pub fetch_bytes: i32,
}

const USAGE: &str = "usage: moldau-load api-versions|metadata|produce|fetch|long-poll --address IP:PORT \
[--connections N] [--pipeline N] [--seconds S] [--warmup S] [--topic NAME] [--partitions N] [--records N] [--bytes N] \
[--acks N] [--offsets N] [--step N] [--fetch-bytes N]";

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let kind = match arguments.next().as_deref() {
            Some("api-versions") => Kind::ApiVersions,
            Some("metadata") => Kind::Metadata,
            Some("produce") => Kind::Produce,
            Some("fetch") => Kind::Fetch,
            Some("long-poll") => Kind::LongPoll,
            _ => return Err(USAGE.into()),
        };
        let mut options = Options {
            kind,
            address: "127.0.0.1:9092".parse().expect("a valid address"),
            connections: 1,
            pipeline: 1,
            seconds: 3.0,
            warmup: 0.5,
            topic: "load".into(),
            partitions: 1,
            records: 1,
            bytes: 100,
            acks: -1,
            offsets: 1,
            step: 1,
            fetch_bytes: 1 << 20,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value\n{USAGE}"))?;
            options.set(&name, &value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "--address" => self.address = number(name, value)?,
            "--connections" => self.connections = number(name, value)?,
            "--pipeline" => self.pipeline = number(name, value)?,
            "--seconds" => self.seconds = number(name, value)?,
            "--warmup" => self.warmup = number(name, value)?,
            "--topic" => self.topic = value.into(),
            "--partitions" => self.partitions = number(name, value)?,
            "--records" => self.records = number(name, value)?,
            "--bytes" => self.bytes = number(name, value)?,
            "--acks" => self.acks = number(name, value)?,
            "--offsets" => self.offsets = number(name, value)?,
            "--step" => self.step = number(name, value)?,
            "--fetch-bytes" => self.fetch_bytes = number(name, value)?,
            _ => return Err(format!("unknown option {name}\n{USAGE}")),
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name}: {value:?} is not of the form that it takes"))
}
