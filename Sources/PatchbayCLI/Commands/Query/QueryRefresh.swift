import Patchbay
import PatchbayTerminal

/// Fetches the lists of the tables that a query names, before it is answered.
struct QueryRefresh {
    private let gateways: Gateways

    /// - Parameter gateways: lists younger than their maximum age are not fetched.
    init(_ gateways: Gateways) { self.gateways = gateways }

    /// Fetches lists that need no argument, or only the stored rows that they belong to, after the list of those rows.
    /// Prints what it cost.
    ///
    /// - Throws: the error that ended a sync; ``ExitStatus/incomplete`` when rows may be missing.
    func run(_ resources: [Resource]) async throws {
        for resource in withParents(resources) {
            guard let gateway = gateways.all.first(where: { $0.resources.contains(resource) }) else {
                continue
            }
            let declared = CommandLineTool.declared.declared(resource)
            guard let list = declared?.lists.first, list.arguments.isEmpty || list.hasOnlyParent else {
                Message.write(
                    "\(resource.plural) are not refreshed, because their lists need an argument: patchbay sync "
                        + (declared?.lists.first?.usage ?? resource.name))
                continue
            }
            let sync =
                list.hasOnlyParent
                ? gateway.syncChildren(resource, list: list.list.name)
                : gateway.sync(try gateway.question(resource, list: list.list.name, arguments: []))
            try await SyncRun(gateway: gateway, sync: sync, resource: nil, prefix: resource.plural + ": ")
                .run()
        }
    }

    /// The resources, each after the one to whose rows its lists belong.
    private func withParents(_ resources: [Resource]) -> [Resource] {
        var all: [Resource] = []
        func add(_ resource: Resource) {
            guard !all.contains(resource) else { return }
            let parent = resource.declaration.lists.first?.template.parent
            if let parent = gateways.resources.first(where: { $0.name == parent && $0.api == resource.api }) {
                add(parent)
            }
            all.append(resource)
        }
        resources.forEach(add)
        return all
    }
}
