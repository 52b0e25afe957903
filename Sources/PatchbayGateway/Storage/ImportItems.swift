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

/// One import: rows are decoded a chunk at a time, and saved many at a time.
private struct ItemImport {
    /// The bytes of JSON and the rows that are decoded at once; small enough for the processor's cache.
    static let chunkBytes = 256 << 10, chunkRows = 5_000
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
    private var saved = 0
    private var drift = Drift()
    /// The hashes of the keys saved so far, as many as the limit allows, to find rows with the key of another one.
    private var hashes: Set<Int> = []
    private static let hashesMax = 1_000_000
    /// The rows that were left out because another row of the file has their key.
    private var clashes = 0
    private var example: (first: Item, other: Item)?

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
    }

    mutating func run(_ read: @escaping (Int) throws -> [UInt8]) async throws -> (rows: Int, drift: Drift) {
        do {
            try await saveAll(read)
        } catch {
            // The rows before a fault are saved. A fault among them comes first, so it is the one to report.
            do { try decodeChunk() } catch { throw try await ended(by: error) }
            throw try await ended(by: error)
        }
        guard clashes > 0, let example else { return (saved, drift) }
        let clash = Shortfall.clash(clashes, of: saved + clashes, example.first, example.other, resource)
        throw PatchbayError(.invalidValue, "\(name): \(clash.reason)", [.file(name), .rowsImported(saved)])
    }

    private mutating func saveAll(_ read: @escaping (Int) throws -> [UInt8]) async throws {
        var rows = try RawRows(resource.declaration.rows, read: read)
        while try nextRow(&rows) {
            if chunk.rows != rows.rowsInValue { try decodeChunk() }
            chunk.append(rows)
            if chunk.isFull { try decodeChunk() }
            if items.count >= Self.rowsMax || itemBytes >= Self.bytesMax { try await save() }
        }
        try decodeChunk()
        try await save()
    }

    private func nextRow(_ rows: inout RawRows) throws -> Bool {
        do {
            return try rows.next()
        } catch let fault as JSONStreamFault {
            throw broken(fault)
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

    private mutating func save() async throws {
        guard !items.isEmpty else { return }
        try Task.checkCancellation()
        let items = items
        self.items.removeAll(keepingCapacity: true)
        itemBytes = 0
        try await save(items[...])
        progress(WorkProgress("importing \(resource.collection.name)", done: saved))
    }

    /// Saves items in one transaction. If one of them cannot be stored, those before it are saved.
    private mutating func save(_ items: ArraySlice<Item>) async throws {
        let (resource, time) = (resource, now())
        do {
            let known = hashes
            let (added, clashes) = try await store.write { writing in
                let (new, hashes, clashes) = try Self.identified(items, known, in: writing.reading)
                _ = try writing.save(new, of: resource, at: time)
                return (hashes, clashes)
            }
            for hash in added where hashes.count < Self.hashesMax { hashes.insert(hash) }
            self.clashes += clashes.count
            example = example ?? clashes.first
            saved += items.count - clashes.count
        } catch let error as PatchbayError where error.code == .invalidResponse {
            guard items.count > 1 else {
                // The rows after it are not saved.
                chunk.removeAll()
                throw PatchbayError(.invalidValue, "\(name): \(error.message)", [.file(name)] + error.details)
            }
            let middle = items.startIndex + items.count / 2
            try await save(items[..<middle])
            try await save(items[middle...])
        }
    }

    /// The rows whose keys no row of the file before them has, unless both are the same, with the hashes of their keys,
    /// and those left out.
    ///
    /// - Parameter known: the hashes of keys saved by earlier transactions.
    private static func identified(
        _ items: ArraySlice<Item>, _ known: Set<Int>, in reading: borrowing Reading
    ) throws -> (new: [Item], hashes: [Int], clashes: [(first: Item, other: Item)]) {
        var new: [Item] = [], hashes: [Int] = [], clashes: [(first: Item, other: Item)] = []
        new.reserveCapacity(items.count)
        hashes.reserveCapacity(items.count)
        var first = [KeyText: Item](minimumCapacity: items.count)
        for item in items {
            let key = KeyText(item.key), hash = key.hashValue
            var before = first[key]
            if before == nil, known.contains(hash) {
                before = try reading.item(item.key, of: item.resource)
            }
            if let before, !item.hasKnownValues(of: before) {
                clashes.append((before, item))
            } else {
                new.append(item)
                hashes.append(hash)
                first[key] = item
            }
        }
        return (new, hashes, clashes)
    }

    // MARK: Faults

    /// Saves the rows read before an error, and adds their number to the error.
    private mutating func ended(by error: any Error) async throws -> any Error {
        guard !(error is CancellationError) else { return error }
        try await save()
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

/// Rows that are decoded together: a JSON array of them, or one answer that contains them.
private struct RawChunk {
    private(set) var bytes: [UInt8] = []
    /// Where each row ends in `bytes`; `places` has its place in the file.
    private var ends: [Int] = []
    private(set) var places: [RawPlace] = []
    private(set) var rows = JSONPath.whole
    /// The number of the first row among all rows, from 0.
    private(set) var first = 0

    private var isArray: Bool { rows.steps.isEmpty }

    var isFull: Bool {
        !isArray || bytes.count >= ItemImport.chunkBytes || places.count >= ItemImport.chunkRows
    }

    mutating func append(_ row: borrowing RawRows) {
        if places.isEmpty { (rows, first) = (row.rowsInValue, row.count - 1) }
        if isArray { bytes.append(UInt8(ascii: places.isEmpty ? "[" : ",")) }
        bytes.append(row.value)
        ends.append(bytes.count)
        places.append(row.valuePlace)
    }

    /// Ends the array.
    mutating func close() {
        if isArray { bytes.append(UInt8(ascii: "]")) }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// One row as an array, or the answer.
    func row(_ number: Int) -> [UInt8] {
        guard isArray else { return bytes }
        let start = number == 0 ? 0 : ends[number - 1]
        return [UInt8(ascii: "[")] + bytes[(start + 1)..<ends[number]] + [UInt8(ascii: "]")]
    }
}
