//! Zigzag varints as Kafka reads and writes them: over-long encodings are accepted, bits past the width dropped, more
//! bytes than the width can need refused.

/// Why a number could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The data ends within it.
    Ends,
    /// It goes on after the last byte it may have.
    Overlong,
}

#[inline(always)]
pub fn read_int(data: &[u8], position: &mut usize) -> Result<i32, Broken> {
    if let Some(&first) = data.get(*position) {
        if first < 0x80 {
            *position += 1;
            return Ok(unzigzag(u64::from(first)) as i32);
        }
        if let Some(&second) = data.get(*position + 1)
            && second < 0x80
        {
            *position += 2;
            return Ok(unzigzag(u64::from(first & 0x7F) | u64::from(second) << 7) as i32);
        }
    }
    let raw = read_raw(data, position, 5)?;
    Ok(unzigzag(raw & 0xFFFF_FFFF) as i32)
}

#[inline(always)]
pub fn read_long(data: &[u8], position: &mut usize) -> Result<i64, Broken> {
    if let Some(&first) = data.get(*position)
        && first < 0x80
    {
        *position += 1;
        return Ok(unzigzag(u64::from(first)));
    }
    Ok(unzigzag(read_raw(data, position, 10)?))
}

#[inline(never)]
fn read_raw(data: &[u8], position: &mut usize, most_bytes: usize) -> Result<u64, Broken> {
    let mut raw = 0u64;
    for step in 0..most_bytes {
        let byte = *data.get(*position + step).ok_or(Broken::Ends)?;
        raw |= u64::from(byte & 0x7F) << (7 * step);
        if byte < 0x80 {
            *position += step + 1;
            return Ok(raw);
        }
    }
    Err(Broken::Overlong)
}

#[inline(always)]
fn unzigzag(raw: u64) -> i64 {
    ((raw >> 1) as i64) ^ -((raw & 1) as i64)
}

#[inline(always)]
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// How many bytes `write` needs.
#[inline(always)]
pub fn size(value: i64) -> usize {
    let bits = 64 - (zigzag(value) | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Write at `position`, which moves on. The room must be there.
#[inline(always)]
pub fn write(out: &mut [u8], position: &mut usize, value: i64) {
    let mut rest = zigzag(value);
    while rest >= 0x80 {
        out[*position] = rest as u8 | 0x80;
        *position += 1;
        rest >>= 7;
    }
    out[*position] = rest as u8;
    *position += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_comes_back() {
        let mut numbers = vec![0i64, -1, 1, i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX)];
        for shift in 0..63 {
            numbers.extend([1i64 << shift, (1i64 << shift) - 1, -(1i64 << shift), -(1i64 << shift) - 1]);
        }
        for number in numbers {
            let mut out = [0u8; 10];
            let mut written = 0;
            write(&mut out, &mut written, number);
            assert_eq!(written, size(number));
            let mut read = 0;
            assert_eq!(read_long(&out, &mut read), Ok(number));
            assert_eq!(read, written);
            if let Ok(small) = i32::try_from(number) {
                let mut read = 0;
                assert_eq!(read_int(&out, &mut read), Ok(small));
            }
        }
    }

    #[test]
    fn limits_of_length() {
        assert_eq!(read_int(&[0x80, 0x80], &mut 0), Err(Broken::Ends));
        assert_eq!(read_int(&[0x80, 0x80, 0x80, 0x80, 0x80, 0], &mut 0), Err(Broken::Overlong));
        assert_eq!(read_int(&[0x82, 0x80, 0x80, 0x80, 0x00], &mut 0), Ok(1));
        assert_eq!(read_int(&[0xFF, 0xFF, 0xFF, 0xFF, 0x7F], &mut 0), Ok(i32::MIN));
        assert_eq!(read_long(&[0xFF; 10], &mut 0), Err(Broken::Overlong));
    }
}
