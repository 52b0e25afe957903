public import PatchbayCore
public import PatchbayDomain
import PatchbayJSON

extension Gateway {
    /// Saves rows as the source's API returns them, from a file: an array, JSON Lines, or the API's own answers.
    ///
    /// They are saved as if the source had returned them in a list: rows with the same keys are replaced, edits,
    /// favourites and stored details stay, and nothing is marked as gone. Memory does not grow with the file. The
    /// source is not queried and may be closed.
    ///
    /// - Parameters:
    ///   - parent: the handle of the stored row that the rows belong to.
    ///   - name: the name of the file in messages.
    ///   - read: returns the next bytes of the file, at most the given number, and none at its end.
    /// - Returns: the number of rows saved, and how they differ from what the definition says.
    /// - Throws: `invalidValue` with the file, the line or the number of the row, and the field of the first row that
    ///   does not fit the definition. All rows before it are saved; `rowsImported` of the error is their number.
    public func importItems(
        _ resource: Resource, of parent: String? = nil, name: String,
        progress: @escaping WorkProgress.Handler = { _ in }, read: @escaping (Int) throws -> [UInt8]
    ) async throws -> (rows: Int, drift: Drift) {
        let described = try described(resource)
        let parent = try await storedParent(parent, of: resource)
        var work = ItemImport(
            resource: resource, decoder: described.decoder, parent: parent,
            store: SourceStore(store, claim: StoredAPI(resource.api, server: described.server)),
            name: name, now: now, progress: progress)
        return try await work.run(read)
    }

    /// How the rows of a resource are read, and the server that they come from.
    private func described(_ resource: Resource) throws -> (decoder: any AnswerDecoder, server: String?) {
        if let decoder = source.decoder { return (decoder, source.server) }
        let candidate = source.candidates.first { $0.word == resource.api }
        if let candidate, let decoder = candidate.decoder { return (decoder, candidate.server) }
        throw PatchbayError(
            .unsupported,
            "no definition describes how \(resource.api) returns \(resource.plural); import rows that were exported "
                + "from a storage")
    }

    private func storedParent(_ handle: String?, of resource: Resource) async throws -> Item? {
        let outer = try self.parent(of: resource)
        if let handle {
            guard let outer else {
                throw PatchbayError(
                    .invalidValue, "\(resource.plural) do not belong to another row; leave out \"\(handle)\"")
            }
            return try await store.read { try $0.requireItem(called: handle, of: outer) }
        }
        let needed = resource.declaration.fields.first(where: \.isOfParent)
        guard let needed, let outer else { return nil }
        throw PatchbayError(
            .invalidValue,
            "the field \(needed.name) of \(resource.plural) comes from the \(outer.singular) that they belong to; "
                + "name that \(outer.singular)")
    }
}

/// One import: rows are decoded a chunk at a time, and saved many at a time, while the next ones are decoded.
private struct ItemImport {
    private typealias Saving = ThrowingTaskGroup<[ImportedKeys.Clash], any Error>

    /// The rows, and approximately the bytes, saved in one transaction; large, because each transaction writes most
    /// pages of an index.
    static let rowsMax = 50_000, bytesMax = 32 << 20

    let resource: Resource
    let decoder: any AnswerDecoder
    let parent: Item?
    let store: SourceStore
    let name: String
    let now: @Sendable () -> Timestamp
    let progress: WorkProgress.Handler
    private var chunk = RawChunk()
    private var items: [Item] = []
    private var itemBytes = 0
    /// The rows that are being saved.
    private var batch: Batch?
    private var saved = 0
    private var drift = Drift()
    private var keys: ImportedKeys
    /// The rows that were left out because another row of the file has their key.
    private var clashes = 0
    private var example: ImportedKeys.Clash?

    init(
        resource: Resource, decoder: any AnswerDecoder, parent: Item?, store: SourceStore, name: String,
        now: @escaping @Sendable () -> Timestamp, progress: @escaping WorkProgress.Handler
    ) {
        self.resource = resource
        self.decoder = decoder
        self.parent = parent
        self.store = store
        self.name = name
        self.now = now
        self.progress = progress
        keys = ImportedKeys(since: now())
    }

    mutating func run(_ read: @escaping (Int) throws -> [UInt8]) async throws -> (rows: Int, drift: Drift) {
        do {
            try await withThrowingTaskGroup(of: [ImportedKeys.Clash].self) { saving in
                do { try await saveAll(read, &saving) } catch {
                    // The rows that are being saved come before the fault, and so does their own.
                    try await settle(&saving)
                    throw error
                }
            }
        } catch {
            // The rows before a fault are saved. A fault among them comes first, so it is the one to report.
            do { try decodeChunk() } catch { throw try await ended(by: error) }
            throw try await ended(by: error)
        }
        guard clashes > 0, let example else { return (saved, drift) }
        let clash = Shortfall.clash(clashes, of: saved + clashes, example.first, example.other, resource)
        throw PatchbayError(.invalidValue, "\(name): \(clash.reason)", [.file(name), .rowsImported(saved)])
    }

    private mutating func saveAll(
        _ read: @escaping (Int) throws -> [UInt8], _ saving: inout Saving
    ) async throws {
        var rows = try RawRows(resource.declaration, decoder, read: read)
        while try nextRow(&rows) {
            if chunk.rows != rows.rowsInValue { try decodeChunk() }
            chunk.append(rows)
            if chunk.isFull { try decodeChunk() }
            if items.count >= Self.rowsMax || itemBytes >= Self.bytesMax { try await save(&saving) }
        }
        if rows.isEmpty {
            throw PatchbayError(
                .invalidValue, "\(name): the file is empty; check what wrote it", [.file(name)])
        }
        try decodeChunk()
        try await save(&saving)
        try await settle(&saving)
    }

