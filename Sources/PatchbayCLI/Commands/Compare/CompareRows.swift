import Patchbay
import PatchbayCompare
import PatchbayTerminal

/// Finds the rows that a comparison copies: those of a filled storage, or of a recording.
struct CompareRows {
    private let origin: RowsOrigin

    init(_ origin: RowsOrigin) { self.origin = origin }

    /// A resource of which rows were found.
    private struct Found {
        var word: String
        var declaration: ResourceDeclaration
        var stored: CollectionSchema
        var count: Int
    }

    /// The rows of a resource.
    ///
    /// - Parameters:
    ///   - name: the resource; nil for the one with the most rows, which is noted.
    ///   - isInterrupted: true ends the reading of a recording early.
    /// - Throws: `notFound` when there are no rows, `invalidConfiguration` for an unknown resource, and the errors of
    ///   opening the recording or storage.
    func rows(of name: String?, isInterrupted: @escaping @Sendable () -> Bool) async throws -> ComparedRows {
        if let recording = origin.recording { return try await recorded(recording, name, isInterrupted) }
        let side = try ChosenStorage(side: origin.storage!)
        let declared = try await Self.resources(of: origin)
        let (found, others) = try await side.withStore { store in
            try await Self.find(declared, in: store)
        }
        let words = side.name
        guard !found.isEmpty else {
            throw PatchbayError(
                .notFound,
                others.isEmpty
                    ? "\(words) has no rows; fetch some first"
                    : "no definition describes the rows of \(words) (\(others.joined(separator: ", "))); name the "
                        + "definition with --definition, or a configuration file that does in --from")
        }
        let chosen = try Self.choose(name, among: found, declared, words)
        return try ComparedRows.copied(
            chosen.declaration, word: chosen.word, stored: chosen.stored, from: origin, words: words
        ) { body in
            let store = try await side.open(nil, .reading)
            do {
                try await Self.walk(chosen.stored, in: store, body)
            } catch {
                // The first error is the one to report.
                try? await store.close()
                throw error
            }
            try await store.close()
        }
    }

    private func recorded(
        _ path: String, _ name: String?, _ isInterrupted: @escaping @Sendable () -> Bool
    ) async throws -> ComparedRows {
        let words = "the recording \"\(path.split(separator: "/").last ?? "")\""
        let source = try await Self.openRecording(origin)
        let gateway = try await Gateway(storage: MemoryStorage(), source: source)
        let requests = try RecordedRequests(path, of: source)
        let failure = try await gateway.sync(requests, isInterrupted: isInterrupted)
        let resources = [SourceResources(word: source.word, source.resources)]
        let (found, _) = try await Self.find(resources, in: gateway.store)
        guard !found.isEmpty else {
            let reason = failure.map { ": \($0.oneLine)" } ?? ""
            throw PatchbayError(
                .notFound,
                "\(words) contains no list and no row that the definition of \(source.word) describes\(reason)"
            )
        }
        let chosen = try Self.choose(name, among: found, resources, words)
        return try ComparedRows.copied(
            chosen.declaration, word: chosen.word, stored: chosen.stored, from: origin, words: words
        ) { body in
            try await Self.walk(chosen.stored, in: gateway.store, body)
        }
    }

    // MARK: Finding rows

    /// The resources with rows, and the names of other collections with rows.
    private static func find(
        _ declared: [SourceResources], in store: Store
    ) async throws -> ([Found], others: [String]) {
        var found: [Found] = [], others: [String] = []
        let own = Set(Schema.gateway.collections.map(\.name))
        for collection in store.schema.transferable.collections where !own.contains(collection.name) {
            let count = try await store.read { try $0.count(Query(collection)) }
            guard count > 0 else { continue }
            let known = declared.lazy.compactMap { source in
                source.declaration(of: collection.name).map { (source.word, $0) }
            }
            if let (word, declaration) = known.first {
                found.append(Found(word: word, declaration: declaration, stored: collection, count: count))
            } else {
                others.append(collection.name)
            }
        }
        return (found, others)
    }

