import CPlatform

/// A pipe that only this process and its child get: other processes that it starts do not inherit the ends.
package struct ProcessPipe: Sendable {
    package let reading: Int32
    package let writing: Int32

    /// Returns nil when no descriptor is left; `errno` contains the reason.
    package init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe patchbay_pipe(&ends) == 0 else { return nil }
        reading = ends[0]
        writing = ends[1]
    }
}
