import PatchbayCore

/// Checks an index file page by page: checksums, slots, the order of the keys, the counts in its trailer.
struct RunCheck {
    let run: Run
    /// The folder of the index files; nil when there is none.
    let files: Folder?

    func run(_ faults: inout FaultList) throws {
        if try isCut() {
            faults.add(run.path, nil, "is shorter than it was when it was opened")
            return
        }
        guard let run = try onDisk() else {
            faults.add(run.path, "byte \(run.pageCount * PageView.byteCount)", "the trailer is damaged")
            return
        }
        try RunCheck(run: run, files: files).checkPages(&faults)
    }

    /// The run as its file is now; nil when the file is not a sound run. The bytes that were read on opening may be
    /// sound although the file is not.
    private func onDisk() throws -> Run? {
        guard run.isFile, !run.isMapped, let files, try files.kind(FileName.run(run.number)) == .file else {
            return run
        }
        do {
            let now = try Run(files.open(FileName.run(run.number), .read))
            return now?.checksum == run.checksum ? now : nil
        } catch let error as PatchbayError where error.code == .notFound {
            // Removed at this moment, because it was merged.
            return run
        }
    }

    private func checkPages(_ faults: inout FaultList) throws {
        if !run.hasSoundTrailer {
            faults.add(run.path, "byte \(run.pageCount * PageView.byteCount)", "the trailer is damaged")
        }
        var entryCount: Int? = 0, last: [UInt8]? = nil
        for index in 0..<run.pageCount where !faults.isFull {
            guard run.isSound(index) else {
                let byte = index * PageView.byteCount
                faults.add(run.path, "page \(index), byte \(byte)", "the checksum does not match")
                entryCount = nil
                continue
            }
            let view = run.uncheckedPage(index)
            if let message = RunCheck.disorder(view, after: last) ?? fenceFault(view, index) {
                faults.add(run.path, "page \(index), byte \(index * PageView.byteCount)", message)
            }
            entryCount? += view.count
            last = view.copyKey(view.count - 1)
        }
        if let entryCount, entryCount != run.entryCount, !faults.isFull {
            faults.add(
                run.path, nil, "contains \(entryCount) entries, but its trailer says \(run.entryCount)")
        }
    }

    /// Whether the file was truncated; touching the map of such a file would end the process. A removed file is still
    /// whole.
    private func isCut() throws -> Bool {
        guard run.isFile, let stamp = try files?.stamp(FileName.run(run.number)) else { return false }
        return stamp.byteCount < run.byteCount
    }

    private func fenceFault(_ view: PageView, _ index: Int) -> String? {
        run.fences.key(index).elementsEqual(view.key(0))
            ? nil : "its first key is not the one in the footer"
    }

    /// Returns what is wrong with the order of a page's keys, or nil.
    private static func disorder(_ view: PageView, after last: [UInt8]?) -> String? {
        let isBehind = last.map { $0.withUnsafeBytes { compareKeys($0, view.key(0)) < 0 } } ?? true
        guard isBehind else { return "its first key does not come after the page before" }
        for slot in 1..<max(view.count, 1) where view.compare(slot - 1, view, slot) >= 0 {
            return "the keys \(slot - 1) and \(slot) are not in order"
        }
        return nil
    }
}
