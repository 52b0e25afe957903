import PatchbayCore
public import PatchbayDomain

/// Use cases for programs that know the names of the resources.
extension Gateway {
    /// A stretch of a list: the stored rows at once, then the source's.
    ///
    ///     for await answer in try gateway.list("repos", "apple", limit: 20) { ... }
    ///
    /// - Parameters:
    ///   - arguments: the arguments that the list needs, such as an owner, or the handle of the row that it belongs to.
    ///   - view: the name of another list of the same rows; nil for the default list.
    ///   - after: the value after which an ordered list is entered; 0 for its start.
    ///   - skipping: in any other list, the number of rows before the stretch.
    ///   - limit: the number of rows, 1 to 10,000 (`Limits.pageRows`).
    /// - Throws: `unsupported` for a resource or a list that the source does not have, `invalidValue` for a wrong
    ///   number of arguments.
    public func list(
        _ resource: String, _ arguments: String..., view: String? = nil, after: Int64 = 0, skipping: Int = 0,
        limit: Int = 20, policy: Policy = .localFirst
    ) throws -> Answers<ItemList> {
        let question = try question(
            self.resource(resource), list: view, arguments: arguments, after: after)
        return list(question, skipping: skipping, limit: limit, policy: policy)
    }

    /// The same, as records of a program's own type. A row that does not fit it ends the answers as `failed`.
    public func list<Record: ResourceRecord>(
        _ type: Record.Type, _ arguments: String..., view: String? = nil, after: Int64 = 0, skipping: Int = 0,
        limit: Int = 20, policy: Policy = .localFirst
    ) throws -> Answers<[Record]> {
        let question = try question(
            resource(Record.resource), list: view, arguments: arguments, after: after)
        return list(question, skipping: skipping, limit: limit, policy: policy)
            .map { try $0.items.map { try $0.decoded() } }
    }

    /// One row with its details: first as stored, then as the source returns it.
    ///
    /// - Throws: `unsupported` for a resource that the source does not have.
    public func show(
        _ resource: String, _ handle: String, policy: Policy = .localFirst
    ) throws -> Answers<Item> {
        show(try self.resource(resource), handle, policy: policy)
    }

    /// One row with its details as a program's own record: first as stored, then as the source returns it.
    ///
    /// - Throws: `unsupported` when the source does not provide the resource. A row that does not fit the record ends
    ///   the answers as `failed` with `invalidValue`.
    public func show<Record: ResourceRecord>(
        _ type: Record.Type, _ handle: String, policy: Policy = .localFirst
    ) throws -> Answers<Record> {
        show(try resource(Record.resource), handle, policy: policy).map { try $0.decoded() }
    }

    /// Fetches a list, page by page; resumes where it was interrupted.
    ///
    /// - Throws: the errors of `list`.
    public func sync(
        _ resource: String, _ arguments: String..., view: String? = nil,
        from start: SyncStart = .whereItStopped,
        details: Bool = false, maximumRequests: Int? = nil
    ) throws -> Sync {
        sync(
            try question(self.resource(resource), list: view, arguments: arguments), from: start,
            details: details, maximumRequests: maximumRequests)
    }
}
