import ArgumentParser
import Patchbay
import PatchbayDomain
import PatchbayJSON
import PatchbayTerminal

/// `patchbay api`: requests from the source's API, through all layers.
struct APICommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Send a request to the source's API and print the answer.",
        discussion: """
            Token, limits, retries and redirects are handled as in every other command. Nothing is stored, and only \
            the configured server is contacted. The body goes to standard output, even for an error, whose kind \
            determines the exit status.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Argument(help: "The HTTP method; only GET is supported.")
    var method: String

    @Argument(help: "The path with its query, such as /users/octocat.")
    var path: String

    @Flag(help: "Follow the links to further pages, and print their arrays as one.")
    var paginate = false

    @Flag(help: "Print the status and header fields before the body, without secrets.")
    var include = false

    func validate() throws {
        guard method.uppercased() == "GET" else {
            throw ValidationError("the method \"\(method)\" is not supported; use GET")
        }
        if paginate && include { throw ValidationError("--paginate and --include cannot be used together") }
    }

    func run() async throws {
        try await options.withGateway(requests) { gateway in
            guard let raw = gateway.source.raw else {
                throw PatchbayError(.unsupported, "the source \(gateway.source.name) has no API")
            }
            if paginate {
                let pages = try await PagedAnswer(raw: raw).write(path)
                if pages == 1, gateway.source.hasUnlinkedPages {
                    Message.write(
                        "no Link header names a next page, and the definition does not expect one, so these may not "
                            + "be all rows; \"patchbay sync\" fetches the pages of a resource")
                    throw ExitStatus.incomplete
                }
            } else {
                try write(await raw.get(path))
            }
        }
    }

    private func write(_ answer: RawAnswer) throws {
        if include {
            let fields = answer.fields.map { "\($0.name): \(Message.withoutSecrets($0.value))\n" }.joined()
            try BodyOutput.write(Array("HTTP \(answer.status)\n\(fields)\n".utf8))
        }
        try BodyOutput.write(answer.body)
        if let error = answer.error { throw error }
    }
}

extension Source {
    /// Whether some lists have several pages, and none is continued by a Link header.
    fileprivate var hasUnlinkedPages: Bool {
        let listed = resources.filter { !$0.lists.isEmpty && $0.parentField == nil }
        let pagings = listed.map(\.paging) + listed.compactMap(\.search?.paging)
        return !pagings.contains(Paging.link) && pagings.contains { $0 != Paging.none }
    }
}

/// Writes bodies to standard output unchanged, except that on a terminal they are made harmless.
enum BodyOutput {
    static func write(_ bytes: [UInt8]) throws {
        guard Terminal.output.isTerminal else { return try StandardStream.output.write(bytes) }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        try StandardStream.output.write(
            lines.map { TerminalText.harmless(String($0)) }.joined(separator: "\n"))
    }
}

/// Prints the arrays of all pages of a list as a single array, page by page as they arrive.
struct PagedAnswer {
    /// The maximum number of pages to follow.
    static let pagesMax = 100_000

    let raw: any RawSource

    /// - Returns: the number of pages with items.
    /// - Throws: the error of a page. The pages before it have then been printed without a closing bracket; if it is
    ///   the first page, nothing has been printed.
    func write(_ path: String) async throws -> Int {
        var next: String? = path
        var requested: Set<String> = []
        var pages = 0
        while let address = next {
            guard requested.insert(address).inserted, requested.count <= Self.pagesMax else {
                throw PatchbayError(.invalidResponse, "the pages lead in a circle, back to \"\(address)\"")
            }
            let answer = try await raw.get(address)
            if let error = answer.error { throw error }
            let items = try Self.items(of: answer.body, at: address)
            if requested.count == 1 { try BodyOutput.write([UInt8(ascii: "[")]) }
            if !items.isEmpty {
                try BodyOutput.write((pages > 0 ? [UInt8(ascii: ",")] : []) + items)
                pages += 1
            }
            next = answer.next
        }
        try BodyOutput.write(Array("]\n".utf8))
        return pages
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
