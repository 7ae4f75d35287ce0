//! The functions and the class that build batches.

use moldau_records::build::{Content, Cover, Draft, Unbuilt, cover, fold, values_size, write_values};
use moldau_records::compression::Codec;
use moldau_records::header::HEADER_BYTES;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::buffers::{Input, without_gil};

const EMPTY: &str = "a batch needs at least one record";

/// One batch of at least one record.
#[pyfunction]
#[pyo3(signature = (
    records, *, codec=0, base_offset=0, leader_epoch=-1, producer_id=-1, producer_epoch=-1, base_sequence=-1,
    transactional=false, control=false, compression_level=None
), text_signature = "(records, *, codec=..., base_offset=0, leader_epoch=-1, producer_id=-1, producer_epoch=-1, \
base_sequence=-1, transactional=False, control=False, compression_level=None)")]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn build<'py>(
    py: Python<'py>,
    records: &Bound<'py, PyAny>,
    codec: u8,
    base_offset: i64,
    leader_epoch: i32,
    producer_id: i64,
    producer_epoch: i16,
    base_sequence: i32,
    transactional: bool,
    control: bool,
    compression_level: Option<i32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (codec, compression_level) = compression(codec, compression_level)?;
    let cover = Cover {
        codec,
        compression_level,
        base_offset,
        leader_epoch,
        producer_id,
        producer_epoch,
        base_sequence,
        transactional,
        control,
    };
    let mut growing = Growing::new();
    for record in records.try_iter()? {
        let record = record?;
        let record = record.cast::<PyTuple>().map_err(|_| PyTypeError::new_err("a record must be a tuple"))?;
        if record.len() != 4 {
            return Err(PyValueError::new_err("a record is a timestamp, a key, a value and headers"));
        }
        let timestamp: i64 = record.get_borrowed_item(0)?.extract()?;
        let (key, value) = (record.get_borrowed_item(1)?, record.get_borrowed_item(2)?);
        let headers = record.get_borrowed_item(3)?;
        growing.append(timestamp, &key, &value, Some(&headers), usize::MAX)?;
    }
    growing.finish(py, &cover)
}

/// `build` for records of one time that have a value and nothing else.
#[pyfunction]
#[pyo3(signature = (
    values, timestamp, *, codec=0, base_offset=0, leader_epoch=-1, producer_id=-1, producer_epoch=-1,
    base_sequence=-1, transactional=false, control=false, compression_level=None
), text_signature = "(values, timestamp, *, codec=..., base_offset=0, leader_epoch=-1, producer_id=-1, \
producer_epoch=-1, base_sequence=-1, transactional=False, control=False, compression_level=None)")]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn build_values<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    timestamp: i64,
    codec: u8,
    base_offset: i64,
    leader_epoch: i32,
    producer_id: i64,
    producer_epoch: i16,
    base_sequence: i32,
    transactional: bool,
    control: bool,
    compression_level: Option<i32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (codec, compression_level) = compression(codec, compression_level)?;
    let cover = Cover {
        codec,
        compression_level,
        base_offset,
        leader_epoch,
        producer_id,
        producer_epoch,
        base_sequence,
        transactional,
        control,
    };
    let values: Vec<Option<Input<'py>>> = values.try_iter()?.map(|value| field(&value?)).collect::<PyResult<_>>()?;
    if values.is_empty() {
        return Err(PyValueError::new_err(EMPTY));
    }
    let content =
        Content { record_count: record_count(values.len())?, base_timestamp: timestamp, max_timestamp: timestamp };
    let slices: Vec<Option<&[u8]>> = values.iter().map(|value| value.as_ref().map(Input::bytes)).collect();
    let size = values_size(slices.iter().copied());
    if codec == Codec::None {
        return PyBytes::new_with(py, size, |batch| {
            write_values(batch, slices.iter().copied());
            without_gil(py, size, || moldau_records::build::cover(batch, &cover, content)).map_err(unbuilt)
        });
    }
    let mut batch = vec![0; size];
    write_values(&mut batch, slices.iter().copied());
    folded(py, &mut batch, &cover, content)
}

/// A batch that grows record by record up to a limit of bytes (before compression).
#[pyclass]
pub struct BatchBuilder {
    codec: Codec,
    compression_level: Option<i32>,
    limit: usize,
    growing: Growing,
}

#[pymethods]
impl BatchBuilder {
    #[new]
    #[pyo3(signature = (codec, limit_bytes, compression_level=None))]
    fn new(codec: u8, limit_bytes: usize, compression_level: Option<i32>) -> PyResult<Self> {
        let (codec, compression_level) = compression(codec, compression_level)?;
        Ok(BatchBuilder { codec, compression_level, limit: limit_bytes, growing: Growing::new() })
    }

    /// Bytes of the batch so far, before compression.
    #[getter]
    fn size(&self) -> usize {
        self.growing.batch.len()
    }

    /// How many records it holds.
    #[getter]
    fn count(&self) -> i32 {
        self.growing.record_count
    }

    /// False, and nothing is taken, when the record would pass the limit; the first one always fits.
    #[pyo3(signature = (timestamp, key, value, headers=None), text_signature = "(self, timestamp, key, value, headers=())")]
    fn append(
        &mut self,
        timestamp: i64,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        self.growing.append(timestamp, key, value, headers, self.limit)
    }

