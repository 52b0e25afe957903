import Patchbay
import PatchbaySystem
import PatchbayTerminal
import Synchronization

/// Searches while the user types: on a terminal in a line below the answers; otherwise each line of standard input is
/// the text typed so far.
struct InteractiveSearch: Sendable {
    private let session: SearchSession<Item>
    private let output: SearchOutput
    private let source: Source

    init(_ session: SearchSession<Item>, _ output: SearchOutput, _ source: Source) {
        self.session = session
        self.output = output
        self.source = source
    }

    /// Runs until the input has ended and its last text is answered, or until Ctrl-D.
    func run() async throws {
        let isTerminal = Descriptor.isTerminal(0) && RawTerminal.enter(.line)
        let prompt = TypingLine(isShown: isTerminal && Descriptor.isTerminal(2))
        let input = TextInput(session, prompt)
        if !isTerminal { Interruption.explain("the results so far are stored") }
        defer { if isTerminal { RawTerminal.end() } }
        if isTerminal { Message.note("type to search; Return searches at once, Ctrl-D quits") }
        prompt.show("")
        // Not awaited on failure: when the output fails, the input may still be waiting for a key.
        let typing = Task { try await isTerminal ? input.readKeys() : input.readLines() }
        var drawn: DrawnAnswer?
        for await event in session { try prompt.hidden { drawn = try show(event, after: drawn) } }
        prompt.hide()
        if input.hasEnded { try await typing.value }
    }

    /// Prints the result of a text: on a terminal stored rows at once, which the source's answer then replaces.
    ///
    /// - Parameter drawn: the stored rows that are shown and not yet confirmed.
    /// - Returns: the stored rows that are shown now.
    private func show(_ event: SearchSession<Item>.Event, after drawn: DrawnAnswer?) throws -> DrawnAnswer? {
        switch event {
        case .cleared: return nil
        case .refused(let error): Message.write("patchbay: " + error.oneLine)
        case .answered(let text, let answer) where !answer.outcome.isEnding:
            guard output.canDraw, answer.value?.items.isEmpty == false else { return nil }
            Message.write("\"\(text)\":")
            return DrawnAnswer(text: text, table: try output.draw(answer, from: source))
        case .answered(let text, let answer):
            let table = drawn.flatMap { $0.text == text ? $0.table : nil }
            if table == nil { Message.write("\"\(text)\":") }
            do {
                try output.write(answer, after: table, from: source)
            } catch let error as PatchbayError {
                // The next text may succeed.
                Message.write("patchbay: " + error.oneLine)
            }
        }
        return nil
    }

    /// The stored rows for a text, shown until the source answers.
    private struct DrawnAnswer {
        let text: String
        let table: DrawnTable
    }
}

/// Reads standard input on its own thread and feeds a session.
private actor TextInput {
    private let executor = BlockingExecutor(label: "patchbay.typing")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let session: SearchSession<Item>
    private let prompt: TypingLine
    private nonisolated let ended = Mutex(false)

    init(_ session: SearchSession<Item>, _ prompt: TypingLine) {
        self.session = session
        self.prompt = prompt
    }

    /// Whether the whole input was read.
    nonisolated var hasEnded: Bool { ended.withLock { $0 } }

    func readKeys() throws {
        var line = LineEdit()
        try read { bytes in
            for change in line.take(bytes) {
                switch change {
                case .edited: session.type(line.text)
                case .submitted: session.submit(line.text)
                case .ended:
                    session.cancel()
                    return false
                }
            }
            prompt.show(line.text)
            return true
        }
    }

    func readLines() throws {
        var line: [UInt8] = []
        try read { bytes in
            for byte in bytes {
                if byte == 0x0A {
                    session.type(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                } else if line.count < Self.lineBytesMax {
                    line.append(byte)
                }
            }
            return true
        }
        if !line.isEmpty { session.type(String(decoding: line, as: UTF8.self)) }
        session.finish()
    }

    /// Longer than any text that can be searched; the rest of a longer line is ignored.
    private static var lineBytesMax: Int { 65_536 }

    private func read(_ take: ([UInt8]) -> Bool) throws {
        do {
            // Before the session ends, so that its consumer awaits the error.
            defer { ended.withLock { $0 = true } }
            let input = try InputFile("-")
            while true {
                let bytes = try input.read(bytesMax: 4_096)
                guard !bytes.isEmpty, take(bytes) else { return }
            }
        } catch {
            session.cancel()
            throw error
        }
    }
}

/// The input line, below everything else on the terminal.
private final class TypingLine: Sendable {
    private let isShown: Bool
    private let text = Mutex("")

    init(isShown: Bool) { self.isShown = isShown }

    func show(_ text: String) {
        self.text.withLock {
            $0 = text
            draw(text)
        }
    }

    func hide() { text.withLock { _ in write("") } }

    /// Hides the line while `body` prints something.
    func hidden(_ body: () throws -> Void) rethrows {
        try text.withLock { text in
            write("")
            defer { draw(text) }
            try body()
        }
    }

    private func draw(_ text: String) {
        let label = "search: ", width = Terminal.errors.width ?? 80
        var shown = TerminalText.harmless(text)
        while !shown.isEmpty, TerminalText.width(of: label + shown) >= width { shown.removeFirst() }
        write(label + shown)
    }

    private func write(_ text: String) {
        guard isShown else { return }
        // Errors do not matter: without a terminal there is nothing to draw on.
        try? StandardStream.errors.write("\r\u{1B}[K" + text)
    }
}
