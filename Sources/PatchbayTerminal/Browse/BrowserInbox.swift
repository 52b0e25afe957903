import PatchbayCore
import PatchbaySystem
import Synchronization

/// A queue of events for the browser; a new event makes ``descriptor`` readable.
///
/// Only the newest state of the window is kept.
package final class BrowserInbox: Sendable {
    private let events = Mutex<[BrowserEvent]>([])
    private let pipe: ProcessPipe

    /// The descriptor that is readable while events are waiting.
    var descriptor: Int32 { pipe.reading }
    /// The descriptor to which writing a byte wakes the browser.
    var wakeDescriptor: Int32 { pipe.writing }

    /// - Throws: `internalError` when no pipe can be created.
    package init() throws {
        guard let pipe = ProcessPipe() else {
            throw PatchbayError(.internalError, "cannot create a pipe for the browser; close some files")
        }
        self.pipe = pipe
        for end in [pipe.reading, pipe.writing] { Descriptor.stopBlocking(end) }
    }

    deinit {
        Descriptor.close(pipe.reading)
        Descriptor.close(pipe.writing)
    }

    func put(_ event: BrowserEvent) {
        events.withLock { events in
            if case .window = event,
                let older = events.firstIndex(where: { if case .window = $0 { true } else { false } })
            {
                // Replaced in place, so that it still comes before the later events.
                events[older] = event
            } else {
                events.append(event)
            }
        }
        // A full pipe wakes the browser, too.
        _ = Descriptor.write([0], from: 0, to: pipe.writing)
    }

    /// Removes and returns all waiting events, and empties the pipe.
    func take() -> [BrowserEvent] {
        while case .success(let bytes) = Descriptor.read(pipe.reading, bytesMax: 256), bytes.count == 256 {}
        return events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
