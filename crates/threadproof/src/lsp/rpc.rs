//! JSON-RPC 2.0 as the language server protocol frames it: a header with the length in bytes, an empty line, JSON.
//!
//! Sixty lines instead of a dependency: the server needs neither typed messages for all of the protocol nor an asynchronous run-time.

use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// Longer messages are refused; no editor sends them.
const MOST_BYTES: usize = 256 << 20;

/// Codes of errors that JSON-RPC and the protocol define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorCode {
    /// The parameters are not those of the method.
    InvalidParams = -32602,
    /// There is no such method.
    MethodNotFound = -32601,
    /// The server was told to shut down, or not yet to begin.
    InvalidRequest = -32600,
    /// The client has cancelled the request.
    RequestCancelled = -32800,
}

/// The next message; `None` at the end of the input.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok().filter(|n| *n <= MOST_BYTES);
        }
    }
    let length = length.ok_or_else(|| invalid("a message without a length"))?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| invalid(&error.to_string()))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Writes a message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The answer to a request.
pub fn response(id: &Value, result: Result<Value, (ErrorCode, String)>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
        }
    }
}

/// A message that expects no answer.
pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let message = notification("ä", json!([1, "x\n"]));
        let mut bytes = Vec::new();
        write(&mut bytes, &message).unwrap();
        write(&mut bytes, &json!({})).unwrap();
        let mut input = &bytes[..];
        assert_eq!(read(&mut input).unwrap(), Some(message));
        assert_eq!(read(&mut input).unwrap(), Some(json!({})));
        assert_eq!(read(&mut input).unwrap(), None);
        assert!(read(&mut &b"Content-Length: x\r\n\r\n{}"[..]).is_err());
        assert!(read(&mut &b"Content-Length: 9\r\n\r\n{}"[..]).is_err());
    }
}
