import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// Fetches the lists that belong to all stored rows of a resource, such as the commits of all repositories.
    ///
    /// A list that is younger than ``maximumAge`` or `NAME.fresh` is not requested. Neither is one whose row was
    /// fetched later and reports no change since (`NAME.changed` in the definition). A row whose list the source
    /// refuses is skipped. So is one for which the server fails to answer, but the failure ends the sync once the other
    /// lists are fetched, or after three consecutive ones. After an interruption only incomplete lists are requested.
    ///
    /// - Parameters:
    ///   - list: the name of the list; nil for the default list.
    ///   - arguments: the arguments of the list, besides the row.
    ///   - concurrency: the number of lists fetched at a time, 1 to 100.
    ///   - maximumRequests: the number of requests after which the sync stops, at least 1; nil for no limit.
    public func syncChildren(
        _ resource: Resource, list: String? = nil, arguments: [String] = [],
        from start: SyncStart = .whereItStopped, concurrency: Int = 8, maximumRequests: Int? = nil
    ) -> Sync {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        let stage = children(
            resource, list: list, arguments: arguments, from: start, concurrency, needsParents: true)
        return Sync([stage], of: self, maximumRequests: maximumRequests)
    }

    /// Fetches every list that needs no argument, then the lists of the stored rows, so that parents come before
    /// children.
    ///
    /// When the source refuses a resource or fails to answer for it, the others are still fetched; the error ends the
    /// sync. Three consecutive failures to answer end it at once. Lists that a definition declares too long to be
    /// fetched by default are left out. After an interruption, lists that were completed since the interrupted sync
    /// began are not requested again; a note says so.
    public func syncAll(
        from start: SyncStart = .whereItStopped, concurrency: Int = 8, maximumRequests: Int? = nil
    ) -> Sync {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        let lists = parentsFirst.filter(\.declaration.isListedByDefault).flatMap {
            defaultLists(of: $0, concurrency, needsParents: false)
        }
        return Sync(
            [EveryList(lists, of: nil, self, from: start)], of: self, maximumRequests: maximumRequests)
    }

    /// Fetches the default list for each value of its argument that the definition names (`NAME.each`).
    package func syncEach(
        _ resource: Resource, from start: SyncStart = .whereItStopped, concurrency: Int = 8,
        maximumRequests: Int? = nil
    ) -> Sync {
        let lists = defaultLists(of: resource, concurrency, needsParents: true)
        return Sync(
            [EveryList(lists, of: resource, self, from: start)], of: self, maximumRequests: maximumRequests)
    }

    /// The default lists of a resource that need no further argument: one, or one for each value in the definition.
    private func defaultLists(
        of resource: Resource, _ concurrency: Int, needsParents: Bool
    ) -> [EveryList.Part] {
        let values = resource.declaration.each?.values
        return (values?.map { [$0] } ?? [[]]).map { arguments in
            let name = ([resource.plural] + arguments).joined(separator: " of ")
            let parent = resource.declaration.list(named: nil)?.template.parent
            return EveryList.Part(name: name) {
                guard let parent = self.own(parent), !needsParents else { return true }
                return try await self.store.read { try $0.count(Query(parent.collection, limit: 1)) > 0 }
            } stage: { start in
                if parent != nil {
                    return self.children(
                        resource, list: nil, arguments: arguments, from: start, concurrency,
                        needsParents: needsParents)
                }
                let question = NamedQuestion(
                    resource: resource, list: nil, parent: nil, arguments: arguments, after: 0)
                return self.stage(question, from: start)
            }
        }
    }

    /// The resource with a name if this gateway has it.
    private func own(_ name: String?) -> Resource? { resources.first { $0.name == name } }

    /// The resources in an order in which each follows its parent.
    package var parentsFirst: [Resource] {
        var sorted: [Resource] = []
        func add(_ resource: Resource) {
            guard !sorted.contains(where: { $0 === resource }) else { return }
            if let parent = own(resource.declaration.parent) { add(parent) }
            sorted.append(resource)
        }
        resources.forEach(add)
        return sorted
    }

    private func children(
        _ resource: Resource, list: String?, arguments: [String], from start: SyncStart, _ concurrency: Int,
        needsParents: Bool
    ) -> any SyncStage {
        FailedStage.unless {
            _ = try requireFeed()
            let parent = try requireParent(of: resource, list: list)
            let list = ChildList(
                resource: resource, parent: parent, gateway: self, name: list, arguments: arguments)
            return ChildrenStage(list, from: start, concurrency: concurrency, needsParents: needsParents)
        }
    }
}

extension Resource {
    /// The error for a resource whose lists do not belong to rows.
    var hasNoParent: PatchbayError {
        PatchbayError(.unsupported, "\(plural) do not belong to rows of another resource")
    }
}

extension ResourceDeclaration {
    /// Whether `syncAll` fetches the default list.
    fileprivate var isListedByDefault: Bool {
        !isVast
            && lists.first.map { $0.name == nil && ($0.template.arguments.isEmpty || each != nil) } ?? false
    }
}
