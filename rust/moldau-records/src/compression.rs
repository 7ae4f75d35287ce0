//! Compressing and unfolding a batch's records, each codec in the frames that Kafka's clients write and read.

use std::io::Read;

use flate2::{Compression, Decompress, FlushDecompress, Status};
use lz4::block::CompressionMode;

use crate::fault::{Checked, Code, Fault};

const XERIAL_MAGIC: &[u8] = b"\x82SNAPPY\0";
/// The magic and two version numbers, both 1.
const XERIAL_HEADER: &[u8] = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01";
const XERIAL_BLOCK_BYTES: usize = 32 * 1024;
const LZ4_MAGIC: &[u8] = b"\x04\x22\x4d\x18";
/// Independent blocks of at most 64 KiB, no checksums but the header's own.
const LZ4_HEADER: &[u8] = b"\x04\x22\x4d\x18\x60\x40\x82";
const LZ4_BLOCK_BYTES: usize = 64 * 1024;
const LZ4_STORED: u32 = 0x8000_0000;
const GZIP_MAGIC: &[u8] = b"\x1f\x8b\x08";
const GZIP_WINDOW_BITS: u8 = 15;
/// How much is unfolded at a time.
const STEP_BYTES: usize = 128 * 1024;

/// How the records of a batch are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    None,
    Gzip,
    Snappy,
    Lz4,
    Zstd,
}

impl Codec {
    pub fn from_number(number: u8) -> Option<Codec> {
        [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd].get(usize::from(number)).copied()
    }

    fn name(self) -> &'static str {
        ["none", "gzip", "snappy", "lz4", "zstd"][self as usize]
    }

    /// The levels it has: best speed to best size.
    pub fn levels(self) -> Option<std::ops::RangeInclusive<i32>> {
        match self {
            Codec::Gzip => Some(-1..=9),
            Codec::Zstd => Some(-131_072..=22),
            _ => None,
        }
    }
}

/// Append `data` in the codec's frame to `out`. The level must be one that the codec has.
pub fn compress(codec: Codec, data: &[u8], level: Option<i32>, out: &mut Vec<u8>) -> std::io::Result<()> {
    match codec {
        Codec::None => out.extend_from_slice(data),
        Codec::Gzip => {
            let level =
                level.and_then(|level| u32::try_from(level).ok()).map_or(Compression::default(), Compression::new);
            flate2::read::GzEncoder::new(data, level).read_to_end(out)?;
        }
        Codec::Snappy => compress_snappy(data, out)?,
        Codec::Lz4 => compress_lz4(data, out)?,
        Codec::Zstd => out.append(&mut zstd::bulk::compress(data, level.unwrap_or(zstd::DEFAULT_COMPRESSION_LEVEL))?),
    }
    Ok(())
}

fn compress_snappy(data: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    let mut encoder = snap::raw::Encoder::new();
    out.extend_from_slice(XERIAL_HEADER);
    let mut block = vec![0; snap::raw::max_compress_len(XERIAL_BLOCK_BYTES)];
    for plain in data.chunks(XERIAL_BLOCK_BYTES) {
        let size = encoder.compress(plain, &mut block)?;
        out.extend_from_slice(&(size as u32).to_be_bytes());
        out.extend_from_slice(&block[..size]);
    }
    Ok(())
}

fn compress_lz4(data: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    out.extend_from_slice(LZ4_HEADER);
    let mut block = vec![0; lz4::block::compress_bound(LZ4_BLOCK_BYTES)?];
    for plain in data.chunks(LZ4_BLOCK_BYTES) {
        let size = lz4::block::compress_to_buffer(plain, Some(CompressionMode::DEFAULT), false, &mut block)?;
        if size < plain.len() {
            out.extend_from_slice(&(size as u32).to_le_bytes());
            out.extend_from_slice(&block[..size]);
        } else {
            out.extend_from_slice(&(plain.len() as u32 | LZ4_STORED).to_le_bytes());
            out.extend_from_slice(plain);
        }
    }
    out.extend_from_slice(&[0; 4]);
    Ok(())
}

/// All that `data` unfolds to, at most `limit` bytes.
pub fn decompress(codec: Codec, data: &[u8], limit: usize) -> Checked<Vec<u8>> {
    let mut stream = Unfolding::new(codec, data, limit)?;
    let mut out = Vec::with_capacity(limit.min(data.len().saturating_mul(4)));
    while stream.more(&mut out)? {}
    Ok(out)
}

