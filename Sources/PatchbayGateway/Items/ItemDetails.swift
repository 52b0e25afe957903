import PatchbayCore
import PatchbayDomain

/// Fetches single rows of a resource and saves them, or the reason for a refusal.
struct ItemDetails: Sendable {
    let store: SourceStore
    let feed: any ResourceFeed
    /// ``Source/identity``, which names the server and account of the requests.
    let identity: String
    let resource: Resource
    let now: @Sendable () -> Timestamp

    /// Fetches one row.
    ///
    /// - Parameter known: the stored row; nil when none is stored.
    /// - Throws: the feed's error, after saving the refusal of the row.
    func refresh(
        _ handle: String, known: Item?, isConditional: Bool
    ) async throws -> (Item, hasChanged: Bool) {
        guard known != nil || resource.declaration.show != nil else { throw resource.isNotStored(handle) }
        let details = self
        do {
            let requested = try await store.request { _ in
                details.name(of: handle)
            } look: { reading, before in
                let seen = Seen(
                    item: try details.stored(handle, like: known, in: reading),
                    before: try reading.before(details.resource))
                return details.isAnswered(seen, known: known, before) ? .nothing(seen) : .request(seen)
            } send: {
                try await details.fetch(handle, known: $0.item, isConditional: isConditional)
            } save: { fetched, seen, writing in
                try details.save(fetched, requested: handle, seen, in: &writing)
            }
            switch requested {
            case .saved(let saved): return saved
            case .savedByAnother(let seen):
                guard let item = seen.item else { throw PatchbayError.cleared(resource) }
                return (item, true)
            }
        } catch let error as PatchbayError {
            if let known, known.isCalledAtSource(handle) { try await note(error, about: known.key) }
            throw error
        }
    }

    /// The stored state of a row before its request.
    private struct Seen: Sendable {
        var item: Item?
        var before: StoredBefore
        var fetchedAt: Timestamp? { item?.state.detailFetchedAt }
    }

    /// Whether another gateway saved the row since the wait began or, without a wait, since `known` was read.
    private func isAnswered(_ seen: Seen, known: Item?, _ before: Seen?) -> Bool {
        if let before { return before.fetchedAt != seen.fetchedAt }
        return seen.fetchedAt != nil && seen.fetchedAt != known?.state.detailFetchedAt
    }

    /// Names the request for a row, identically in every gateway that needs this row of this source.
    private func name(of handle: String) -> String {
        "\(identity) \(resource.collection.name) \(resource.declaration.ignoresCase ? handle.lowercased() : handle)"
    }

    /// The row as it is stored now.
    private func stored(
        _ handle: String, like known: Item?, in reading: borrowing Reading
    ) throws -> Item? {
        if let known { return try reading.item(known.key, of: resource) }
        return try reading.item(called: handle, of: resource)
    }

    private func fetch(
        _ handle: String, known: Item?, isConditional: Bool
    ) async throws -> Fetched<Item> {
        var validator = isConditional ? known?.state.detailValidator ?? Validator() : Validator()
        // Any other handle may be another row's, whose last change may be older than the stored answer.
        if known?.isCalledAtSource(handle) != true { validator.lastModified = nil }
        let word = resource.isShownByKey ? known?.keyWord ?? handle : handle
        return try await feed.item(word, of: resource, ifChangedFrom: validator)
    }

    /// The row that has a handle now. The source is queried unless the stored row has the handle: a former handle may
    /// belong to another row by now, and so may one in another case.
    func present(_ handle: String, isConditional: Bool) async throws -> Item {
        let known = try await store.read { try $0.item(called: handle, of: resource) }
        if let known, known.isCalledAtSource(handle) { return known }
        return try await refresh(handle, known: known, isConditional: isConditional).0
    }

    /// The row that has a handle now, fetched even if it is stored.
    func refreshed(_ handle: String, isConditional: Bool) async throws -> Item {
        let known = try await store.read { try $0.item(called: handle, of: resource) }
        return try await refresh(handle, known: known, isConditional: isConditional).0
    }

    /// Fetches one row again, whatever is stored.
    func refreshed(_ handle: String) async -> Refreshed {
        do {
            let known = try await store.read { try $0.item(called: handle, of: resource) }
            let (item, _) = try await refresh(handle, known: known, isConditional: true)
            return Refreshed(handle: handle, item: item, error: nil)
        } catch {
            // If the read fails as well, the first error is the one to report.
            let stored = try? await store.read { try $0.item(called: handle, of: resource) }
            return Refreshed(handle: handle, item: stored, error: PatchbayError(wrapping: error))
        }
    }

