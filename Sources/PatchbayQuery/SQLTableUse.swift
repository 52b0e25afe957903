public import PatchbayCore
public import PatchbayDomain
import PatchbayGateway

/// A table that a statement reads, with the state of its lists in the same snapshot.
public struct SQLTableUse: Sendable {
    /// The name in the statement.
    public let name: String
    /// The resource whose rows it has.
    public let resource: Resource
    /// The number of lists that were fetched to their end.
    public let listsSynced: Int
    /// The number of lists of which rows may be missing.
    public let listsPartial: Int
    /// The names of some of them, such as `org rails`.
    package let partialNames: [String]
    /// When the list that was fetched first reached its end; nil when none has.
    public let oldestSync: Timestamp?
    /// When a list last reached its end; nil when none has.
    public let newestSync: Timestamp?
}

extension SQLTableUse {
    var isNeverSynced: Bool { listsSynced == 0 }
    var isPartlySynced: Bool { listsSynced > 0 && listsPartial > 0 }

    /// The table with the names of lists that are not complete: `repos (org rails)`.
    fileprivate var partialWords: String {
        let names = partialNames.filter { !$0.isEmpty }, others = listsPartial - names.count
        if names.isEmpty { return name }
        return "\(name) (\(names.joined(separator: ", "))\(others > 0 ? " and \(others) more" : ""))"
    }
}

extension [SQLTableUse] {
    /// Why rows of the tables may be missing, as a sentence; nil when their lists are complete.
    var shortfall: String? {
        let never = filter(\.isNeverSynced).map(\.name), partly = filter(\.isPartlySynced).map(\.partialWords)
        let reasons = [
            never.isEmpty ? nil : "never synced to the end: \(never.joined(separator: ", "))",
            partly.isEmpty ? nil : "some lists are not complete: \(partly.joined(separator: ", "))",
        ].compactMap(\.self)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
}

extension Reading {
    /// The state of a resource's lists.
    ///
    /// - Parameters:
    ///   - seen: the resource, or a view of it.
    ///   - gateways: those whose resources are read.
    func use(of seen: Resource, as name: String, among gateways: [Gateway]) throws -> SQLTableUse {
        func full(_ gateway: Gateway) -> Resource? {
            gateway.resources.first { $0.collection.name == seen.collection.name }
        }
        let owner = gateways.first { full($0) != nil }
        // A view does not show all lists.
        let resource = owner.flatMap(full) ?? seen
        let ages = try listAges(
            of: resource, among: gateways.flatMap(\.resources), for: owner?.source.identity(of: resource))
        return SQLTableUse(
            name: name, resource: seen, listsSynced: ages.finished, listsPartial: ages.partial,
            // The arguments of lists are values that a client with fewer fields does not see.
            partialNames: seen.isView ? [] : ages.partialNames,
            oldestSync: ages.oldest, newestSync: ages.newest)
    }
}
