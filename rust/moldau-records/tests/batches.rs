//! Whole batches: what is built is valid and decodes; what is spoiled is refused without a panic.

use moldau_records::batches::{read_headers, verified_headers};
use moldau_records::build::{Content, Cover, Draft, cover, fold};
use moldau_records::columns::{Undecoded, decode_columns};
use moldau_records::compression::Codec;
use moldau_records::decode::next_batch;
use moldau_records::fault::{Checked, Code, Fault};
use moldau_records::header::{HEADER_BYTES, seal};
use moldau_records::validate::{Limits, validate_batch};

const NOW: i64 = 1_700_000_000_000;
const CODECS: [Codec; 5] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd];
const LIMITS: Limits = Limits { batch_bytes: 1 << 20, decompressed_bytes: 1 << 22, require_keys: false };

fn batch(codec: Codec, values: &[&[u8]]) -> Vec<u8> {
    let mut plain = vec![0; HEADER_BYTES];
    for (value, index) in values.iter().zip(0..) {
        let headers: &[(&[u8], Option<&[u8]>)] = &[(b"name", Some(b"value")), (b"null", None)];
        let draft = Draft {
            timestamp_delta: i64::from(index),
            offset_delta: index,
            key: (index % 2 == 0).then_some(b"key"),
            value: Some(value),
            headers: if index % 3 == 0 { headers } else { &[] },
        };
        assert!(draft.append_to(&mut plain, usize::MAX));
    }
    let says = Cover {
        codec,
        compression_level: None,
        base_offset: 0,
        leader_epoch: -1,
        producer_id: -1,
        producer_epoch: -1,
        base_sequence: -1,
        transactional: false,
        control: false,
    };
    let record_count = values.len() as i32;
    let content = Content { record_count, base_timestamp: NOW, max_timestamp: NOW + i64::from(record_count) - 1 };
    let mut made = fold(&plain, &says).expect("memory does not fail").unwrap_or(plain);
    cover(&mut made, &says, content).expect("it is small");
    made
}

fn offsets(buffer: &[u8]) -> Checked<Vec<(i64, i64, usize)>> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(batch) = next_batch(buffer, &mut position, LIMITS.decompressed_bytes)? {
        batch.each(|offset, time, record| {
            found.push((offset, time, record.headers().len()));
            Ok::<(), Box<Fault>>(())
        })?;
    }
    Ok(found)
}

#[test]
fn what_is_built_is_valid_and_decodes() {
    let large = vec![b'x'; 200_000];
    for codec in CODECS {
        let made = batch(codec, &[b"one", b"", &large, b"four"]);
        let valid = validate_batch(&made, 0, LIMITS).expect("it is well made");
        assert_eq!(valid.max_timestamp, NOW + 3);
        assert_eq!(offsets(&made), Ok(vec![(0, NOW, 2), (1, NOW + 1, 0), (2, NOW + 2, 0), (3, NOW + 3, 2)]));
        assert_eq!(read_headers(&made).map(|headers| headers.len()), Ok(1));
        let Ok(columns) = decode_columns(&made, 1, LIMITS.decompressed_bytes) else { panic!("it is well made") };
        assert_eq!((columns.rows, columns.keys.null_count, columns.values.data.len()), (3, 2, 200_004));
        assert_eq!(columns.keys.validity, Some(vec![0b010]));
    }
}

#[test]
fn a_bomb_is_refused() {
    let zeros = vec![0; 60 << 20];
    for codec in &CODECS[1..] {
        let fault = validate_batch(&batch(*codec, &[&zeros]), 0, Limits { batch_bytes: usize::MAX, ..LIMITS });
        assert_eq!(fault.map_err(|fault| fault.code).err(), Some(Code::MessageTooLarge));
    }
}

#[test]
fn spoiled_batches_never_panic() {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut draw = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut refused = 0;
    for round in 0..40_000 {
        let mut made = batch(CODECS[round % 5], &[b"one", b"two two two two two two two two", b"three"]);
        for _ in 0..=draw(3) {
            let at = 16 + draw(made.len() - 16);
            match draw(3) {
                0 => made[at] = draw(256) as u8,
                1 => made[at] ^= 0x80,
                _ => made.truncate(at.max(HEADER_BYTES)),
            }
        }
        let length = (made.len() - 12) as i32;
        made[8..12].copy_from_slice(&length.to_be_bytes());
        seal(&mut made);
        let valid = validate_batch(&made, 0, LIMITS);
        let records = offsets(&made);
        match decode_columns(&made, i64::MIN, LIMITS.decompressed_bytes) {
            Ok(columns) => assert_eq!(Ok(columns.rows), records.as_ref().map(Vec::len)),
            Err(Undecoded::Invalid(fault)) => assert_eq!(Err(fault), records),
            Err(Undecoded::TooLarge) => panic!("nothing here is large"),
        }
        refused += usize::from(valid.is_err());
        assert!(verified_headers(&made).len() <= 1);
        // What a leader takes, a reader can read.
        assert!(valid.is_err() || records.is_ok());
    }
    assert!((20_000..40_000).contains(&refused), "{refused}");
}
