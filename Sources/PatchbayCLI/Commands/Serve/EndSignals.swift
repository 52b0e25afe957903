@unsafe @preconcurrency internal import Dispatch
internal import PatchbaySystem

/// Calls a function on the first Ctrl-C or SIGTERM, so that the command can shut down by itself; a second one ends the
/// process at once.
final class EndSignals: Sendable {
    private static let numbers = [Signal.interrupt, Signal.terminate].filter { !Signal.isKeptIgnored($0) }

    private let sources: [any DispatchSourceSignal]

    init(_ body: @escaping @Sendable () async -> Void) {
        sources = Self.numbers.map { number in
            // The default action would end the process before the function is called.
            Signal.ignore(number)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.numbers.forEach(Signal.restore)
                Task { await body() }
            }
            source.activate()
            return source
        }
    }

    /// Lets signals end the process again.
    func forget() {
        for source in sources { source.cancel() }
        Self.numbers.forEach(Signal.restore)
    }
}
