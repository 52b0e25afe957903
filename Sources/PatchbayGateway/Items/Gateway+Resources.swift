import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The resource with a name, or else with this singular, plural or name of its collection.
    ///
    /// - Throws: `unsupported` when the source does not provide it, or when several resources have this singular or
    ///   plural; the error lists the known resources.
    public func resource(_ name: String) throws -> Resource {
        let named = resources.filter { $0.name == name }
        let found =
            named.isEmpty
            ? resources.filter { [$0.singular, $0.plural, $0.collection.name].contains(name) } : named
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw PatchbayError(
                .unsupported,
                "several resources of source \(source.name) are called \"\(name)\"; name one of "
                    + found.map(\.name).joined(separator: ", "))
        }
        let names = resources.map(\.name)
        let known = names.isEmpty ? "it has no resources" : "it has \(names.joined(separator: ", "))"
        throw PatchbayError(
            .unsupported,
            "source \(source.name) does not provide \"\(name)\""
                + "\(EditDistance.suggestion(for: name, in: names)); \(known)")
    }

    /// The feed of the source's resources.
    ///
    /// - Throws: `unsupported` when it has none.
    func requireFeed() throws -> any ResourceFeed {
        guard !source.isClosed else {
            throw PatchbayError(.offline, "the source cannot be queried in offline mode")
        }
        guard let feed = source.feed else {
            throw PatchbayError(.unsupported, "source \(source.name) has no resources")
        }
        return feed
    }

    /// The resource whose rows the lists of this resource belong to.
    func parent(of resource: Resource) throws -> Resource? {
        try resource.declaration.parent.map { try self.resource($0) }
    }
}
