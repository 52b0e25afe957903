import Synchronization

/// Events that wait for the browser; a new one wakes whoever polls ``descriptor``.
///
/// Of the window's states only the newest waits.
final class BrowserInbox: Sendable {
    private let events = Mutex<[BrowserEvent]>([])
    private let pipe: (reading: Int32, writing: Int32)

    /// Where bytes come when there is something to take.
    var descriptor: Int32 { pipe.reading }
    /// Where a byte wakes the browser.
    var wakeDescriptor: Int32 { pipe.writing }

    /// - Throws: `internalError` when the system gives no pipe.
    init() throws {
        switch POSIX.pipe() {
        case .success(let pipe): self.pipe = pipe
        case .failure(let failure): throw failure.error("no pipe can be made for the browser")
        }
    }

    deinit {
        POSIX.close(pipe.reading)
        POSIX.close(pipe.writing)
    }

    func put(_ event: BrowserEvent) {
        events.withLock { events in
            if case .window = event,
                let older = events.firstIndex(where: { if case .window = $0 { true } else { false } })
            {
                // In its place, so that it still comes before what followed it.
                events[older] = event
            } else {
                events.append(event)
            }
        }
        // A full pipe wakes as well.
        _ = POSIX.write([0], from: 0, to: pipe.writing)
    }

    /// All that waits, and the wakes with it.
    func take() -> [BrowserEvent] {
        while case .success(let bytes) = POSIX.read(pipe.reading, bytesMax: 256), bytes.count == 256 {}
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
