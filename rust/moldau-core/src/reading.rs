//! The functions that read and stamp batches.

use moldau_records::batches;
use moldau_records::columns::{self, Undecoded};
use moldau_records::decode::next_batch;
use moldau_records::fault::{Code, Fault};
use moldau_records::header::{APPEND_TIME_BIT, Header, write_place, write_times};
use moldau_records::validate::{Limits, Valid, validate_batch};
use moldau_records::walk::Record;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyTuple};

use crate::buffers::{Input, without_gil};
use crate::objects;

/// The Castagnoli sum of all bytes.
#[pyfunction]
pub fn crc32c(py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<u32> {
    let input = Input::new(buffer)?;
    let bytes = input.bytes();
    Ok(without_gil(py, bytes.len(), || moldau_records::crc32c(bytes)))
}

/// The header at `position`, unchecked.
#[pyfunction]
#[pyo3(signature = (buffer, position=0))]
pub fn read_header<'py>(py: Python<'py>, buffer: &Bound<'py, PyAny>, position: isize) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::new(buffer)?;
    let header = place(position).and_then(|place| batches::read_header(input.bytes(), place));
    objects::header(py, &header.map_err(|fault| objects::refusal(py, &fault))?)
}

/// The headers of the whole batches.
#[pyfunction]
pub fn read_headers<'py>(py: Python<'py>, buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let input = Input::new(buffer)?;
    let headers = batches::read_headers(input.bytes()).map_err(|fault| objects::refusal(py, &fault))?;
    header_list(py, &headers)
}

/// The headers of the batches at the front that are whole and true to their sum.
#[pyfunction]
pub fn verified_headers<'py>(py: Python<'py>, buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let input = Input::new(buffer)?;
    let bytes = input.bytes();
    let headers = without_gil(py, bytes.len(), || batches::verified_headers(bytes));
    header_list(py, &headers)
}

/// Write where the batch stands and who led.
#[pyfunction]
pub fn stamp(
    py: Python<'_>,
    buffer: &Bound<'_, PyAny>,
    position: isize,
    base_offset: i64,
    leader_epoch: i32,
) -> PyResult<()> {
    let mut input = Input::new(buffer)?;
    let bytes = input.bytes_mut()?;
    let (batch, _) = place(position)
        .and_then(|place| batches::batch_to_stamp(bytes, place))
        .map_err(|fault| objects::refusal(py, &fault))?;
    write_place(batch, base_offset, leader_epoch);
    Ok(())
}

/// Make the broker's time that of every record.
#[pyfunction]
pub fn stamp_append_time(py: Python<'_>, buffer: &Bound<'_, PyAny>, position: isize, timestamp: i64) -> PyResult<()> {
    let mut input = Input::new(buffer)?;
    let bytes = input.bytes_mut()?;
    let (batch, header) = place(position)
        .and_then(|place| batches::batch_to_stamp(bytes, place))
        .map_err(|fault| objects::refusal(py, &fault))?;
    write_times(batch, header.attributes | APPEND_TIME_BIT, timestamp);
    Ok(())
}

/// The headers of the batches that make up the buffer, or the refusal of the first that a leader must refuse.
#[pyfunction]
#[pyo3(signature = (buffer, *, max_batch_bytes, max_decompressed_bytes, require_keys=false))]
pub fn validate<'py>(
    py: Python<'py>,
    buffer: &Bound<'py, PyAny>,
    max_batch_bytes: usize,
    max_decompressed_bytes: usize,
    require_keys: bool,
) -> PyResult<Bound<'py, PyList>> {
    let limits = Limits { batch_bytes: max_batch_bytes, decompressed_bytes: max_decompressed_bytes, require_keys };
    let mut input = Input::new(buffer)?;
    let mut headers = Vec::with_capacity(1);
    let mut position = 0;
    while position < input.bytes().len() {
        let bytes = input.bytes();
        let checked = without_gil(py, bytes.len() - position, || validate_batch(bytes, position, limits));
        let mut valid = checked.map_err(|fault| objects::refusal(py, &fault))?;
        mend(py, &mut input, &mut valid)?;
        position += valid.header.size() as usize;
        headers.push(objects::header(py, &valid.header)?);
    }
    if headers.is_empty() {
        return Err(objects::refusal(py, &Fault::new(Code::InvalidRecord, "there is no record batch")));
    }
    PyList::new(py, headers)
}

/// Set the maximum timestamp right if it is not the largest of its records.
fn mend(py: Python<'_>, input: &mut Input<'_>, valid: &mut Valid) -> PyResult<()> {
    let header = &mut valid.header;
    let largest = valid.max_timestamp;
    if header.max_timestamp == largest {
        return Ok(());
    }
    if !input.writable() {
        let message =
            format!("the maximum timestamp is {}, the largest of the records {largest}", header.max_timestamp);
        return Err(objects::refusal(py, &Fault::new(Code::InvalidTimestamp, message)));
    }
    let batch = &mut input.bytes_mut()?[valid.position..][..header.size() as usize];
    header.crc = write_times(batch, header.attributes, largest);
    header.max_timestamp = largest;
    Ok(())
}