/// The codec that a header's number names.
pub fn known_codec(number: u8) -> Checked<Codec> {
    Codec::from_number(number)
        .ok_or_else(|| Fault::new(Code::UnsupportedCompressionType, format!("codec {number} does not exist")))
}

/// A compressed stream that is unfolded piece by piece, never further than the limit.
pub struct Unfolding<'a> {
    codec: Codec,
    limit: usize,
    room: usize,
    source: Source<'a>,
}

enum Source<'a> {
    Gzip { member: Box<Decompress>, rest: &'a [u8] },
    Snappy(&'a [u8]),
    BareSnappy(&'a [u8]),
    Lz4(Box<lz4::Decoder<&'a [u8]>>),
    Zstd(Box<zstd::Decoder<'static, &'a [u8]>>),
    Done,
}

/// Why nothing more comes.
enum Trouble {
    Broken,
    TooLarge,
}

impl<E: std::error::Error> From<E> for Trouble {
    fn from(_: E) -> Trouble {
        Trouble::Broken
    }
}

impl<'a> Unfolding<'a> {
    /// `codec` must not be `None`.
    pub fn new(codec: Codec, data: &'a [u8], limit: usize) -> Checked<Unfolding<'a>> {
        match source(codec, data) {
            Ok(source) => Ok(Unfolding { codec, limit, room: limit, source }),
            Err(trouble) => Err(fault(trouble, codec, limit)),
        }
    }

    /// Append some bytes to `out`; false when there are no more.
    pub fn more(&mut self, out: &mut Vec<u8>) -> Checked<bool> {
        let before = out.len();
        let goes_on = self.source.more(out, self.room);
        let made = out.len() - before;
        let goes_on = if made > self.room { Err(Trouble::TooLarge) } else { goes_on };
        self.room = self.room.saturating_sub(made);
        goes_on.map_err(|trouble| fault(trouble, self.codec, self.limit))
    }
}

fn fault(trouble: Trouble, codec: Codec, limit: usize) -> Box<Fault> {
    match trouble {
        Trouble::Broken => {
            Fault::new(Code::InvalidRecord, format!("the records are not a whole {} stream", codec.name()))
        }
        Trouble::TooLarge => Fault::new(
            Code::MessageTooLarge,
            format!("the records unfold to more than {limit} bytes; send smaller batches"),
        ),
    }
}

fn source(codec: Codec, data: &[u8]) -> Result<Source<'_>, Trouble> {
    if data.is_empty() {
        return Err(Trouble::Broken);
    }
    Ok(match codec {
        Codec::None => Source::Done,
        Codec::Gzip => Source::Gzip { member: Box::new(Decompress::new_gzip(GZIP_WINDOW_BITS)), rest: data },
        Codec::Snappy if data.starts_with(XERIAL_MAGIC) => {
            Source::Snappy(data.get(XERIAL_HEADER.len()..).ok_or(Trouble::Broken)?)
        }
        Codec::Snappy => Source::BareSnappy(data),
        Codec::Lz4 => Source::Lz4(Box::new(lz4::Decoder::new(first_lz4_frame(data)?)?)),
        Codec::Zstd => Source::Zstd(Box::new(zstd::Decoder::with_buffer(data)?)),
    })
}

impl Source<'_> {
    /// Append at most a step, or one byte more than there is room for.
    fn more(&mut self, out: &mut Vec<u8>, room: usize) -> Result<bool, Trouble> {
        let step = STEP_BYTES.min(room.saturating_add(1));
        match self {
            Source::Done => Ok(false),
            Source::Gzip { member, rest } => {
                if !unfold_gzip(member, rest, out, step)? {
                    *self = Source::Done;
                }
                Ok(true)
            }
            Source::Snappy(rest) => {
                let Some((&size, after)) = rest.split_first_chunk::<4>() else {
                    return if rest.is_empty() { Ok(false) } else { Err(Trouble::Broken) };
                };
                let size = i32::from_be_bytes(size);
                if size <= 0 || size as usize > after.len() {
                    return Err(Trouble::Broken);
                }
                let (block, after) = after.split_at(size as usize);
                *rest = after;
                unfold_snappy(block, out, room)?;
                Ok(true)
            }
            Source::BareSnappy(block) => {
                unfold_snappy(block, out, room)?;
                *self = Source::Done;
                Ok(true)
            }
            Source::Lz4(decoder) => Ok(decoder.take(step as u64).read_to_end(out)? > 0),
            Source::Zstd(decoder) => Ok(decoder.take(step as u64).read_to_end(out)? > 0),
        }
    }
}

/// A step of the members of `rest`; false after the last one. What follows it and is no member is ignored, as Java does.
fn unfold_gzip(member: &mut Decompress, rest: &mut &[u8], out: &mut Vec<u8>, step: usize) -> Result<bool, Trouble> {
    let start = out.len();
    out.resize(start + step, 0);
    let (read, written) = (member.total_in(), member.total_out());
    let status = member.decompress(rest, &mut out[start..], FlushDecompress::None);
    out.truncate(start + (member.total_out() - written) as usize);
    let status = status?;
    *rest = &rest[(member.total_in() - read) as usize..];
    if status == Status::StreamEnd {
        *member = Decompress::new_gzip(GZIP_WINDOW_BITS);
        return Ok(rest.starts_with(GZIP_MAGIC));
    }
    if out.len() == start {
        return Err(Trouble::Broken);
    }
    Ok(true)
}

fn unfold_snappy(block: &[u8], out: &mut Vec<u8>, room: usize) -> Result<(), Trouble> {
    let size = snap::raw::decompress_len(block)?;
    if size > room {
        return Err(Trouble::TooLarge);
    }
    let start = out.len();
    out.resize(start + size, 0);
    snap::raw::Decoder::new().decompress(block, &mut out[start..])?;
    Ok(())
}

/// The frame at the start, whole; what follows it is ignored, as Java does.
fn first_lz4_frame(data: &[u8]) -> Result<&[u8], Trouble> {
    let flags = *data.strip_prefix(LZ4_MAGIC).and_then(<[u8]>::first).ok_or(Trouble::Broken)?;
    if flags >> 6 != 1 || flags & 1 != 0 {
        return Err(Trouble::Broken);
    }
    let block_tail = if flags & 0x10 != 0 { 4 } else { 0 };
    let mut position = if flags & 0x08 != 0 { 15 } else { 7 };
    loop {
        let size = data.get(position..).and_then(|rest| rest.first_chunk::<4>()).ok_or(Trouble::Broken)?;
        position += 4;
        match u32::from_le_bytes(*size) {
            0 => break,
            size => position += (size & !LZ4_STORED) as usize + block_tail,
        }
    }
    position += if flags & 0x04 != 0 { 4 } else { 0 };
    data.get(..position).ok_or(Trouble::Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Codec; 4] = [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];

    fn folded(codec: Codec, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        compress(codec, data, None, &mut out).expect("memory does not fail");
        out
    }

    #[test]
    fn what_is_folded_unfolds() {
        let mixed: Vec<u8> = (0..300_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> (n % 30)) as u8).collect();
        for codec in ALL {
            for data in [&mixed[..], &mixed[..1], &vec![7; 200_000]] {
                assert_eq!(decompress(codec, &folded(codec, data), data.len()).as_deref(), Ok(data));
            }
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        for codec in ALL {
            let fault = decompress(codec, &folded(codec, &vec![0; 10_000_000]), 9_999_999).unwrap_err();
            assert_eq!(fault.code, Code::MessageTooLarge);
        }
    }

    #[test]
    fn a_cut_stream_is_refused() {
        for codec in ALL {
            let whole = folded(codec, b"some bytes, some more bytes, and some bytes again");
            for cut in 0..whole.len() {
                match decompress(codec, &whole[..cut], 1 << 20) {
                    Err(fault) => assert_eq!(fault.code, Code::InvalidRecord),
                    // Java's frame has no end mark: a cut between blocks cannot be seen here.
                    Ok(data) => assert!(codec == Codec::Snappy && cut == XERIAL_HEADER.len() && data.is_empty()),
                }
            }
        }
    }

    #[test]
    fn members_of_gzip_follow_each_other() {
        let two = [folded(Codec::Gzip, b"one "), folded(Codec::Gzip, b"two"), b"trailing".to_vec()].concat();
        assert_eq!(decompress(Codec::Gzip, &two, 7).as_deref(), Ok(&b"one two"[..]));
    }
}
