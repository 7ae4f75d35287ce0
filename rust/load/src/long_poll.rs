//! How long a parked fetch takes to be answered once a record is produced.

use std::time::{Duration, Instant};

use mio::{Events, Poll};

use crate::connection::Connection;
use crate::frames::Exchange;
use crate::options::{Kind, Options};
use crate::{percentiles, text};

/// Long enough for the fetches to be parked before the next record is produced.
const SETTLE: Duration = Duration::from_millis(3);

/// `connections` consumers wait at the end of partition 0; one producer sends one record after another.
/// `offsets` is where the partition ends at the start.
pub fn run(options: &Options) -> Result<String, String> {
    let mut poll = Poll::new().map_err(text)?;
    let producing = Options { kind: Kind::Produce, topic: options.topic.clone(), ..*options };
    let mut producer = Connection::open(&options.address, Exchange::new(&producing, 0), 1, poll.registry(), 0)?;
    let mut consumers = Vec::new();
    for index in 0..options.connections {
        let exchange = Exchange::new(options, 0);
        consumers.push(Connection::open(&options.address, exchange, 1, poll.registry(), index + 1)?);
    }
    let mut events = Events::with_capacity(256);
    let mut latencies_us = Vec::new();
    let mut end = options.offsets;
    let started = Instant::now();
    while started.elapsed().as_secs_f64() < options.seconds {
        for consumer in &mut consumers {
            consumer.send(end)?;
        }
        std::thread::sleep(SETTLE);
        let produced = Instant::now();
        producer.fill(produced)?;
        end += options.records as i64;
        let mut answered = 0;
        while answered < consumers.len() || producer.in_flight() > 0 {
            poll.poll(&mut events, Some(Duration::from_secs(6))).map_err(text)?;
            if events.is_empty() {
                return Err("a parked fetch was not answered".into());
            }
            for event in &events {
                let token = event.token().0;
                if token == 0 {
                    producer.receive()?;
                } else if consumers[token - 1].in_flight() > 0 {
                    consumers[token - 1].receive()?;
                    if consumers[token - 1].in_flight() == 0 {
                        latencies_us.push(produced.elapsed().as_micros() as u32);
                        answered += 1;
                    }
                }
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(format!(
        "{{\"requests\": {}, \"seconds\": {seconds:.6}, \"payload_bytes\": 0, {}}}",
        latencies_us.len(),
        percentiles(&mut latencies_us)
    ))
}
