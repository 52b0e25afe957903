import CPlatform

extension UnsafeRawBufferPointer {
    /// Returns the place from which on bytes first occur; nil if they do not. No bytes occur at the beginning.
    ///
    /// The time is proportional to the sum of both lengths.
    package func firstPlace(of part: UnsafeRawBufferPointer) -> Int? {
        guard part.count > 0 else { return 0 }
        guard let start = baseAddress,
            let place = unsafe patchbay_find(start, count, part.baseAddress, part.count)
        else { return nil }
        return unsafe place - start
    }
}