    private func nextRow(_ rows: inout RawRows) throws -> Bool {
        do {
            return try rows.next()
        } catch let fault as JSONStreamFault {
            throw broken(fault)
        } catch let fault as ItemFault {
            throw refused(fault, at: rows.valuePlace)
        }
    }

    /// Decodes the collected rows. At a fault, those before it are kept.
    private mutating func decodeChunk() throws {
        guard !chunk.places.isEmpty else { return }
        defer { chunk.removeAll() }
        chunk.close()
        do {
            keep(try decoded(chunk.bytes))
        } catch is ItemFault {
            for number in chunk.places.indices {
                do {
                    keep(try decoded(chunk.row(number), from: number))
                } catch let fault as ItemFault {
                    throw refused(fault, at: chunk.places[number])
                }
            }
        }
    }

    private func decoded(_ json: [UInt8], from number: Int = 0) throws -> ItemPage {
        try decoder.page(json, at: chunk.rows, of: resource, parent: parent, from: chunk.first + number)
    }

    private mutating func keep(_ new: ItemPage) {
        items += new.items
        itemBytes += new.items.reduce(0) { $0 + $1.bytes.count }
        drift.addLosses(of: new, of: resource)
    }

    // MARK: Saving

    /// Rows that are saved in one transaction.
    private struct Batch: Sendable {
        let items: ArraySlice<Item>
        let repeats: ImportedKeys.Repeats
        let resource: Resource
        let store: SourceStore
        let time: Timestamp

        /// - Returns: the rows that were left out.
        func save() async throws -> [ImportedKeys.Clash] {
            try await store.write { writing in
                let (new, clashes) = try repeats.resolved(items, in: writing.reading)
                _ = try writing.save(new, of: resource, at: time, from: nil)
                return clashes
            }
        }
    }

    /// A batch of the decoded rows.
    private mutating func taken() -> Batch {
        defer { (items, itemBytes) = ([], 0) }
        return batch(items[...])
    }

    private mutating func batch(_ items: ArraySlice<Item>) -> Batch {
        Batch(items: items, repeats: keys.add(items), resource: resource, store: store, time: now())
    }

    /// Begins to save the decoded rows once those before them are saved.
    private mutating func save(_ saving: inout Saving) async throws {
        try await settle(&saving)
        guard !items.isEmpty else { return }
        try Task.checkCancellation()
        let batch = taken()
        self.batch = batch
        saving.addTask { try await batch.save() }
    }

    /// Waits until the rows that are being saved are saved.
    private mutating func settle(_ saving: inout Saving) async throws {
        guard let batch else { return }
        self.batch = nil
        do {
            note(batch, try await saving.next() ?? [])
        } catch {
            try await retry(batch, after: error)
        }
    }

    private mutating func note(_ batch: Batch, _ clashes: [ImportedKeys.Clash]) {
        self.clashes += clashes.count
        example = example ?? clashes.first
        saved += batch.items.count - clashes.count
        progress(WorkProgress("importing \(resource.collection.name)", done: saved))
    }

    private mutating func save(_ batch: Batch) async throws {
        do { note(batch, try await batch.save()) } catch { try await retry(batch, after: error) }
    }

    /// If one of the rows could not be stored, saves those before it. The rows after it are not saved.
    private mutating func retry(_ batch: Batch, after error: any Error) async throws {
        let items = batch.items
        guard (error as? PatchbayError)?.code == .invalidResponse, items.count > 1 else {
            chunk.removeAll()
            self.items = []
            throw named(error)
        }
        keys.remove(batch.repeats)
        let middle = items.startIndex + items.count / 2
        try await save(self.batch(items[..<middle]))
        try await save(self.batch(items[middle...]))
    }

    // MARK: Faults

    /// The error that ended saving; one about a row with the name of the file.
    private func named(_ error: any Error) -> any Error {
        guard let error = error as? PatchbayError, error.code == .invalidResponse else { return error }
        return PatchbayError(.invalidValue, "\(name): \(error.message)", [.file(name)] + error.details)
    }

    /// Saves the rows read before an error, and adds their number to the error.
    private mutating func ended(by error: any Error) async throws -> any Error {
        guard !(error is CancellationError) else { return error }
        if !items.isEmpty { try await save(taken()) }
        return (error as? PatchbayError)?.adding([.rowsImported(saved)]) ?? error
    }

    private func refused(_ fault: ItemFault, at place: RawPlace) -> PatchbayError {
        PatchbayError(
            .invalidValue, "\(name):\(place): \(fault.problem)", place.details(in: name) + fault.details)
    }

    private func broken(_ fault: JSONStreamFault) -> PatchbayError {
        let problem =
            switch fault {
            case .ended(let offset):
                "the JSON ends at byte \(offset), before it is complete; the file was cut, save it again"
            case .malformed(let problem, let offset): "not JSON: \(problem) at byte \(offset)"
            case .tooLarge(let offset):
                "the value at byte \(offset) has more than \(RawRows.rowBytesMax >> 20) MiB"
            }
        return PatchbayError(.invalidValue, "\(name): \(problem)", [.file(name), .byte(fault.offset)])
    }
}
