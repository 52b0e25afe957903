import PatchbayCore
import PatchbayDomain

/// The tables of resources by the names that statements may use.
///
/// A resource has its own name, as in other commands, unless several sources have such a resource. Then it has the name
/// with its source. Every other name with a source is only given if it is not the name of another table: with the
/// resources `teams` and `github-teams` of the source `github`, `github_teams` means the second. If there is a resource
/// `teams-all` as well, no name is left for the rows of teams that are no longer listed.
struct TableNames {
    private(set) var tables: [String: QueryTable] = [:]
    /// The short names that several tables could have, with the names that distinguish these.
    private(set) var ambiguous: [String: [String]] = [:]
    /// One name for each table, those without `_all` first.
    private(set) var names: [String] = []

    static let allSuffix = "_all"

    init(_ resources: [Resource]) {
        let counts = Dictionary(resources.map { ($0.name, 1) }, uniquingKeysWith: +)
        // Names that resources without a short name need. They may take those of others, which then need theirs.
        var needed: Set<String> = [FindTable.name], count: Int
        func hasShort(_ resource: Resource) -> Bool {
            counts[resource.name] == 1 && !needed.contains(resource.name)
        }
        repeat {
            count = needed.count
            for resource in resources where !hasShort(resource) { needed.insert(resource.collection.name) }
        } while needed.count > count
        let named = resources.map { ($0, hasShort($0) ? $0.name : $0.collection.name) }
        for (resource, name) in named { add(resource, isAll: false, name) }
        let rest = named.filter { !add($0, isAll: true, $1 + Self.allSuffix) }
        for (resource, _) in rest { add(resource, isAll: true, resource.collection.name + Self.allSuffix) }
        for table in names.compactMap({ tables[$0] }) {
            let long = table.resource.collection.name + (table.isAll ? Self.allSuffix : "")
            tables[long] = tables[long] ?? table
        }
    }

    /// Adds a table, unless another one has the name.
    @discardableResult
    private mutating func add(_ resource: Resource, isAll: Bool, _ name: String) -> Bool {
        guard tables[name] == nil else { return false }
        tables[name] = QueryTable(name, resource, isAll: isAll)
        names.append(name)
        let short = resource.name + (isAll ? Self.allSuffix : "")
        if name != short { ambiguous[short, default: []].append(name) }
        return true
    }
}