    /// The batch; the builder is empty again.
    #[pyo3(signature = (
        *, base_offset=0, leader_epoch=-1, producer_id=-1, producer_epoch=-1, base_sequence=-1, transactional=false
    ), text_signature = "(self, *, base_offset=0, leader_epoch=-1, producer_id=-1, producer_epoch=-1, \
base_sequence=-1, transactional=False)")]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn finish<'py>(
        &mut self,
        py: Python<'py>,
        base_offset: i64,
        leader_epoch: i32,
        producer_id: i64,
        producer_epoch: i16,
        base_sequence: i32,
        transactional: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let cover = Cover {
            codec: self.codec,
            compression_level: self.compression_level,
            base_offset,
            leader_epoch,
            producer_id,
            producer_epoch,
            base_sequence,
            transactional,
            control: false,
        };
        self.growing.finish(py, &cover)
    }
}

/// Records in the making, behind the room for their header.
struct Growing {
    batch: Vec<u8>,
    record_count: i32,
    base_timestamp: i64,
    max_timestamp: i64,
}

impl Growing {
    fn new() -> Self {
        Growing { batch: vec![0; HEADER_BYTES], record_count: 0, base_timestamp: 0, max_timestamp: 0 }
    }

    #[inline(always)]
    fn append(
        &mut self,
        timestamp: i64,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        headers: Option<&Bound<'_, PyAny>>,
        limit: usize,
    ) -> PyResult<bool> {
        let (key, value) = (field(key)?, field(value)?);
        let (key, value) = (key.as_ref().map(Input::bytes), value.as_ref().map(Input::bytes));
        let headers = headers.filter(|headers| !headers.cast::<PyTuple>().is_ok_and(|headers| headers.is_empty()));
        match headers {
            None => self.take(timestamp, key, value, &[], limit),
            Some(headers) => {
                let held: Vec<(Bound<'_, PyString>, Option<Input<'_>>)> =
                    headers.try_iter()?.map(|pair| header_pair(&pair?)).collect::<PyResult<_>>()?;
                let mut pairs = Vec::with_capacity(held.len());
                for (name, value) in &held {
                    pairs.push((name.to_str()?.as_bytes(), value.as_ref().map(Input::bytes)));
                }
                self.take(timestamp, key, value, &pairs, limit)
            }
        }
    }

    #[inline(always)]
    fn take(
        &mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[(&[u8], Option<&[u8]>)],
        limit: usize,
    ) -> PyResult<bool> {
        let first = self.record_count == 0;
        let base = if first { timestamp } else { self.base_timestamp };
        let timestamp_delta = timestamp.wrapping_sub(base);
        let draft = Draft { timestamp_delta, offset_delta: self.record_count, key, value, headers };
        if !draft.append_to(&mut self.batch, if first { usize::MAX } else { limit }) {
            return Ok(false);
        }
        self.base_timestamp = base;
        self.max_timestamp = if first { timestamp } else { self.max_timestamp.max(timestamp) };
        self.record_count = record_count(self.record_count as usize + 1)?;
        Ok(true)
    }

    /// The batch; nothing is left.
    fn finish<'py>(&mut self, py: Python<'py>, cover: &Cover) -> PyResult<Bound<'py, PyBytes>> {
        if self.record_count == 0 {
            return Err(PyValueError::new_err(EMPTY));
        }
        let content = Content {
            record_count: self.record_count,
            base_timestamp: self.base_timestamp,
            max_timestamp: self.max_timestamp,
        };
        let batch = folded(py, &mut self.batch, cover, content)?;
        self.batch.truncate(HEADER_BYTES);
        self.record_count = 0;
        Ok(batch)
    }
}

/// A plain batch with its header written, or its folded form.
fn folded<'py>(py: Python<'py>, batch: &mut [u8], says: &Cover, content: Content) -> PyResult<Bound<'py, PyBytes>> {
    let made = without_gil(py, batch.len(), || {
        let mut folded = fold(batch, says)?;
        cover(folded.as_deref_mut().unwrap_or(batch), says, content)?;
        Ok(folded)
    });
    let made = made.map_err(unbuilt)?;
    Ok(PyBytes::new(py, made.as_deref().unwrap_or(batch)))
}

#[inline(always)]
fn field<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Input<'py>>> {
    if object.is_none() { Ok(None) } else { Input::new(object).map(Some) }
}

fn header_pair<'py>(pair: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyString>, Option<Input<'py>>)> {
    let (name, value): (Bound<'py, PyString>, Bound<'py, PyAny>) = pair.extract()?;
    Ok((name, field(&value)?))
}

fn compression(codec: u8, level: Option<i32>) -> PyResult<(Codec, Option<i32>)> {
    let codec =
        Codec::from_number(codec).ok_or_else(|| PyValueError::new_err(format!("{codec} is not a valid Codec")))?;
    match (codec.levels(), level) {
        (Some(levels), Some(level)) if !levels.contains(&level) => Err(PyValueError::new_err(format!(
            "the compression level is {level}, it must be between {} and {}",
            levels.start(),
            levels.end()
        ))),
        _ => Ok((codec, level)),
    }
}

fn record_count(count: usize) -> PyResult<i32> {
    i32::try_from(count).map_err(|_| PyValueError::new_err("a batch holds at most 2147483647 records"))
}

fn unbuilt(error: Unbuilt) -> PyErr {
    match error {
        Unbuilt::TooLarge(size) => {
            PyValueError::new_err(format!("the batch would have {size} bytes; put fewer records in it"))
        }
        Unbuilt::Compression(error) => PyOSError::new_err(error.to_string()),
    }
}
