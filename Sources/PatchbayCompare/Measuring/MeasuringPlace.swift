/// The place where subjects are measured.
package enum MeasuringPlace: Sendable {
    /// Each in a separate process: this program again, with arguments that make it run ``CompareWorker``.
    case processes(arguments: [String])
    /// All in this process, which makes memory and written bytes of single subjects unknown.
    case thisProcess(ComparePlugins)
}