    private func save(
        _ fetched: Fetched<Item>, requested handle: String, _ seen: Seen, in writing: inout Writing
    ) throws -> (Item, hasChanged: Bool) {
        let time = now()
        try writing.requireNoClearing(of: resource, since: seen.before)
        switch fetched {
        case .unchanged:
            guard let known = seen.item else {
                throw PatchbayError(
                    .invalidResponse,
                    "the source reports \"unchanged\" for the \(resource.singular) \"\(handle)\", "
                        + "which it never returned")
            }
            guard let item = try writing.change(known.key, of: resource, { $0.confirm(at: time) }) else {
                throw PatchbayError.cleared(resource)
            }
            return (item, false)
        case .changed(let item, let validator):
            try requireMatch(item, handle, known: seen.item)
            if let later = try writing.reading.later(than: item, since: seen.before) { return (later, true) }
            // Another row has the handle now: the stored one was renamed or deleted, unless the two share the handle.
            if let known = seen.item, known.key != item.key, known.isCalledAtSource(handle),
                try writing.reading.item(item.key, of: resource)?.isCalledAtSource(handle) != true
            {
                let missing = StoredRefusal(Refusal(.missing), since: time)
                try writing.change(known.key, of: resource) { $0.refuse(missing, by: identity) }
            }
            // Where a key does not name a row here, it is another name that the source knows.
            if !resource.isNamedByKey || handle != item.keyWord && handle != item.keyText {
                try writing.note(requested: handle, found: item, at: time)
            }
            return (try writing.save(item, validator, at: time), true)
        }
    }

    /// Refuses another row than the requested one. A handle may belong to another row by now, but a key does not. A
    /// source may spell it in another case.
    private func requireMatch(_ item: Item, _ handle: String, known: Item?) throws {
        let isCalled = known?.isCalled(handle) == true && resource.handleIndex == nil
        guard resource.isShownByKey || isCalled else { return }
        let key = known?.keyWord ?? handle
        guard item.hasKey(key) || known == nil && (item.keyText == key || item.isCalled(key)) else {
            throw PatchbayError(
                .invalidResponse,
                "the source returned the \(resource.singular) \(Quotation.quoted(item.keyWord)) "
                    + "when \(Quotation.quoted(key)) was requested",
                [.collection(resource.collection.name)])
        }
    }

    /// Saves what an error reports about the row itself. Rate limits, lost credentials and lost connections report
    /// nothing about it.
    private func note(_ error: PatchbayError, about key: Key) async throws {
        guard let refusal = error.rowRefusal else { return }
        let time = now(), (resource, identity) = (resource, identity)
        _ = try await store.write {
            try $0.change(key, of: resource) { $0.refuse(StoredRefusal(refusal, since: time), by: identity) }
        }
    }
}

extension Item {
    /// The key as its source spells it; of several fields, with spaces between them.
    fileprivate var keyWord: String {
        resource.key.map { self[$0]?.description ?? "" }.joined(separator: " ")
    }

    /// Whether the row has this key, ignoring the case of A to Z.
    fileprivate func hasKey(_ word: String) -> Bool {
        keyWord.utf8.lazy.map(\.caseFolded).elementsEqual(word.utf8.lazy.map(\.caseFolded))
    }
}

extension PatchbayError {
    /// The refusal of the requested row; nil when the error is not about the row. A 404 does not prove that the row is
    /// gone, so lists that contain it still show it.
    var rowRefusal: Refusal? { code == .notFound ? Refusal(.missing) : refusal }
}

/// Former handles, learned from permanent redirects.
extension Reading {
    /// The key of the row that had a handle before.
    func alias(_ handle: String, of resource: Resource) throws -> Key? {
        guard let key = StoredFormerHandle.key(handle, of: resource),
            let former = try get(StoredFormerHandle.self, key)
        else { return nil }
        return KeyText.key(former.keyText, of: resource)
    }
}

extension Writing {
    /// Stores a former handle under which the source returned a row, or deletes it if the row has the handle again.
    mutating func note(requested handle: String, found item: Item, at time: Timestamp) throws {
        guard let former = StoredFormerHandle(handle, of: item, notedAt: time) else { return }
        if item.isCalled(handle) {
            try delete(StoredFormerHandle.self, former.key)
            return
        }
        try put(former)
        let all = StoredFormerHandle.collection
        let surplus = try reading.count(Query(all)) - StoredFormerHandle.countMax
        guard surplus > 0 else { return }
        let oldest = Query(all, by: StoredFormerHandle.byTime, limit: surplus)
        for former in try reading.list(StoredFormerHandle.self, oldest) {
            try delete(StoredFormerHandle.self, former.key)
        }
    }
}
