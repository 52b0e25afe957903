internal import CPlatform
package import PatchbaySystem
internal import Synchronization

/// Handles Ctrl-C: erases the progress line and prints a last message.
///
/// The process then ends by the signal, so that its shell sees status 130 and also ends a loop around the command.
/// Only an unfinished file has to be removed, because a storage survives a kill at any moment.
package enum Interruption {
    /// Sets the message, a single line, that Ctrl-C prints from now on about the consequence of the interruption.
    package static func explain(_ consequence: StaticString) {
        message.store(consequence)
        explainKey()
    }

    private static func explainKey() {
        Signal.handle(SIGINT) { number in
            Interruption.held.store(number, ordering: .sequentiallyConsistent)
            if Interruption.isChanging.load(ordering: .sequentiallyConsistent) { return }
            // Only async-signal-safe work: no memory is allocated, and static texts outlive the calls.
            if isatty(2) == 1 { Interruption.emit("\r\u{1B}[K") }
            Interruption.emit("patchbay: interrupted; ")
            Interruption.message.emit()
            Interruption.emit("\n")
            Interruption.removeUnfinished()
            _ = signal(number, SIG_DFL)
            _ = raise(number)
        }
    }

    /// Makes the first Ctrl-C, SIGTERM or closing of the terminal only set a flag, for a command that then ends by
    /// itself; a second one ends it at once.
    package static func note() { note([SIGINT, SIGTERM, SIGHUP]) }

    /// The same for Ctrl-C only.
    package static func noteKey() { note([SIGINT]) }

    /// Makes every Ctrl-C only set a flag, because a pager uses it as one of its keys.
    ///
    /// - Returns: a function that restores the previous behaviour.
    static func outliveKey() -> () -> Void {
        noted.store(0, ordering: .relaxed)
        if Signal.isKeptIgnored(SIGINT) { return {} }
        // An atomic store takes no lock.
        let previous = signal(SIGINT) { Interruption.noted.store($0, ordering: .relaxed) }
        return { _ = signal(SIGINT, previous) }
    }

    /// Lets Ctrl-C end the process again, with the message that was set before.
    package static func forgetKey() {
        if Pager.isRunning { return }
        Signal.restore(SIGINT)
        if message.isSet { explainKey() }
    }

    private static func note(_ numbers: [Int32]) {
        if Pager.isRunning { return }
        // Initializes the variable, because a handler must not do that.
        noted.store(0, ordering: .relaxed)
        for number in numbers {
            Signal.handle(number) { number in
                // An atomic store takes no lock.
                Interruption.noted.store(number, ordering: .relaxed)
                _ = signal(number, SIG_DFL)
            }
        }
    }

    /// Runs work that Ctrl-C cancels, so that the work removes what it began; the command then ends with the message.
    ///
    /// - Throws: the errors of the work; ``Noted`` instead if Ctrl-C cancelled it.
    package static func cancelling(
        _ consequence: StaticString, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        message.store(consequence)
        noteKey()
        let task = Task { try await work() }
        let watch = Task { await cancelOnKey(task) }
        defer { watch.cancel() }
        do {
            try await task.value
        } catch _ where isNoted {
            throw Noted()
        }
        forgetKey()
    }

    /// Cancels a task at Ctrl-C, or when the pager is left. Returns when that happens or its own task is cancelled.
    package static func cancelOnKey<Value: Sendable, Failure: Error>(_ task: Task<Value, Failure>) async {
        while !Task.isCancelled {
            if isNoted || Pager.isLeft { return task.cancel() }
            // Throws when this task is cancelled, which the loop checks.
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    package static var isNoted: Bool { noted.load(ordering: .relaxed) != 0 }

    /// Thrown by an interrupted command after it has printed the rows that it has; the process then ends by the signal.
    package struct Noted: Error {
        package init() {}
    }

    /// Ends the process by the received signal, so that its shell sees it.
    package static func end() -> Never {
        let number = noted.load(ordering: .relaxed)
        if message.isSet {
            emit("patchbay: interrupted; ")
            message.emit()
            emit("\n")
        }
        removeUnfinished()
        _ = signal(number, SIG_DFL)
        // Sent to the process, because this thread may block signals.
        _ = kill(getpid(), number)
        _ = sleep(1)
        exit(128 + number)
    }

    /// Creates a file that Ctrl-C removes from then on. Without a message, Ctrl-C reports that nothing was written.
    package static func creating<File>(
        unfinished path: String, _ create: () -> Result<File, SystemError>
    ) -> Result<File, SystemError> {
        if !message.isSet { explain("nothing was written") }
        return changing {
            let result = create()
            if case .success = result { setUnfinished(path) }
            return result
        }
    }

    /// Gives the complete file its name with `rename`. From then on, Ctrl-C does not remove it.
    static func completing<Value>(
        _ rename: () -> Result<Value, SystemError>
    ) -> Result<Value, SystemError> {
        changing {
            let result = rename()
            guard case .success = result else { return result }
            message.store("the file is complete")
            setUnfinished(nil)
            return result
        }
    }

    /// Makes Ctrl-C remove no file.
    static func forgetUnfinished() { changing { setUnfinished(nil) } }

    private static func setUnfinished(_ path: String?) {
        unsafe free(unfinished)
        unsafe unfinished = path.map { unsafe strdup($0) }
    }

    /// Changes what Ctrl-C does. A Ctrl-C meanwhile takes effect afterwards.
    private static func changing<Result>(_ change: () -> Result) -> Result {
        held.store(0, ordering: .sequentiallyConsistent)
        isChanging.store(true, ordering: .sequentiallyConsistent)
        let result = change()
        isChanging.store(false, ordering: .sequentiallyConsistent)
        let number = held.load(ordering: .sequentiallyConsistent)
        if number != 0 { _ = kill(getpid(), number) }
        return result
    }

    private static func removeUnfinished() {
        if let path = unsafe unfinished { _ = unsafe unlink(path) }
    }

    /// The path as the handler needs it.
    nonisolated(unsafe) private static var unfinished: UnsafeMutablePointer<CChar>?

    private static let noted = Atomic<Int32>(0)

    /// Whether what Ctrl-C does is being changed.
    private static let isChanging = Atomic(false)
    /// The signal that arrived last.
    private static let held = Atomic<Int32>(0)

    private static func emit(_ text: StaticString) {
        // A failure cannot be reported anywhere.
        _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static let message = Message()

    /// A static text that one thread may replace while the handler prints it on another.
    private struct Message: ~Copyable {
        /// The address of the text, which ends with a zero byte; 0 for none. One word, so no half of it can be seen.
        private let address = Atomic<UInt>(0)

        var isSet: Bool { address.load(ordering: .acquiring) != 0 }

        func store(_ text: StaticString) {
            unsafe address.store(UInt(bitPattern: text.utf8Start), ordering: .releasing)
        }

        func emit() {
            let text = unsafe UnsafePointer<CChar>(bitPattern: address.load(ordering: .acquiring))
            // A failure cannot be reported anywhere.
            if let text = unsafe text { _ = unsafe write(2, text, strlen(text)) }
        }
    }
}
