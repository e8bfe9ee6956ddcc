//! Dialogues with a client that sends and takes in pieces.

use super::*;

/// What is sent in pieces, and how many bytes are taken at a time.
struct Peer {
    sends: Vec<Vec<u8>>,
    takes: usize,
    room: usize,
    taken: Vec<u8>,
    ends: bool,
    /// It was told that nothing more comes.
    finished: bool,
}
impl Stream for Peer {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.sends.is_empty() {
            return if self.ends { Ok(0) } else { Err(Error::EAGAIN) };
        }
        let piece = &mut self.sends[0];
        let count = piece.len().min(buffer.len());
        buffer[..count].copy_from_slice(&piece[..count]);
        piece.drain(..count);
        if piece.is_empty() {
            self.sends.remove(0);
        }
        Ok(count)
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = bytes.len().min(self.takes).min(self.room);
        if count == 0 {
            return Err(Error::EAGAIN);
        }
        self.room -= count;
        self.taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
    fn finish(&mut self) -> Result<()> {
        self.finished = true;
        Ok(())
    }
}
struct Disk;
impl Files for Disk {
    type File = Vec<u8>;
    const MEMORY: usize = 0;
    fn open(&mut self, path: &str) -> Result<Found<Vec<u8>>> {
        let bytes: Vec<u8> = match path {
            "" | "/a b/é" => b"index".to_vec(),
            "/longer" => vec![b'x'; 3 * TURN],
            "/long.txt" => (0..20_000).map(|n| n as u8).collect(),
            "/empty" => Vec::new(),
            "/dead" => return Err(Error::EDEAD),
            _ => return Err(Error::ENOENT),
        };
        let is_index = path.is_empty() || path == "/a b/é";
        let path = if is_index { "index.html" } else { path };
        let length = bytes.len() as u64;
        Ok(Found { file: bytes, path: path.into(), bytes: length, version: 7, is_index })
    }
    fn read(&mut self, file: &Vec<u8>, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let rest = &file[at as usize..];
        let count = rest.len().min(buffer.len()).min(1500);
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
    fn boot(&self) -> u64 {
        1
    }
    fn date(&mut self) -> Option<Date> {
        Some(Date(784_111_777))
    }
}
/// What it waits for in the end, and how many turns it had before.
fn turns(connection: &mut Connection<Vec<u8>>, peer: &mut Peer) -> (Step, usize) {
    let mut before = 0;
    loop {
        match connection.go_on(peer, &mut Disk, 1) {
            Step::Next => before += 1,
            step => return (step, before),
        }
    }
}
fn talk(sends: &[&[u8]], ends: bool) -> (String, Vec<u8>, Step) {
    let sends = sends.iter().map(|piece| piece.to_vec()).filter(|piece| !piece.is_empty()).collect();
    let mut peer = Peer { sends, takes: 700, room: usize::MAX, taken: Vec::new(), ends, finished: false };
    let step = turns(&mut Connection::new(0), &mut peer).0;
    let text = String::from_utf8_lossy(&peer.taken).into_owned();
    (text, peer.taken, step)
}
fn get(path: &str, more: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: h\r\n{more}\r\n").into_bytes()
}
#[test]
fn who_speaks_http_1_0_is_told_that_the_connection_stays() {
    let (text, _, step) = talk(&[b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"], false);
    assert!(text.contains("\r\nConnection: keep-alive\r\n") && step == Step::Read, "{text}");
    let (text, _, step) = talk(&[b"GET / HTTP/1.0\r\n\r\n"], false);
    assert!(text.contains("\r\nConnection: close\r\n") && step == Step::End, "{text}");
}
#[test]
fn a_file_is_answered_and_the_connection_stays() {
    let (text, _, step) = talk(&[&get("/", "")], false);
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nindex"), "{text}");
    assert!(text.contains("Content-Length: 5\r\n") && text.contains("Content-Type: text/html"));
    assert_eq!(step, Step::Read);
}
#[test]
fn requests_that_come_byte_by_byte_or_many_at_once_are_answered_in_order() {
    let mut all = get("/", "");
    all.extend(get("/nothing", ""));
    all.extend(get("/long.txt", "Range: bytes=100-102\r\n"));
    let bytes: Vec<&[u8]> = all.chunks(1).collect();
    for sends in [&[&all[..]][..], &bytes] {
        let (text, taken, step) = talk(sends, true);
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
        assert!(at("200 OK") < at("404 Not Found") && at("404 Not Found") < at("206 Partial Content"));
        assert!(taken.ends_with(b"\r\n\r\ndef") && text.contains("Content-Range: bytes 100-102/20000"));
        assert_eq!(step, Step::End);
    }
}
fn answers(peer: &Peer) -> usize {
    String::from_utf8_lossy(&peer.taken).matches("HTTP/1.1 ").count()
}
#[test]
fn who_asks_for_much_at_once_is_answered_once_in_a_turn() {
    let sends = vec![get("/", "").repeat(20)];
    let mut peer = Peer { sends, takes: 700, room: usize::MAX, taken: Vec::new(), ends: false, finished: false };
    let mut connection = Connection::new(0);
    for n in 1..20 {
        assert_eq!(connection.go_on(&mut peer, &mut Disk, 1), Step::Next);
        assert_eq!(answers(&peer), n);
    }
    // Behind the last one nothing has come: that is seen in the same turn.
    assert_eq!(connection.go_on(&mut peer, &mut Disk, 1), Step::Read);
    assert_eq!(answers(&peer), 20);
}
#[test]
fn what_came_in_time_is_answered_though_it_is_looked_at_late() {
    let peer = |sends| Peer { sends, takes: 700, room: usize::MAX, taken: Vec::new(), ends: false, finished: false };
    // A whole request, and the end of one.
    let mut all = peer(vec![get("/", "")]);
    assert_eq!(Connection::new(0).go_on(&mut all, &mut Disk, IDLE_TIME + 5), Step::Read);
    assert_eq!(answers(&all), 1);
    let request = get("/", "");
    let mut half = peer(vec![request[..20].to_vec()]);
    let mut connection = Connection::new(0);
    assert_eq!(connection.go_on(&mut half, &mut Disk, 5), Step::Read);
    half.sends.push(request[20..].to_vec());
    assert_eq!(connection.go_on(&mut half, &mut Disk, HEAD_TIME + 5), Step::Read);
    assert!(half.taken.starts_with(b"HTTP/1.1 200"));
    // Who has asked for much at once has it, however long the others take.
    let mut many = peer(vec![get("/", "").repeat(20)]);
    let mut connection = Connection::new(0);
    for n in 0..20 {
        connection.go_on(&mut many, &mut Disk, n * IDLE_TIME);
    }
    let said = String::from_utf8_lossy(&many.taken).into_owned();
    assert_eq!((said.matches("HTTP/1.1 200").count(), answers(&many)), (20, 20), "{said}");
}
#[test]
fn who_takes_and_sends_much_has_many_turns_for_it() {
    let has_turns_for = |sends: Vec<u8>| {
        let all = sends.len();
        let mut peer =
            Peer { sends: vec![sends], takes: 1500, room: usize::MAX, taken: Vec::new(), ends: true, finished: false };
        let turns = turns(&mut Connection::new(0), &mut peer).1;
        let moved = all + peer.taken.len();
        // A turn may end with a piece that is more than it had.
        assert!((moved / (TURN + PIECE)..=moved / TURN).contains(&turns), "{turns} turns for {moved} bytes");
        assert!(turns >= 2);
    };
    has_turns_for(get("/longer", ""));
    // A body that nobody reads, and what comes behind a refusal.
    let mut skipped = get("/", &format!("Content-Length: {BODY}\r\n"));
    skipped.resize(skipped.len() + BODY as usize, 0);
    has_turns_for(skipped);
    has_turns_for(vec![b'x'; 4 * TURN]);
}
#[test]
fn a_long_file_arrives_whole_whatever_the_client_takes_at_a_time() {
    let mut peer = Peer {
        sends: vec![get("/long.txt", "Connection: close\r\n")],
        takes: 333,
        room: 0,
        taken: Vec::new(),
        ends: false,
        finished: false,
    };
    let mut connection = Connection::new(0);
    let mut steps = 0;
    while connection.go_on(&mut peer, &mut Disk, 1) == Step::Write {
        peer.room = 1000;
        steps += 1;
    }
    let body: Vec<u8> = (0..20_000).map(|n| n as u8).collect();
    assert!(peer.taken.ends_with(&body) && steps > 19);
}
#[test]
fn who_has_it_already_is_told_so() {
    let (text, _, _) = talk(&[&get("/long.txt", "If-None-Match: \"x\", W/\"1-7\"\r\n")], false);
    assert!(text.starts_with("HTTP/1.1 304") && text.ends_with("\r\n\r\n"));
    let (text, ..) = talk(&[&get("/long.txt", "Range: bytes=0-1\r\nIf-Range: \"old\"\r\n")], false);
    assert!(text.starts_with("HTTP/1.1 200"));
}
#[test]
fn a_range_that_is_not_there_is_refused_with_the_length() {
    let (text, ..) = talk(&[&get("/long.txt", "Range: bytes=20000-\r\n")], false);
    assert!(text.starts_with("HTTP/1.1 416") && text.contains("Content-Range: bytes */20000"));
}
#[test]
fn a_head_has_no_body() {
    let (text, _, step) = talk(&[b"HEAD /long.txt HTTP/1.1\r\nHost: h\r\n\r\n"], false);
    assert!(text.contains("Content-Length: 20000") && text.ends_with("\r\n\r\n"));
    assert_eq!(step, Step::Read);
}
#[test]
fn an_empty_file_is_answered() {
    assert!(talk(&[&get("/empty", "")], false).0.contains("Content-Length: 0"));
}
#[test]
fn a_head_without_end_is_refused() {
    let (text, _, step) = talk(&[b"GET / HTTP/1.1\r\n", &vec![b'a'; 2 * HEAD]], true);
    assert!(text.starts_with("HTTP/1.1 431") && text.contains("Connection: close"), "{text}");
    assert_eq!(step, Step::End);
}
#[test]
fn what_comes_behind_a_refusal_is_taken_and_not_answered_for_a_while() {
    let request = get("/", "");
    let refused = || (Connection::new(0), vec![vec![b'\0'; 20_000], request.clone()]);
    let peer = |sends| Peer { sends, takes: 9999, room: 9999, taken: Vec::new(), ends: false, finished: false };
    let (mut connection, sends) = refused();
    let mut client = peer(sends);
    assert_eq!(connection.go_on(&mut client, &mut Disk, 5), Step::Read);
    let text = String::from_utf8_lossy(&client.taken).into_owned();
    assert!(client.finished && client.sends.is_empty() && text.matches("HTTP/1.1 ").count() == 1, "{text}");
    assert_eq!(connection.deadline(), 5 + REST_TIME);
    client.ends = true;
    assert_eq!(connection.go_on(&mut client, &mut Disk, 6), Step::End);
    // Nor is who does not end waited for, or who sends without end.
    let (mut connection, sends) = refused();
    let mut client = peer(sends);
    assert_eq!(connection.go_on(&mut client, &mut Disk, 5), Step::Read);
    assert_eq!(connection.go_on(&mut client, &mut Disk, 5 + REST_TIME), Step::End);
    assert_eq!(client.taken.len(), text.len());
    let mut client = peer(vec![vec![b'\0'; 2 * REST]]);
    assert_eq!(turns(&mut Connection::new(0), &mut client).0, Step::End);
    assert!(!client.sends.is_empty());
}
#[test]
fn a_body_is_skipped_and_the_next_request_answered() {
    let body = "GET /evil HTTP/1.1\r\n\r\n";
    let mut first = get("/", &format!("Content-Length: {}\r\n", body.len()));
    first.extend(body.as_bytes());
    let (text, ..) = talk(&[&first[..first.len() - 5], &first[first.len() - 5..], &get("/empty", "")], false);
    assert_eq!((text.matches("HTTP/1.1 ").count(), text.matches("200 OK").count()), (2, 2), "{text}");
}
#[test]
fn who_takes_too_long_for_a_head_is_told_and_let_go() {
    let mut peer = Peer {
        sends: vec![b"GET / HT".to_vec()],
        takes: 9999,
        room: 9999,
        taken: Vec::new(),
        ends: false,
        finished: false,
    };
    let mut connection = Connection::new(0);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, 5), Step::Read);
    // Another byte gives no more time.
    peer.sends.push(b"T".to_vec());
    assert_eq!(connection.go_on(&mut peer, &mut Disk, HEAD_TIME - 1), Step::Read);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, HEAD_TIME + 5), Step::Read);
    assert!(peer.taken.starts_with(b"HTTP/1.1 408") && peer.finished);
    let said = peer.taken.len();
    peer.sends.push(b"P/1.1\r\nHost: h\r\n\r\n".to_vec());
    assert_eq!(connection.go_on(&mut peer, &mut Disk, HEAD_TIME + 6), Step::Read);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, HEAD_TIME + 5 + REST_TIME), Step::End);
    assert_eq!(peer.taken.len(), said);
}
#[test]
fn who_says_or_takes_nothing_is_let_go() {
    let mut peer = Peer { sends: Vec::new(), takes: 0, room: 0, taken: Vec::new(), ends: false, finished: false };
    let mut connection = Connection::new(0);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, IDLE_TIME), Step::End);
    let mut connection = Connection::new(0);
    peer.sends.push(get("/", ""));
    assert_eq!(connection.go_on(&mut peer, &mut Disk, 1), Step::Write);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, STUCK_TIME + 1), Step::End);
    assert!(peer.taken.is_empty());
}
#[test]
fn who_asks_for_a_folder_without_its_slash_is_sent_there() {
    let (text, _, step) = talk(&[&get("//a%20b/%C3%A9?x=1%0d", "")], false);
    assert!(text.starts_with("HTTP/1.1 301 ") && text.contains("\r\nLocation: /a%20b/%C3%A9/?x=1%0d\r\n"), "{text}");
    assert_eq!(step, Step::Read);
    assert!(talk(&[&get("/a%20b/%C3%A9/", "")], false).0.ends_with("\r\n\r\nindex"));
    let (text, ..) = talk(&[b"HEAD /a%20b/%C3%A9 HTTP/1.1\r\nHost: h\r\n\r\n"], false);
    assert!(text.starts_with("HTTP/1.1 301 ") && text.ends_with("\r\n\r\n"), "{text}");
}
#[test]
fn a_files_name_with_a_slash_behind_is_not_the_file() {
    assert!(talk(&[&get("/long.txt/", "")], false).0.starts_with("HTTP/1.1 404"));
}
#[test]
fn each_answer_says_when_it_was_made() {
    let late = [&get("/", "")[..], &get("/nothing", ""), &get("/long.txt", "If-None-Match: *\r\n"), b"\0\0\r\n\r\n"];
    for request in late {
        let (text, ..) = talk(&[request], false);
        assert_eq!(text.matches("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n").count(), 1, "{text}");
    }
}
#[test]
fn files_that_can_not_be_had_now_are_said_to_be_so() {
    assert!(talk(&[&get("/dead", "")], false).0.starts_with("HTTP/1.1 503"));
}
#[test]
fn what_a_client_waits_for_is_known() {
    let standing_of = |sends: &[&[u8]], takes, behind| {
        let sends = sends.iter().map(|piece| piece.to_vec()).collect();
        let mut peer = Peer { sends, takes, room: takes, taken: Vec::new(), ends: false, finished: false };
        let mut connection = Connection::new(1);
        connection.go_on(&mut peer, &mut Disk, 5);
        connection.standing(behind)
    };
    let standing = |sends: &[&[u8]], takes| standing_of(sends, takes, false);
    // The time of a request begins when the one before it is answered.
    let all = [get("/", ""), get("/", ""), b"GET".to_vec()].concat();
    let mut peer =
        Peer { sends: vec![all], takes: 700, room: usize::MAX, taken: Vec::new(), ends: false, finished: false };
    let mut connection = Connection::new(1);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, 5), Step::Next);
    assert_eq!(connection.go_on(&mut peer, &mut Disk, 9), Step::Next);
    assert_eq!(connection.standing(false), (Standing::Asking, 9));
    assert_eq!(standing(&[], 9999), (Standing::Asking, 1));
    assert_eq!(standing(&[b"GET / HT"], 9999), (Standing::Asking, 5));
    assert_eq!(standing(&[&get("/", "")], 9999), (Standing::Idle, 5));
    assert_eq!(standing(&[&get("/long.txt", "")], 100), (Standing::Answering, 5));
    // What was written may still be on its way, behind the stream.
    let behind = |sends: &[&[u8]]| standing_of(sends, 9999, true);
    assert_eq!(behind(&[&get("/", "")]), (Standing::Answering, 5));
    assert_eq!(behind(&[&get("/", ""), b"GET"]), (Standing::Answering, 5));
    // A greeting is no answer.
    assert_eq!(behind(&[]), (Standing::Asking, 1));
}
