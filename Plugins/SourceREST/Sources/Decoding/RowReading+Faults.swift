import PatchbayCore
import PatchbayDomain

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
