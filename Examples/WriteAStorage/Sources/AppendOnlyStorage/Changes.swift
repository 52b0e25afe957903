import Patchbay

/// One change in a file.
struct Change {
    let kind: Frame.Kind
    let collection: String
    let bytes: [UInt8]
    /// The byte offset in the file.
    let position: Int
}

/// Reads the changes of a file in order.
struct Changes {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Returns the end of the last complete frame.
    ///
    /// - Throws: `invalidConfiguration` for a file of another format, `corrupted` when it is damaged before its end.
    func forEach(in file: [UInt8], _ body: (Change) throws -> Void) throws -> Int {
        var rest = file[...]
        guard rest.take(JournalFile.header.count)?.elementsEqual(JournalFile.header) == true else {
            throw PatchbayError(
                .invalidConfiguration, "\"\(path)\" is not an append-only storage; choose another path")
        }
        var end = JournalFile.header.count
        while let length = rest.takeNumber(UInt32.self), let checksum = rest.takeNumber(UInt64.self),
            let changes = rest.take(Int(length))
        {
            guard Frame.checksum(changes) == checksum else {
                // The last frame may be incomplete because the process or the system ended during the write.
                if rest.isEmpty { break }
                throw damaged(at: changes.startIndex)
            }
            try forEach(of: changes, body)
            end = changes.endIndex
        }
        return end
    }

    private func forEach(of frame: ArraySlice<UInt8>, _ body: (Change) throws -> Void) throws {
        var rest = frame
        while !rest.isEmpty {
            let start = rest.startIndex
            guard let kind = rest.takeNumber(UInt8.self).flatMap(Frame.Kind.init),
                let nameLength = rest.takeNumber(UInt8.self), let name = rest.take(Int(nameLength)),
                let length = rest.takeNumber(UInt32.self), let bytes = rest.take(Int(length))
            else { throw damaged(at: start) }
            try body(
                Change(
                    kind: kind, collection: String(decoding: name, as: UTF8.self), bytes: Array(bytes),
                    position: start))
        }
    }

    func damaged(at position: Int) -> PatchbayError {
        PatchbayError(
            .corrupted, "\"\(path)\" is damaged at byte \(position); restore a backup of it",
            [.file(path), .byte(position)])
    }
}
