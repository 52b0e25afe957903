import PatchbayCore

/// Checks an index file page by page: checksums, slots, the order of the keys, the counts in its trailer.
enum RunCheck {
    /// - Parameter files: the folder of the index files.
    static func check(_ run: Run, in files: Folder, _ faults: inout FaultList) throws {
        do {
            let file = try files.open(FileName.run(run.number), .read)
            if try file.byteCount() < run.byteCount {
                faults.add(run.path, nil, "is shorter than it was when it was opened")
            } else if let now = try Run(file, readingUpTo: 0), now.checksum == run.checksum {
                try checkPages(now, &faults)
            } else {
                faults.add(run.path, "byte \(run.pageCount * PageView.byteCount)", "the trailer is damaged")
            }
        } catch let error as PatchbayError where error.code == .notFound {
            // The run was merged meanwhile, so it is no longer part of the storage.
        }
    }

    static func checkPages(_ run: Run, _ faults: inout FaultList) throws {
        var entryCount: Int? = 0, last: [UInt8]? = nil
        for index in 0..<run.pageCount where !faults.isFull {
            let place = "page \(index), byte \(index * PageView.byteCount)"
            do {
                let page = try run.page(index), view = page.view
                if let message = disorder(view, after: last) {
                    faults.add(run.path, place, message)
                } else if unsafe run.pageNumber(of: view.key(0)) != index {
                    faults.add(run.path, place, "its first key is not the one in the footer")
                }
                entryCount? += view.count
                last = withExtendedLifetime(page) { view.copyKey(view.count - 1) }
            } catch let error as PatchbayError where error.code == .corrupted {
                faults.add(run.path, place, "the checksum does not match")
                entryCount = nil
            }
        }
        if let entryCount, entryCount != run.entryCount, !faults.isFull {
            faults.add(
                run.path, nil, "contains \(entryCount) entries, but its trailer says \(run.entryCount)")
        }
    }

    /// Returns what is wrong with the order of a page's keys, or nil.
    private static func disorder(_ view: PageView, after last: [UInt8]?) -> String? {
        let isBehind =
            last.map { unsafe $0.withUnsafeBytes { unsafe compareKeys($0, view.key(0)) < 0 } } ?? true
        guard isBehind else { return "its first key does not come after the page before" }
        for slot in 1..<max(view.count, 1) where view.compare(slot - 1, view, slot) >= 0 {
            return "the keys \(slot - 1) and \(slot) are not in order"
        }
        return nil
    }
}
