import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The resource with a name, or else with this singular, plural or name of its collection.
    ///
    /// - Throws: `unsupported` when the source does not provide it; the error lists the known resources.
    public func resource(_ name: String) throws -> Resource {
        let found =
            resources.first { $0.name == name }
            ?? resources.first { resource in
                [resource.singular, resource.plural, resource.collection.name].contains(name)
            }
        if let found { return found }
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
