//! Loads a broker with raw Kafka frames and prints one JSON line with what it measured.
//!
//! One thread, all connections on one poll: the generator must cost less than the broker that it measures. Frames are
//! made once and sent again and again; every answer's error code is looked at, and any error ends the run.

mod connection;
mod frames;
mod long_poll;
mod options;

use std::time::{Duration, Instant};

use connection::Connection;
use frames::Exchange;
use options::{Kind, Options};

fn main() {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => fail(&message, 2),
    };
    let line = match options.kind {
        Kind::LongPoll => long_poll::run(&options),
        _ => run(&options),
    };
    match line {
        Ok(line) => println!("{line}"),
        Err(message) => fail(&message, 1),
    }
}

fn fail(message: &str, code: i32) -> ! {
    eprintln!("moldau-load: {message}");
    std::process::exit(code)
}

/// Keeps `pipeline` requests in flight on each connection until the time is over.
fn run(options: &Options) -> Result<String, String> {
    let mut poll = mio::Poll::new().map_err(text)?;
    let mut connections = Vec::new();
    for index in 0..options.connections {
        let exchange = Exchange::new(options, index);
        connections.push(Connection::open(&options.address, exchange, options.pipeline, poll.registry(), index)?);
    }
    let mut events = mio::Events::with_capacity(256);
    let started = Instant::now();
    let measured_from = started + Duration::from_secs_f64(options.warmup);
    let end = measured_from + Duration::from_secs_f64(options.seconds);
    let mut measuring = false;
    let mut measured_start = started;
    for connection in &mut connections {
        connection.fill(started)?;
    }
    let finish = loop {
        poll.poll(&mut events, Some(Duration::from_millis(100))).map_err(text)?;
        let now = Instant::now();
        if !measuring && now >= measured_from {
            measuring = true;
            measured_start = now;
            connections.iter_mut().for_each(Connection::forget);
        }
        if now >= end {
            break now;
        }
        for event in &events {
            let connection = &mut connections[event.token().0];
            if event.is_readable() {
                connection.receive()?;
            }
            connection.fill(now)?;
        }
    };
    let seconds = (finish - measured_start).as_secs_f64();
    Ok(report(options, &mut connections, seconds))
}

fn report(options: &Options, connections: &mut [Connection], seconds: f64) -> String {
    let answers: u64 = connections.iter().map(|c| c.answers).sum();
    let received: u64 = connections.iter().map(|c| c.received_bytes).sum();
    let mut latencies: Vec<u32> = connections.iter_mut().flat_map(|c| std::mem::take(&mut c.latencies_us)).collect();
    let payload = match options.kind {
        Kind::Produce => answers * options.records as u64 * options.bytes as u64,
        _ => received,
    };
    format!(
        "{{\"requests\": {answers}, \"seconds\": {seconds:.6}, \"payload_bytes\": {payload}, {}}}",
        percentiles(&mut latencies)
    )
}

/// The latency part of the report, in microseconds.
pub fn percentiles(latencies_us: &mut [u32]) -> String {
    latencies_us.sort_unstable();
    let at = |share: f64| match latencies_us.len() {
        0 => 0,
        count => latencies_us[((count as f64 * share) as usize).min(count - 1)],
    };
    format!("\"p50_us\": {}, \"p99_us\": {}, \"p999_us\": {}", at(0.50), at(0.99), at(0.999))
}

pub fn text(error: std::io::Error) -> String {
    error.to_string()
}
