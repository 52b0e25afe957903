/// Where subjects are measured.
package enum MeasuringPlace: Sendable {
    /// Each in a process of its own: this program again, with arguments that make it call ``CompareWorker``.
    case processes(arguments: [String])
    /// All in this process, so that memory and written bytes of one cannot be told from those of another.
    case thisProcess(ComparePlugins)
}
