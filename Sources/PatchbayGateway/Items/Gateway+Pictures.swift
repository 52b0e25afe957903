import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The picture of a row: first as stored, then as the source returns it.
    ///
    /// A picture whose address and validator are unchanged is not downloaded again. A row that is not stored is fetched
    /// first.
    public func picture(
        _ resource: Resource, _ handle: String, policy: Policy = .localFirst
    ) -> Answers<Picture> {
        let store = sourceStore
        return LocalFirst<StoredPicture>(store: store, policy: policy, now: now, served: served) {
            guard let item = try $0.item(called: handle, of: resource) else { return .init() }
            let picture = try $0.get(StoredPicture.self, item.rowKey.key)
            return .init(value: picture, fetchedAt: picture?.fetchedAt)
        } refresh: { _, isConditional in
            let (picture, hasChanged) = try await refreshPicture(
                resource, handle, isConditional: isConditional)
            return (.init(value: picture, fetchedAt: picture.fetchedAt), hasChanged)
        }.answers().map { $0.picture }
    }

    private func refreshPicture(
        _ resource: Resource, _ handle: String, isConditional: Bool
    ) async throws -> (StoredPicture, hasChanged: Bool) {
        guard let pictures = source.pictures, let field = resource.declaration.picture else {
            throw PatchbayError(
                .unsupported, "source \(source.name) does not provide pictures of \(resource.plural)")
        }
        let store = sourceStore
        let known = try await store.read { try $0.item(called: handle, of: resource) }
        let item: Item
        if let known {
            item = known
        } else {
            item = try await details(of: resource).refresh(handle, known: nil, isConditional: false).0
        }
        guard let url = item.text(field), !url.isEmpty else {
            throw PatchbayError(.notFound, "\(resource.singular) \"\(handle)\" has no picture")
        }
        let row = item.rowKey, time = now, name = "\(source.identity) \(url)"
        let requested = try await store.request { _ in
            name
        } look: { reading, before in
            let stored = try reading.get(StoredPicture.self, row.key)
            // The validator of a picture from another address is useless here.
            let seen = SeenPicture(
                picture: stored.flatMap { $0.url == url ? $0 : nil },
                before: try reading.before(resource))
            return before.map { $0.fetchedAt != seen.fetchedAt } == true ? .nothing(seen) : .request(seen)
        } send: {
            let validator = isConditional ? $0.picture?.validator ?? Validator() : Validator()
            return try await pictures.picture(at: url, ifChangedFrom: validator)
        } save: { fetched, seen, writing in
            try writing.requireNoClearing(of: resource, since: seen.before)
            let saved = try fetched.picture(after: seen.picture, of: row, at: url, called: handle, time())
            try writing.put(saved.picture)
            return saved
        }
        switch requested {
        case .saved(let saved): return saved
        case .savedByAnother(let seen):
            guard let picture = seen.picture else { throw PatchbayError.cleared(resource) }
            return (picture, true)
        }
    }
}

extension Fetched<Picture> {
    /// The picture to store after this answer, and whether it has changed.
    ///
    /// - Throws: `invalidResponse` for an answer that is not a picture, is too large or confirms a picture that is not
    ///   stored.
    fileprivate func picture(
        after stored: StoredPicture?, of row: StoredRowKey, at url: String, called handle: String,
        _ time: Timestamp
    ) throws -> (picture: StoredPicture, hasChanged: Bool) {
        switch self {
        case .unchanged:
            guard var picture = stored else {
                throw PatchbayError(
                    .invalidResponse,
                    "the source reports \"unchanged\" for the picture of \"\(handle)\", which it never returned"
                )
            }
            picture.fetchedAt = time
            return (picture, false)
        case .changed(let new, let validator):
            try new.check(of: handle)
            let picture = StoredPicture(
                of: row, url: url, picture: new, validator: validator, fetchedAt: time)
            return (picture, true)
        }
    }
}

/// The stored state of a picture before its request.
private struct SeenPicture: Sendable {
    var picture: StoredPicture?
    var before: StoredBefore
    var fetchedAt: Timestamp? { picture?.fetchedAt }
}

extension Picture {
    /// - Throws: `invalidResponse` for an answer that is not a picture or exceeds `StoredPicture.bytesMax`.
    fileprivate func check(of handle: String) throws {
        guard mediaType.hasPrefix("image/"), !bytes.isEmpty else {
            throw PatchbayError(
                .invalidResponse,
                "the picture of \"\(handle)\" is not an image but \(bytes.count) bytes of \"\(mediaType)\"")
        }
        guard bytes.count <= StoredPicture.bytesMax else {
            throw PatchbayError(
                .invalidResponse,
                "the picture of \"\(handle)\" has \(bytes.count) bytes; the limit is \(StoredPicture.bytesMax)",
                [.limit(StoredPicture.bytesMax)])
        }
    }
}
