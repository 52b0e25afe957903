import PatchbayCore
import PatchbayDomain
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

    var details: [PatchbayError.Detail] { (row.map { [.row($0)] } ?? []) + detailsInRow }

    /// The details without the number of the row.
    var detailsInRow: [PatchbayError.Detail] {
        [field.map { .field($0) }, value.map { .note("value", $0) }].compactMap { $0 }
    }
}

extension RowReading {
    private static let shownBytesMax = 60

    /// Returns the fault of a value, including the beginning of the value unless it may be a secret.
    func fault(_ error: any Error, _ target: RowShape.Target, at start: Int) -> RowFault {
        var fault = RowFault(error)
        guard fault.field == nil else { return fault }
        fault.field = target.name
        let rest = body.dropFirst(base + start).prefix(Self.shownBytesMax)
        guard let first = rest.first, first != UInt8(ascii: "{"), first != UInt8(ascii: "["),
            !SecretNames.mayBeSecret(parameter: target.name)
        else { return fault }
        let isText = first == UInt8(ascii: "\"")
        let end =
            isText
            ? rest.dropFirst().firstIndex(of: first).map { $0 + 1 }
            : rest.firstIndex { ",]} \n".utf8.contains($0) }
        let value = String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
        fault.value = Quotation.plain(value) + (end == nil && rest.count == Self.shownBytesMax ? "..." : "")
        return fault
    }

    func absent(_ target: RowShape.Target) -> RowFault {
        switch target.type {
        case .text: fault(target, "expected a text, found none")
        case _ where target.place == shape.orderPlace:
            fault(target, "expected a number above zero, found 0 or none")
        default: fault(target, "expected a number, found none")
        }
    }

    func fault(_ target: RowShape.Target, _ problem: String) -> RowFault {
        var fault = RowFault(target.path, problem)
        fault.field = target.name
        return fault
    }
}
