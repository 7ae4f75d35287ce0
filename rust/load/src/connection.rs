//! One connection that keeps a number of requests in flight.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use crate::frames::Exchange;
use crate::text;

/// Latencies are kept for this many answers at the most.
const SAMPLES: usize = 4_000_000;

pub struct Connection {
    stream: TcpStream,
    pub exchange: Exchange,
    pipeline: usize,
    sent_at: VecDeque<Instant>,
    /// Bytes made and not yet taken by the kernel.
    outgoing: Vec<u8>,
    outgoing_from: usize,
    buffer: Vec<u8>,
    /// The head of the answer that is coming in: its length and what `Exchange::check` looks at.
    head: Vec<u8>,
    /// How many bytes of that answer are still to come, once its length is known.
    missing: Option<usize>,
    pub answers: u64,
    pub received_bytes: u64,
    pub latencies_us: Vec<u32>,
}

impl Connection {
    pub fn open(
        address: &SocketAddr,
        exchange: Exchange,
        pipeline: usize,
        registry: &Registry,
        token: usize,
    ) -> Result<Connection, String> {
        let plain = std::net::TcpStream::connect(address).map_err(|e| format!("{address}: {e}"))?;
        plain.set_nodelay(true).map_err(text)?;
        plain.set_nonblocking(true).map_err(text)?;
        let mut stream = TcpStream::from_std(plain);
        registry.register(&mut stream, Token(token), Interest::READABLE | Interest::WRITABLE).map_err(text)?;
        Ok(Connection {
            stream,
            exchange,
            pipeline,
            sent_at: VecDeque::new(),
            outgoing: Vec::new(),
            outgoing_from: 0,
            buffer: vec![0; 256 << 10],
            head: Vec::new(),
            missing: None,
            answers: 0,
            received_bytes: 0,
            latencies_us: Vec::new(),
        })
    }

    /// Drop what was counted so far (the warm-up).
    pub fn forget(&mut self) {
        self.answers = 0;
        self.received_bytes = 0;
        self.latencies_us.clear();
    }

    /// Send until enough requests are in flight or the kernel takes no more.
    pub fn fill(&mut self, now: Instant) -> Result<(), String> {
        while self.sent_at.len() < self.pipeline {
            self.outgoing.extend_from_slice(self.exchange.next());
            self.sent_at.push_back(now);
        }
        self.flush()
    }

    pub fn send(&mut self, offset: i64) -> Result<(), String> {
        self.outgoing.extend_from_slice(self.exchange.seek(offset));
        self.sent_at.push_back(Instant::now());
        self.flush()
    }

    pub fn in_flight(&self) -> usize {
        self.sent_at.len()
    }

    fn flush(&mut self) -> Result<(), String> {
        while self.outgoing_from < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.outgoing_from..]) {
                Ok(0) => return Err("the broker closed the connection".into()),
                Ok(count) => self.outgoing_from += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(text(error)),
            }
        }
        self.outgoing.clear();
        self.outgoing_from = 0;
        Ok(())
    }

    pub fn receive(&mut self) -> Result<(), String> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => break Err("the broker closed the connection".into()),
                Ok(count) => {
                    self.received_bytes += count as u64;
                    if let Err(error) = self.take(&buffer[..count]) {
                        break Err(error);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break Ok(()),
                Err(error) => break Err(text(error)),
            }
        };
        self.buffer = buffer;
        result
    }

    fn take(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let missing = match self.missing {
                Some(missing) => missing,
                None => {
                    let wanted = (4 - self.head.len()).min(bytes.len());
                    self.head.extend_from_slice(&bytes[..wanted]);
                    bytes = &bytes[wanted..];
                    if self.head.len() < 4 {
                        return Ok(());
                    }
                    let length = i32::from_be_bytes([self.head[0], self.head[1], self.head[2], self.head[3]]);
                    usize::try_from(length).map_err(|_| "a negative answer length".to_string())?
                }
            };
            let here = missing.min(bytes.len());
            let looked_at = (4 + self.exchange.head_bytes()).saturating_sub(self.head.len()).min(here);
            self.head.extend_from_slice(&bytes[..looked_at]);
            bytes = &bytes[here..];
            self.missing = Some(missing - here);
            if missing == here {
                self.answered()?;
            }
        }
        Ok(())
    }

    fn answered(&mut self) -> Result<(), String> {
        if self.head.len() < 4 + self.exchange.head_bytes() {
            return Err("an answer too short to hold its error code".into());
        }
        self.exchange.check(&self.head[4..])?;
        self.head.clear();
        self.missing = None;
        self.answers += 1;
        let sent = self.sent_at.pop_front().ok_or("an answer that nobody asked for")?;
        if self.latencies_us.len() < SAMPLES {
            self.latencies_us.push(sent.elapsed().as_micros() as u32);
        }
        Ok(())
    }
}
