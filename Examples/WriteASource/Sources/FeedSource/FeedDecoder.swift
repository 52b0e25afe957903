import Patchbay
import PatchbayJSON

/// Decodes the feed's JSON into items.
struct FeedDecoder: ~Copyable {
    private let resource: Resource
    private var builder = ItemBuilder()

    init(_ resource: Resource) { self.resource = resource }

    mutating func items(_ body: [UInt8]) throws -> [Item] {
        try reading(body) { decoder, reader in
            var items: [Item] = []
            try reader.beginArray()
            while try reader.nextElement() {
                guard items.count < UserFeed.pageRows else {
                    throw Fault(message: "more users than a page has")
                }
                items.append(try decoder.item(&reader))
            }
            return items
        }
    }

    mutating func item(_ body: [UInt8]) throws -> Item {
        try reading(body) { decoder, reader in try decoder.item(&reader) }
    }

    private struct Fault: Error { let message: String }

    private mutating func item(_ reader: inout JSONReader) throws -> Item {
        builder.begin(resource)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard let field = resource.field(named: key.string()) else {
                try reader.skipValue()
                continue
            }
            switch field.type {
            case .integer: builder.set(field, try reader.readInteger())
            default: builder.set(field, try reader.readString())
            }
        }
        return try builder.finish()
    }

    /// Decodes a whole body.
    ///
    /// - Throws: `invalidResponse` for anything but JSON as the feed publishes it.
    private mutating func reading<Result>(
        _ body: [UInt8], _ read: (inout FeedDecoder, inout JSONReader) throws -> Result
    ) throws -> Result {
        var reader = JSONReader(body.span.bytes)
        do {
            let result = try read(&self, &reader)
            try reader.finish()
            return result
        } catch {
            let problem =
                (error as? Fault)?.message ?? (error as? JSONError)?.message
                ?? (error as? PatchbayError)?.message ?? "\(error)"
            throw PatchbayError(.invalidResponse, "the answer is not a feed of users: \(problem)")
        }
    }
}
