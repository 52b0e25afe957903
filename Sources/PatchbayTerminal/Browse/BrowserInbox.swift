package import Patchbay
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

/// An event that a browser handles.
enum BrowserEvent: Sendable {
    case key(BrowserKey)
    case resized(ScreenSize)
    /// The window has changed; with the keys of its favourites.
    case window(Browser.Window, favourites: Set<Key>)
    /// The window has finished moving by an effect.
    case moved(by: BrowserEffect)
    /// The rows of a filter or an order, with the keys of the favourites among them.
    case found(Browser.Found, favourites: Set<Key>)
    /// The row whose detail is shown; further answers follow unless this is the final one.
    case detail(Item?, isEnding: Bool)
    case favourite(Key, Bool)
    /// The children of the row of a ring with this key.
    case children(Key, Answer<ItemList>)
    /// A row was edited in this browser.
    case changed(Item)
    /// An action succeeded or failed.
    case note(Browser.Note)
    /// The source has answered a refresh.
    case answered
}

/// An action that a browser requests.
package enum BrowserEffect: Hashable, Sendable {
    case next(Int)
    case previous(Int)
    case jump(ListPosition)
    case jumpToStart
    case jumpToEnd
    case resize(Int)
    /// Refreshes rows of the window from the source, starting at a position.
    case refresh(from: ListPosition, limit: Int)
    /// Reads the stored rows that begin with a text.
    case search(String)
    /// Reads stored rows in an order.
    case sort(BrowserOrder, Bounds, limit: Int)
    case show(String, Policy)
    case edit(String, field: String, text: String)
    case revert(String, field: String)
    case favourite(String, Bool)
    /// Suspends the process and returns to the shell.
    case suspend
    /// Redraws the whole screen.
    case repaint
    case quit
}
