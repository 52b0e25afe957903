import PatchbayCore

/// SQLite's integrity check: every page's structure, every index against its table, types, and free pages.
struct FileCheck {
    let connection: Connection

    /// Returns up to 100 faults.
    func faults(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        var faults: [StorageFault] = []
        do {
            try connection.reporting(progress, of: "checking \(connection.path)") {
                let report = try connection.prepare("PRAGMA integrity_check(\(Verification.faultsMax))")
                while try report.step() { faults += lines(report.text(0)) }
            }
            try StoredSchema(connection).checkObjects()
        } catch let error as PatchbayError where error.code == .corrupted {
            // The damage is so severe that the check itself cannot continue.
            let words = error.note("sqlite").map { ": " + $0 } ?? ""
            faults.append(StorageFault(file: connection.path, error.message + words))
        }
        return Array(faults.prefix(Verification.faultsMax))
    }

    /// Splits one row of the report, which contains several lines and may start with a heading.
    private func lines(_ report: String) -> [StorageFault] {
        report.split(separator: "\n").filter { $0 != "ok" && !$0.hasPrefix("***") }.map {
            StorageFault(file: connection.path, place: FileCheck.place(in: $0), String($0))
        }
    }

    /// Returns the place of a fault, if the line names it in one of SQLite's formats:
    ///
    ///     On tree page 4 cell 3: 2nd reference to page 5
    ///     row 12 missing from index users_by_login
    ///     NULL value in users.login
    static func place(in line: Substring) -> String? {
        let words = line.split(separator: " ").map { $0.last == ":" ? $0.dropLast() : $0 }
        func word(after name: String) -> Substring? {
            guard let place = words.firstIndex(where: { $0.lowercased() == name }) else { return nil }
            return place + 1 < words.count ? words[place + 1] : nil
        }
        let row = word(after: "row").flatMap { Int($0) }.map { ", row \($0)" } ?? ""
        if let page = word(after: "page"), Int(page) != nil {
            return "page \(page)" + (word(after: "cell").map { ", cell \($0)" } ?? "")
        }
        if let index = word(after: "index") { return "index \(index)" + row }
        guard line.contains(" value in "), let name = words.last else { return nil }
        let parts = name.split(separator: ".")
        return parts.count == 2 ? "table \(parts[0]), column \(parts[1])" : nil
    }
}