/// The records from `start_offset` on.
#[pyfunction]
#[pyo3(signature = (buffer, start_offset=0, *, max_decompressed_bytes=objects::MAX_DECOMPRESSED_BYTES))]
pub fn decode<'py>(
    py: Python<'py>,
    buffer: &Bound<'py, PyAny>,
    start_offset: i64,
    max_decompressed_bytes: usize,
) -> PyResult<Bound<'py, PyList>> {
    let input = Input::new(buffer)?;
    let bytes = input.bytes();
    let mut records: Vec<Bound<'py, PyTuple>> = Vec::new();
    let mut position = 0;
    loop {
        let next = without_gil(py, bytes.len() - position, || next_batch(bytes, &mut position, max_decompressed_bytes));
        let Some(batch) = next.map_err(|fault| objects::refusal(py, &fault))? else { break };
        records.reserve(batch.capacity());
        let mut maker = Maker::new(py);
        let taken = batch.each(|offset, time, record| {
            if offset >= start_offset {
                records.push(maker.record(offset, time, &record)?);
            }
            Ok::<(), Undone>(())
        });
        taken.map_err(|undone| match undone {
            Undone::Invalid(fault) => objects::refusal(py, &fault),
            Undone::Python(error) => error,
        })?;
    }
    PyList::new(py, records)
}

/// Why a walk over records stopped.
enum Undone {
    Invalid(Box<Fault>),
    Python(PyErr),
}

impl From<Box<Fault>> for Undone {
    fn from(fault: Box<Fault>) -> Undone {
        Undone::Invalid(fault)
    }
}

impl From<PyErr> for Undone {
    fn from(error: PyErr) -> Undone {
        Undone::Python(error)
    }
}

/// Makes the tuples of one batch; neighbours often share a time, and most have no headers.
struct Maker<'py> {
    py: Python<'py>,
    none: Bound<'py, PyAny>,
    no_headers: Bound<'py, PyAny>,
    time: (i64, Bound<'py, PyAny>),
}

impl<'py> Maker<'py> {
    fn new(py: Python<'py>) -> Self {
        let none = py.None().into_bound(py);
        Maker { py, none, no_headers: PyTuple::empty(py).into_any(), time: (0, PyInt::new(py, 0).into_any()) }
    }

    #[inline(always)]
    fn record(&mut self, offset: i64, time: i64, record: &Record<'_>) -> PyResult<Bound<'py, PyTuple>> {
        if time != self.time.0 {
            self.time = (time, PyInt::new(self.py, time).into_any());
        }
        let headers = if record.header_count == 0 { self.no_headers.clone() } else { self.headers(record)? };
        let offset = PyInt::new(self.py, offset).into_any();
        PyTuple::new(self.py, [offset, self.time.1.clone(), self.field(record.key), self.field(record.value), headers])
    }

    #[inline(always)]
    fn field(&self, field: Option<&[u8]>) -> Bound<'py, PyAny> {
        match field {
            Some(bytes) => PyBytes::new(self.py, bytes).into_any(),
            None => self.none.clone(),
        }
    }

    fn headers(&self, record: &Record<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut pairs = Vec::with_capacity(record.header_count as usize);
        for (key, value) in record.headers() {
            pairs.push((String::from_utf8_lossy(key), self.field(value)).into_pyobject(self.py)?);
        }
        Ok(PyTuple::new(self.py, pairs)?.into_any())
    }
}

/// The records from `start_offset` on as columns.
#[pyfunction]
#[pyo3(signature = (buffer, start_offset=0, *, max_decompressed_bytes=objects::MAX_DECOMPRESSED_BYTES))]
pub fn decode_columns<'py>(
    py: Python<'py>,
    buffer: &Bound<'py, PyAny>,
    start_offset: i64,
    max_decompressed_bytes: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let input = Input::new(buffer)?;
    let bytes = input.bytes();
    let decoded = without_gil(py, bytes.len(), || columns::decode_columns(bytes, start_offset, max_decompressed_bytes));
    match decoded {
        Ok(columns) => objects::columns(py, columns),
        Err(Undecoded::Invalid(fault)) => Err(objects::refusal(py, &fault)),
        Err(Undecoded::TooLarge) => {
            Err(PyOverflowError::new_err("a column would pass 2 GiB; decode fewer batches at once"))
        }
    }
}

fn header_list<'py>(py: Python<'py>, headers: &[Header]) -> PyResult<Bound<'py, PyList>> {
    let headers: PyResult<Vec<_>> = headers.iter().map(|header| objects::header(py, header)).collect();
    PyList::new(py, headers?)
}

fn place(position: isize) -> Result<usize, Box<Fault>> {
    usize::try_from(position)
        .map_err(|_| Fault::new(Code::CorruptMessage, format!("no whole batch header at byte {position}")))
}
