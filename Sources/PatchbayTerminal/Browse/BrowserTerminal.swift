import Patchbay
import PatchbaySystem

/// Reads keys, paints screens and starts effects, on its own thread, which may block on the terminal.
package actor BrowserTerminal {
    private let executor = BlockingExecutor(label: "patchbay.browse")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private let inbox: BrowserInbox
    private var decoder = KeyDecoder()
    private var painter: ScreenPainter

    /// How long Escape waits for the rest of a sequence.
    private static let escapeMilliseconds: Int32 = 40
    /// How long to wait for the process to be stopped after Ctrl-Z.
    private static let stopMilliseconds: Int32 = 500
    /// How often ages are updated.
    private static let idleMilliseconds: Int32 = 10_000

    package init(_ inbox: BrowserInbox, allowsColour: Bool) {
        self.inbox = inbox
        painter = ScreenPainter(allowsColour: allowsColour)
    }

    /// Checks that standard input and output are a terminal that a browser can use.
    ///
    /// - Throws: `unsupported` when they are not a terminal, or one that cannot move its cursor.
    package static func requireTerminal() throws {
        guard Descriptor.isTerminal(0), Descriptor.isTerminal(1) else {
            throw PatchbayError(
                .unsupported,
                "browsing needs a terminal for input and output; use \"list\" for files and pipes"
            )
        }
        let kind = CurrentProcess.variable("TERM") ?? ""
        guard !["", "dumb"].contains(kind) else {
            throw PatchbayError(
                .unsupported,
                "the terminal (TERM=\"\(kind)\") cannot move its cursor; use \"list\"")
        }
    }

    /// Runs until the user quits or the terminal is gone.
    ///
    /// - Parameter start: begins an effect and returns at once.
    package func run(
        _ browser: Browser, requests: @Sendable () -> Int?, start: @Sendable (BrowserEffect) -> Void
    ) throws {
        var browser = browser
        guard RawTerminal.enter(.screen(wake: inbox.wakeDescriptor)) else {
            throw PatchbayError(.unsupported, "the terminal's settings cannot be changed")
        }
        defer { RawTerminal.end() }
        while true {
            browser.requests = requests()
            if !RawTerminal.isLeft { try paint(browser) }
            guard let events = nextEvents(browser.size) else { return }
            for effect in events.flatMap({ browser.handle($0) }) {
                switch effect {
                case .quit: return
                case .suspend: RawTerminal.stop()
                case .repaint: painter.reset()
                default: start(effect)
                }
            }
        }
    }

    private func paint(_ browser: Browser) throws {
        let output = painter.paint(browser.screen(at: Timestamp.now()))
        if !output.isEmpty { try StandardStream.output.write(output) }
    }

    /// Waits for the next events; returns nil at the end of the input.
    private func nextEvents(_ size: ScreenSize) -> [BrowserEvent]? {
        // While the shell has the terminal, input is for the shell.
        let isLeft = RawTerminal.isLeft
        let time =
            isLeft
            ? Self.stopMilliseconds : decoder.isWaiting ? Self.escapeMilliseconds : Self.idleMilliseconds
        let input: Int32 = isLeft ? -1 : 0
        let ready = Descriptor.wait(for: input, or: inbox.descriptor, milliseconds: time)
        if RawTerminal.takeAgain(isLate: isLeft && !ready.second) { painter.reset() }
        var keys: [BrowserKey] = []
        if ready.first {
            switch Descriptor.read(0, bytesMax: 1_024) {
            case .success(let bytes) where !bytes.isEmpty: keys = decoder.keys(bytes)
            case .failure(.interrupted), .failure(.tryAgain): break
            default: return nil
            }
        } else if !ready.second {
            keys = decoder.flush()
        }
        var events = inbox.take()
        if let now = ScreenSize(of: 1), now != size { events.append(.resized(now)) }
        return events + keys.map { .key($0) }
    }
}
