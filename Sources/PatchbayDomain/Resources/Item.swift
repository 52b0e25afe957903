public import PatchbayCore
import PatchbayJSON

/// A row of a resource: the source's values, the local edits, and the gateway's notes.
///
/// It holds one copy of the packed row and reads each field from it on access, so a page of items costs one allocation
/// per item. Two items are equal when they have the same fields and edits, whenever they were fetched.
public struct Item: Sendable {
    /// The resource to which the row belongs.
    public let resource: Resource
    /// The packed row.
    package let bytes: [UInt8]
    /// The fields that the answer contained, by their places in the definition; all fields of a stored row.
    package let known: FieldSet

    /// A copy of a stored row.
    package init(_ row: borrowing RowView, of resource: Resource) {
        self.init(bytes: row.copyBytes(), known: .all, of: resource)
    }

    package init(bytes: [UInt8], known: FieldSet, of resource: Resource) {
        self.resource = resource
        self.bytes = bytes
        self.known = known
    }

    /// Reads the packed row in place.
    package func withRow<Result>(_ body: (borrowing RowView) throws -> Result) rethrows -> Result {
        try body(RowView(unchecked: bytes.span.bytes))
    }
}

// MARK: - Values

extension Item {
    /// The source's value, whether or not the field was edited; nil for null and for a name without a field.
    public subscript(_ name: String) -> ItemValue? {
        resource.field(named: name).flatMap { self[$0] }
    }

    /// The source's value of a field of this item's resource; nil for null.
    public subscript(_ field: ResourceField) -> ItemValue? {
        withRow { ItemValue($0, at: field.position, field.type) }
    }

    /// The local edit; nil when the field was not edited.
    package func override(of field: ResourceField) -> String? {
        guard let position = field.overridePosition else { return nil }
        return withRow { $0.isNull(position) ? nil : $0.text(position) }
    }

    /// The value to show: the edit if there is one, nil if that is empty, otherwise the source's value.
    package func shown(_ field: ResourceField) -> ItemValue? {
        withRow { row in
            guard let position = field.shownPosition(in: row) else { return nil }
            return ItemValue(row, at: position, field.type)
        }
    }

    /// Whether there is a value to show.
    func isShown(_ field: ResourceField) -> Bool {
        withRow { field.shownPosition(in: $0) != nil }
    }

    /// The text of a field as people see it: the local edit if there is one, otherwise the source's value. Nil when it
    /// is null or not a text.
    public func text(_ name: String) -> String? {
        guard let field = resource.field(named: name), case .text(let text) = shown(field) else { return nil }
        return text
    }

    /// The number in a field; nil when it is null or not an integer. A boolean or a time is not an integer.
    public func integer(_ name: String) -> Int64? {
        guard case .integer(let number) = self[name] else { return nil }
        return number
    }

    /// The gateway's notes about the row.
    public var state: ItemState { withRow { ItemState($0, of: resource) } }

    /// The change number of the row's last change; 0 when it has none.
    package var changeNumber: Int64 {
        let position = resource.changeNumberPosition
        return withRow { $0.integer(position) }
    }

    /// The change number of the last change that lists show; 0 when it has none.
    package var listedNumber: Int64 { withRow { resource.listedNumber(of: $0) } }

    /// The values of the fields that identify the row in its collection.
    public var key: Key { withRow { resource.collection.key(of: $0) } }

    /// The name by which people refer to the row; without one, its key.
    public var handle: String {
        if let handle = resource.handle.flatMap({ self[$0] }) { return handle.description }
        return resource.key.count == 1 ? self[resource.key[0]]?.description ?? "" : keyText
    }

    /// The row's name in a list: the first title that has a value, otherwise the handle.
    public var title: String {
        for field in resource.title { if let text = shown(field)?.description, !text.isEmpty { return text } }
        return handle
    }

