import Patchbay

/// The fields of a row in the browser's list, and their widths in terminal columns: a number, the handle, the name and
/// the kind, after the marks, which have 4. Fields that a resource does not have take no room.
struct BrowserColumns {
    let number: ResourceField?
    let handle: ResourceField?
    let name: ResourceField?
    let kind: ResourceField?
    let numberWidth: Int
    let widths: [Int]

    init(_ resource: Resource, width: Int, numberWidth: Int) {
        let number = Self.numberField(of: resource)
        let handle = resource.handle == number ? nil : resource.handle
        let name = resource.title.first { $0 != handle && $0 != number }
        kind = Self.kind(of: resource, without: [number, handle, name])
        self.number = number
        self.handle = handle
        self.name = name
        self.numberWidth = number.map { max(numberWidth, $0.name.count, 2) } ?? 0
        let kindWidth = kind != nil && width >= 70 ? 12 : 0
        let rest = width - 4 - self.numberWidth - 2 - (kindWidth > 0 ? kindWidth + 2 : 0)
        let handleWidth =
            handle == nil ? 0 : name == nil || rest < 24 ? max(0, rest) : min(39, rest * 45 / 100)
        let nameWidth = name == nil ? 0 : max(0, rest - (handleWidth > 0 ? handleWidth + 2 : 0))
        widths = [self.numberWidth, handleWidth, nameWidth, kindWidth]
    }

    /// Returns the heading of a column.
    func title(_ field: ResourceField?) -> String { field?.name.withSpaces ?? "" }

    /// Returns a number at the right edge of its column.
    func piece(number: String) -> BrowserScreen.Piece {
        BrowserScreen.Piece(TerminalText.padded(number, to: numberWidth, isRight: true))
    }

    /// Returns the field before the handle: the order of the list, or a numeric key.
    private static func numberField(of resource: Resource) -> ResourceField? {
        resource.order ?? (resource.key.count == 1 ? resource.key.first { $0.type == .integer } : nil)
    }

    static func number(of item: Item, _ resource: Resource) -> String {
        numberField(of: resource).flatMap { item[$0] }?.description ?? ""
    }

    /// Returns the first text field among the columns of the table that is not one of the others.
    private static func kind(of resource: Resource, without others: [ResourceField?]) -> ResourceField? {
        let columns = ItemColumns(resource.declaration).declared.filter { $0.fields.count == 1 }
        return columns.lazy.compactMap { resource.field(named: $0.fields[0]) }.first {
            $0.type == .text && !others.contains($0)
        }
    }
}

extension String {
    /// The text up to its first line feed.
    var firstLine: String { String(prefix { $0 != "\n" && $0 != "\r\n" }) }
}
