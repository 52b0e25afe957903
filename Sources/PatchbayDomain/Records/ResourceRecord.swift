import PatchbayCore

/// A program's own struct for the rows of a resource.
///
///     struct Member: ResourceRecord {
///         static let resource = "users"
///         var id: String
///         var realName: String?
///     }
///
///     for await answer in try gateway.show(Member.self, "U012AB3CD") { ... }
///
/// Each property is decoded from the field with its name in any spelling (`realName` from `real_name`), with its edit
/// if it was edited. A boolean is also found with `is` before its name (`isFork` from `fork`). The property has the
/// field's type: `String`, an integer, `Double`, `Bool` or `Timestamp`, or an enumeration with such raw values; a field
/// of JSON is an array, a dictionary or a nested struct. A field that may be null needs an optional property. Fields
/// without a property are ignored; a property without a field is an error, even when it is optional.
public protocol ResourceRecord: Decodable, Sendable {
    /// The name of the resource.
    static var resource: String { get }
}

extension Item {
    /// Decodes the item as a program's own record.
    ///
    /// - Throws: `invalidValue` with the resource, the field and the expected type when a field is missing or has
    ///   another type.
    public func decoded<Record: Decodable>(as type: Record.Type = Record.self) throws -> Record {
        do {
            return try Record(from: ItemDecoder(item: self))
        } catch let error as DecodingError {
            throw error.patchbayError(about: self, type)
        }
    }
}

extension DecodingError {
    /// The error for a failure in the record's own decoding, such as an unknown case of an enumeration.
    fileprivate func patchbayError(about item: Item, _ type: Any.Type) -> PatchbayError {
        let context: Context? =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        var place = CodedPlace(item)
        place.codingPath = context?.codingPath ?? []
        let reason = context.map { ": \($0.debugDescription)" } ?? ""
        return place.error("does not fit \(type)\(reason)")
    }
}
