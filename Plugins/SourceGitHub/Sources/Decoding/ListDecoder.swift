import PatchbayJSON

/// Turns the JSON of a list into its items: an array, or an object that holds one beside the count of all
/// (semantics 10).
enum ListDecoder {
    /// The most items that a page may hold; GitHub sends at most 100.
    static let pageItemsMax = 1_000

    /// - Throws: ``FieldFault``
    static func decode<Item: ListItem>(_ body: [UInt8]) throws -> ListBody<Item> {
        var reader = JSONReader(body.span.bytes)
        do {
            let list: ListBody<Item> =
                try reader.peek() == .object ? object(&reader) : ListBody(items: items(&reader))
            try reader.finish()
            return list
        } catch let error as JSONError {
            throw FieldFault("", error.message)
        }
    }

    /// The first member that is an array holds the items, whatever it is called.
    private static func object<Item: ListItem>(_ reader: inout JSONReader) throws -> ListBody<Item> {
        var list = ListBody<Item>()
        var hasItems = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                if key == "total_count" {
                    list.total = try reader.optionalInteger()
                } else if key == "incomplete_results" {
                    list.isIncomplete = try reader.optionalBool() ?? false
                } else if !hasItems, try reader.peek() == .array {
                    hasItems = true
                    list.items = try items(&reader)
                } else {
                    try reader.skipValue()
                }
            } catch {
                throw fault(error).inMember(key.string())
            }
        }
        guard hasItems else { throw FieldFault("", "expected an array, found an object") }
        return list
    }

    private static func items<Item: ListItem>(_ reader: inout JSONReader) throws -> [Item] {
        var items: [Item] = []
        try reader.beginArray()
        while try reader.nextElement() {
            do {
                guard items.count < pageItemsMax else {
                    throw FieldFault("", "more than \(pageItemsMax) items in a page")
                }
                items.append(try Item.item(&reader))
            } catch {
                throw fault(error).inElement(items.count)
            }
        }
        return items
    }

    /// The fault of a member, whoever found it.
    static func fault(_ error: any Error) -> FieldFault {
        error as? FieldFault ?? FieldFault("", (error as? JSONError)?.message ?? "\(error)")
    }
}
