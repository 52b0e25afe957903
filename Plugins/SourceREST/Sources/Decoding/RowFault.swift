import PatchbayCore
import PatchbayJSON

/// A fault in an answer's JSON, with the path of the member.
struct RowFault: Error {
    /// The path, such as `[3].site_admin`; empty for the whole answer.
    let path: String
    let problem: String
    /// The declared field of the value.
    var field: String?
    /// The beginning of the value; nil if it may be a secret.
    var value: String?
    var row: Int?

    init(_ path: String, _ problem: String) {
        self.path = path
        self.problem = problem
    }

    /// Converts any error in a member to a fault.
    init(_ error: any Error) {
        if let fault = error as? RowFault {
            self = fault
        } else {
            self.init("", (error as? JSONError)?.message ?? "\(error)")
        }
    }

    /// Converts any error in a row.
    init(_ error: any Error, inRow place: Int) {
        self = RowFault(error).inElement(place)
        row = place
    }

    func inElement(_ index: Int) -> RowFault { at("[\(index)]" + (path.isEmpty ? "" : "." + path)) }

    func inMember(_ name: String) -> RowFault { at(path.isEmpty ? name : "\(name).\(path)") }

    private func at(_ path: String) -> RowFault {
        var fault = RowFault(path, problem)
        (fault.field, fault.value, fault.row) = (field, value, row)
        return fault
    }

    var sentence: String { path.isEmpty ? problem : Quotation.plain(path) + ": " + problem }

    /// The sentence without the number of the row, for callers that name the row differently.
    var sentenceInRow: String {
        guard path.hasPrefix("["), let end = path.firstIndex(of: "]") else { return sentence }
        let inRow = path[path.index(after: end)...].drop { $0 == "." }
        return inRow.isEmpty ? problem : Quotation.plain(String(inRow)) + ": " + problem
    }

    /// The details of an error.
    var details: [PatchbayError.Detail] { (row.map { [.row($0)] } ?? []) + detailsInRow }

    /// The details without the number of the row.
    var detailsInRow: [PatchbayError.Detail] {
        [field.map { .field($0) }, value.map { .note("value", $0) }].compactMap { $0 }
    }
}