    /// The value of the field that orders the list; nil when the row has none.
    public var order: Int64? {
        guard let order = resource.order, case .integer(let value) = self[order] else { return nil }
        return value
    }

    /// Whether the row has this handle, ignoring the case of A to Z. A handle that is the key may be percent-encoded
    /// further than necessary.
    package func isCalled(_ handle: String) -> Bool {
        self.handle.utf8.lazy.map(\.caseFolded).elementsEqual(handle.utf8.lazy.map(\.caseFolded))
            || resource.handle == nil && KeyText.key(handle, of: resource) == key
    }

    /// Whether a request with this handle is one for the row: where the source distinguishes case, a handle in another
    /// case may be another row's, unless the row is requested by its key or never requested alone.
    package func isCalledAtSource(_ handle: String) -> Bool {
        isCalled(handle)
            && (resource.declaration.ignoresCase || self.handle == handle || resource.handle == nil
                || resource.isShownByKey || resource.declaration.show == nil)
    }
}

extension Item: Hashable {
    /// Whether both are of the same resource and have the same fields and edits; the gateway's notes do not count.
    public static func == (left: Item, right: Item) -> Bool {
        guard left.resource === right.resource else { return false }
        return left.withRow { leftRow in
            right.withRow { rightRow in
                left.resource.fields.allSatisfy { field in
                    ColumnPlace(position: field.position, type: field.type.fieldType)
                        .isSame(leftRow, rightRow)
                        && (field.overridePosition.map {
                            ColumnPlace(position: $0, type: .text).isSame(leftRow, rightRow)
                        } ?? true)
                }
            }
        }
    }

    /// Whether the fields that this answer contains have the values of a stored row.
    ///
    /// - Parameters:
    ///   - ignoringPlace: whether the row's place in a list (`@place`) does not count.
    ///   - ignoringDetails: whether fields that lists do not return do not count.
    package func hasKnownValues(
        of stored: Item, ignoringPlace: Bool = false, ignoringDetails: Bool = false
    ) -> Bool {
        withRow { row in
            stored.withRow { storedRow in
                resource.columns.enumerated().allSatisfy { place, column in
                    !known.contains(position: place)
                        || ignoringPlace && resource.fields[place].declaration.origin == .place
                        || ignoringDetails && resource.fields[place].declaration.isDetail
                        || ColumnPlace(position: column.position, type: column.type.fieldType)
                            .isSame(row, storedRow)
                }
            }
        }
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A column and its contents.
private struct ColumnPlace {
    let position: Int
    let type: FieldType

    func isSame(_ left: borrowing RowView, _ right: borrowing RowView) -> Bool {
        guard left.isNull(position) == right.isNull(position) else { return false }
        switch type {
        case .integer: return left.integer(position) == right.integer(position)
        case .real: return left.real(position) == right.real(position)
        case .text, .bytes:
            let left = left.bytes(position), right = right.bytes(position)
            guard left.byteCount == right.byteCount else { return false }
            return unsafe left.withUnsafeBytes { leftBytes in
                unsafe right.withUnsafeBytes { unsafe leftBytes.elementsEqual($0) }
            }
        }
    }
}

/// The value of a field.
public enum ItemValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case time(Timestamp)
    /// JSON as text.
    case json(String)

    /// Nil for null.
    @inline(__always)
    init?(_ row: borrowing RowView, at position: Int, _ type: ValueType) {
        if row.isNull(position) { return nil }
        self =
            switch type {
            case .text: .text(row.text(position))
            case .integer: .integer(row.integer(position))
            case .real: .real(row.real(position))
            case .boolean: .boolean(row.integer(position) != 0)
            case .time: .time(Timestamp(milliseconds: row.integer(position)))
            case .json: .json(row.text(position))
            }
    }
}

extension ItemValue: CustomStringConvertible {
    /// The value as a table shows it.
    public var description: String {
        switch self {
        case .text(let text), .json(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .time(let time): time.description
        }
    }
}
