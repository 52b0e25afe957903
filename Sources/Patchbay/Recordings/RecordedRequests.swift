import NetworkingRecording
package import PatchbayCore
package import PatchbayDomain
package import PatchbayGateway

/// The addresses that a recording contains answers for, to fetch everything from it that a definition describes.
package struct RecordedRequests: Sendable {
    /// The addresses below the base URL of the API, each once.
    private let addresses: [RecordedAddress]

    /// Reads the requests of a recording.
    ///
    /// - Parameters:
    ///   - path: a HAR file, or a folder of HAR files.
    ///   - source: the opened recording.
    /// - Throws: the errors of opening the recording.
    package init(_ path: String, of source: Source) throws {
        guard let base = source.upstream.flatMap({ HTTPAddress($0.baseURL) }) else {
            addresses = []
            return
        }
        var addresses: [RecordedAddress] = [], known: Set<String> = []
        let folder = base.path == "/" ? "" : base.path
        try Recording.open(path).forEachExchange { exchange in
            // An invalid entry is not replayed, so it has no rows.
            guard case .success(let exchange) = exchange, let address = HTTPAddress(exchange.url),
                address.origin == base.origin, address.path.hasPrefix(folder + "/"),
                known.insert(address.path).inserted
            else { return }
            let path = address.pathOnly.dropFirst(folder.utf8.count)
            addresses.append(RecordedAddress(path: String(path), query: String(address.query)))
        }
        self.addresses = addresses
    }

    /// The values of a template's parameters in each address that has its form.
    fileprivate func matches(_ template: Template) -> [[Template.Parameter: String]] {
        var found: [[Template.Parameter: String]] = []
        for address in addresses {
            guard let values = template.values(in: address), !found.contains(values) else { continue }
            found.append(values)
        }
        return found
    }
}

/// A recorded address below the base URL.
private struct RecordedAddress: Sendable {
    let path: String
    let query: String
}

extension Gateway {
    /// Fetches the rows and lists whose addresses a recording contains, parents before children. A list that the
    /// recording contains only in part is fetched up to there.
    ///
    /// - Parameter isInterrupted: called between lists; true ends the sync early.
    /// - Returns: the first error of a row or list that was not replayed; nil when there was none.
    /// - Throws: the errors of the storage.
    @discardableResult
    package func sync(
        _ requests: RecordedRequests, isInterrupted: @Sendable () -> Bool = { false }
    ) async throws -> PatchbayError? {
        var failure: PatchbayError?
        func note(_ error: PatchbayError) throws {
            if [.storageFull, .corrupted, .busy, .cancelled, .internalError].contains(error.code) {
                throw error
            }
            failure = failure ?? error
        }
        for resource in parentsFirst {
            for values in resource.declaration.show.map(requests.matches) ?? [] {
                // A recorded address that names no row is not one of this form.
                guard let handle = values[.handle], (try? resource.parts(ofHandle: handle)) != nil,
                    !isInterrupted()
                else { continue }
                let answer = await show(resource, handle, policy: .refresh).ending
                if case .failed(let error) = answer.outcome { try note(error) }
            }
            if resource.declaration.parentField != nil {
                if case .failed(let error) = await syncChildren(resource).run().0 { try note(error) }
                continue
            }
            for list in resource.declaration.lists {
                let names = list.template.arguments
                var fetched: Set<[String]> = []
                for values in requests.matches(list.template) where !isInterrupted() {
                    let arguments = names.compactMap { values[.argument($0)] }
                    guard arguments.count == names.count, fetched.insert(arguments).inserted else { continue }
                    let sync =
                        list.template.parent == nil
                        ? self.sync(try question(resource, list: list.name, arguments: arguments))
                        : syncChildren(resource, list: list.name, arguments: arguments)
                    if case .failed(let error) = await sync.run().0 { try note(error) }
                }
            }
        }
        return failure
    }
}

extension Template {
    /// The values of the parameters in an address of this form, percent-decoded; nil for another address.
    ///
    /// Items of the query that are not arguments are not compared, because a replay decides what they may be.
    fileprivate func values(in address: RecordedAddress) -> [Parameter: String]? {
        var path: [Piece] = [], query: [Piece] = []
        for piece in pieces {
            guard query.isEmpty, case .literal(let text) = piece, let mark = text.firstIndex(of: "?") else {
                if query.isEmpty { path.append(piece) } else { query.append(piece) }
                continue
            }
            path.append(.literal(String(text[..<mark])))
            query.append(.literal(String(text[text.index(after: mark)...])))
        }
        guard var values = Template.values(of: path[...], in: address.path[...]) else { return nil }
        for argument in arguments where values[.argument(argument)] == nil {
            guard let value = Template.value(of: .argument(argument), query, in: address.query) else {
                return nil
            }
            values[.argument(argument)] = value
        }
        return values
    }

    private static func values(of pieces: ArraySlice<Piece>, in text: Substring) -> [Parameter: String]? {
        guard let piece = pieces.first else { return text.isEmpty ? [:] : nil }
        switch piece {
        case .literal(let literal):
            guard text.hasPrefix(literal) else { return nil }
            return values(of: pieces.dropFirst(), in: text.dropFirst(literal.count))
        case .parameter(let parameter):
            // A handle may have several parts, between slashes.
            var value = parameter == .handle ? text : text.prefix { $0 != "/" }
            while !value.isEmpty {
                if var found = values(of: pieces.dropFirst(), in: text[value.endIndex...]) {
                    found[parameter] = PercentEncoding.decoded(value)
                    return found
                }
                value.removeLast()
            }
            return nil
        }
    }

    /// The value of the recorded query item that is this parameter in the template's query.
    private static func value(
        of parameter: Parameter, _ pieces: [Piece], in query: String
    ) -> String? {
        guard let place = pieces.firstIndex(of: .parameter(parameter)), place > 0,
            case .literal(let before) = pieces[place - 1], before.hasSuffix("=")
        else { return nil }
        let name = before.dropLast().split(separator: "&").last ?? ""
        let item = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
        return item.map { PercentEncoding.decoded($0.dropFirst(name.count + 1)) }
    }
}