    private static func choose(
        _ name: String?, among found: [Found], _ declared: [SourceResources], _ words: String
    ) throws -> Found {
        let nouns = ResourceNouns(found.map { .init(sources: [$0.word], $0.declaration) })
        guard let name else {
            // The first one of those with the most.
            let place = found.indices.max { (found[$0].count, $1) < (found[$1].count, $0) }!
            if found.count > 1 {
                let rest = found.indices.filter { $0 != place }.map {
                    "\(nouns.nouns[$0]): \(found[$0].count)"
                }
                Message.note(
                    "comparing the \(nouns.nouns[place]) of \(words), the resource with the most rows "
                        + "(\(found[place].count)); --resource chooses others (\(rest.joined(separator: ", ")))"
                )
            }
            return found[place]
        }
        let places = nouns.positions(of: name)
        if places.count == 1 { return found[places[0]] }
        if places.count > 1 {
            let choices = places.map { nouns.nouns[$0] }.joined(separator: ", ")
            throw PatchbayError(
                .invalidConfiguration, "several sources have \"\(name)\"; name one of \(choices)")
        }
        let all = ResourceNouns(
            declared.flatMap { source in source.resources.map { .init(sources: [source.word], $0) } })
        if !all.positions(of: name).isEmpty {
            throw PatchbayError(
                .notFound,
                "\(words) has no rows of \"\(name)\"; it has \(nouns.nouns.joined(separator: ", "))")
        }
        throw PatchbayError(
            .invalidConfiguration, EditDistance.unknown("resource", name, in: nouns.nouns))
    }

    /// Passes each row of a collection to `body`, in the order of the keys.
    private static func walk(
        _ collection: CollectionSchema, in store: Store, _ body: (borrowing RowView) throws -> Void
    ) async throws {
        var query: Query? = Query(collection)
        while let next = query {
            let batch = try await store.storage.batch(next)
            for place in 0..<batch.count { try body(batch.row(place)) }
            query = batch.rest(of: next)
        }
    }

    // MARK: Definitions and recordings, also in the process that measures

    /// The resources that rows of an origin may have.
    static func resources(of origin: RowsOrigin) async throws -> [SourceResources] {
        if origin.recording != nil {
            let source = try await openRecording(origin)
            try await source.close?()
            return [SourceResources(word: source.word, source.resources)]
        }
        if let definition = origin.definition {
            let flags = [("source", "rest"), ("source.definition", definition)]
            return try await declared(
                GatewayConfiguration(
                    plugins: CommandLineTool.plugins,
                    flags: flags.map { .init($0.0, $0.1, name: "--definition") }, environment: [:]))
        }
        let side = try ChosenStorage(side: origin.storage!)
        let known = try await declared(side.configuration)
        let bundled = CommandLineTool.plugins.definitions.map {
            SourceResources(word: $0.definition.api, $0.definition.resources)
        }
        return known + bundled.filter { bundled in !known.contains { $0.word == bundled.word } }
    }

    private static func declared(_ configuration: GatewayConfiguration) async throws -> [SourceResources] {
        try await configuration.declaredSources().flatMap(\.resources)
    }

    private static func openRecording(_ origin: RowsOrigin) async throws -> Source {
        var flags = [
            GatewayConfiguration.Flag("source", "recorded", name: "--recording"),
            .init("source.path", origin.recording!, name: "--recording"),
        ]
        if let definition = origin.definition {
            flags.append(.init("source.definition", definition, name: "--definition"))
        }
        return try await GatewayConfiguration(
            plugins: CommandLineTool.plugins, flags: flags, environment: [:]
        ).openSource()
    }

    /// Opens the recording of an origin, to sync it once.
    static func replay(_ origin: RowsOrigin) async throws -> ComparePlugins.Replay {
        let source = try await openRecording(origin)
        let requests = try RecordedRequests(origin.recording!, of: source)
        return ComparePlugins.Replay(source) { try await $0.sync(requests) }
    }
}
