import Patchbay
import PatchbayJSON

/// Prints the arrays of all pages of a list as a single array, page by page as they arrive.
struct PagedAnswer {
    /// The maximum number of pages to follow.
    static let pagesMax = 100_000

    let raw: any RawSource

    /// - Throws: the error of a page. The pages before it have then been printed without a closing bracket; if it is
    ///   the first page, nothing has been printed.
    func write(_ path: String) async throws {
        var next: String? = path
        var requested: Set<String> = []
        var hasItems = false
        while let address = next {
            guard requested.insert(address).inserted, requested.count <= Self.pagesMax else {
                throw PatchbayError(.invalidResponse, "the pages lead in a circle, back to \"\(address)\"")
            }
            let answer = try await raw.get(address)
            if let error = answer.error { throw error }
            let items = try Self.items(of: answer.body, at: address)
            if requested.count == 1 { try BodyOutput.write([UInt8(ascii: "[")]) }
            if !items.isEmpty {
                try BodyOutput.write((hasItems ? [UInt8(ascii: ",")] : []) + items)
                hasItems = true
            }
            next = answer.next
        }
        try BodyOutput.write(Array("]\n".utf8))
    }

    /// Returns the text between the brackets of an array.
    static func items(of body: [UInt8], at address: String) throws -> ArraySlice<UInt8> {
        var reader = JSONReader(body.span.bytes)
        do {
            guard try reader.peek() == .array else {
                throw PatchbayError(
                    .unsupported, "the answer of \"\(address)\" is not an array; omit --paginate")
            }
            try reader.skipValue()
            try reader.finish()
        } catch let error as JSONError {
            throw PatchbayError(
                .invalidResponse,
                "the answer of \"\(address)\" cannot be used: it is not JSON: \(error.message)")
        }
        let isSpace = { (byte: UInt8) in byte <= 0x20 }
        var items = body[...].drop(while: isSpace).dropFirst()
        while let last = items.last, isSpace(last) { items.removeLast() }
        items.removeLast()
        while let last = items.last, isSpace(last) { items.removeLast() }
        return items.drop(while: isSpace)
    }
}
