import PatchbayJSON

/// What is wrong with an answer's JSON, and in which member.
struct RowFault: Error {
    /// Such as `[3].site_admin`; empty for the answer as a whole.
    let path: String
    let problem: String
    /// The declared field that the value was for.
    var field: String?
    /// The beginning of the value; nil for one that may be a secret.
    var value: String?
    var row: Int?

    init(_ path: String, _ problem: String) {
        self.path = path
        self.problem = problem
    }

    /// The fault of a member, whatever found it.
    init(_ error: any Error) {
        if let fault = error as? RowFault {
            self = fault
        } else {
            self.init("", (error as? JSONError)?.message ?? "\(error)")
        }
    }

    func inElement(_ index: Int) -> RowFault { at("[\(index)]" + (path.isEmpty ? "" : "." + path)) }

    func inMember(_ name: String) -> RowFault { at(path.isEmpty ? name : "\(name).\(path)") }

    private func at(_ path: String) -> RowFault {
        var fault = RowFault(path, problem)
        (fault.field, fault.value, fault.row) = (field, value, row)
        return fault
    }

    var sentence: String { path.isEmpty ? problem : Quotation.plain(path) + ": " + problem }

    /// The sentence without the number of the row, for those who name the row in another way.
    var sentenceInRow: String {
        guard path.hasPrefix("["), let end = path.firstIndex(of: "]") else { return sentence }
        let inRow = path[path.index(after: end)...].drop { $0 == "." }
        return inRow.isEmpty ? problem : Quotation.plain(String(inRow)) + ": " + problem
    }

    /// What an error's context says of it.
    var context: [String: String] {
        var context: [String: String] = [:]
        context["row"] = row.map(String.init)
        context["field"] = field
        context["value"] = value
        return context
    }
}
