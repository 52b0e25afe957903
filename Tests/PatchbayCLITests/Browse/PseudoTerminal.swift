import Foundation
import Glibc
import TestSupport

/// A pseudo-terminal with the command in it: types keys and interprets the command's output.
///
/// It understands the output of the browser, which consists of complete lines at the start of their rows.
final class PseudoTerminal {
    private let terminal: Int32
    private let device: FileHandle
    let process: RunningProcess
    private(set) var lines: [Int: String] = [:]
    /// The output, at most its last 4,000 characters.
    private(set) var output = ""
    private var unread: [UInt8] = []
    /// The output from the start of the last row, whose end may not have arrived yet.
    private var lastRow = ""

    /// Linux's TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    private static let lockRequest: UInt = 0x4004_5431
    private static let numberRequest: UInt = 0x8004_5430

    /// A failure of the test's own terminal.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(_ command: Command, _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24) throws {
        terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var number: Int32 = 0
        var isLocked: Int32 = 0
        guard terminal >= 0, unsafe ioctl(terminal, Self.lockRequest, &isLocked) == 0,
            unsafe ioctl(terminal, Self.numberRequest, &number) == 0
        else { throw Failure(description: "no pseudo-terminal: \(errno)") }
        let descriptor = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        device = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Self.resize(terminal, columns, rows)
        process = try command.start(arguments, input: device, output: device, errors: device)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(terminal)
    }

    /// The terminal's input settings, as bytes that can be compared.
    var settings: [UInt32] {
        var attributes = termios()
        guard unsafe tcgetattr(device.fileDescriptor, &attributes) == 0 else { return [] }
        return [attributes.c_iflag, attributes.c_oflag, attributes.c_cflag, attributes.c_lflag]
    }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
    }

    func resize(columns: UInt16, rows: UInt16) {
        Self.resize(terminal, columns, rows)
        // It is not the controlling terminal, so the process gets no signal from the system.
        kill(process.processIdentifier, SIGWINCH)
    }

    private static func resize(_ terminal: Int32, _ columns: UInt16, _ rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// The screen's text.
    var screen: String { lines.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\n") }

    /// Reads until the condition holds, for at most three minutes.
    func wait(_ what: String, until isDone: (PseudoTerminal) throws -> Bool) throws {
        let end = Date(timeIntervalSinceNow: 180)
        while try !isDone(self) {
            guard Date() < end else {
                throw Failure(description: "waited for \(what) in vain:\n\(screen)\n\(output)")
            }
            read(milliseconds: 50)
        }
    }

    func wait(for text: String) throws { try wait("\"\(text)\"") { $0.screen.contains(text) } }

    /// Waits for the end of the process and returns its status, negative for a signal.
    func ended() throws -> Int32 {
        try wait("the end") { !$0.process.isRunning }
        read(milliseconds: 0)
        let isKilled = process.terminationReason == .uncaughtSignal
        return isKilled ? -process.terminationStatus : process.terminationStatus
    }

    private func read(milliseconds: Int32) {
        var request = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        var time = milliseconds
        while unsafe poll(&request, 1, time) > 0, Int32(request.revents) & POLLIN != 0 {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe Glibc.read(terminal, &bytes, bytes.count)
            guard count > 0 else { return }
            unread += bytes[..<count]
            time = 0
        }
        // The end of a character may not have arrived yet.
        guard let text = String(validating: unread, as: UTF8.self) else { return }
        unread = []
        output = String((output + text).suffix(4_000))
        let rows = lastRow + text
        show(rows)
        lastRow =
            rows.ranges(of: /\u{1B}\[\d+;1H/).last.map { String(rows[$0.lowerBound...]) }
            ?? String(rows.suffix(4_000))
    }

    private func show(_ text: String) {
        for match in text.matches(of: /\u{1B}\[(\d+);1H\u{1B}\[J/) {
            if let row = Int(match.1) { lines = lines.filter { $0.key < row } }
        }
        let plain = text.replacing(/\u{1B}\[[\d;]*m/, with: "")
        for match in plain.matches(of: /\u{1B}\[(\d+);1H\u{1B}\[K([^\u{1B}]*)/) {
            if let row = Int(match.1) { lines[row] = String(match.2) }
        }
    }
}
