import PatchbayCore
import PatchbayDomain

/// A client of the server with a token of its own, and what it may see and spend: `serve.client.NAME`.
package struct ClientOptions: Sendable {
    /// The name in the configuration and in the account.
    package let name: String
    /// The token that the client sends.
    package let token: String
    /// The resources and fields that it sees; nil for all.
    package var grants: [ResourceGrant]?
    /// Whether it sees and may change the owner's edits, favourites and searches.
    package var isOwner = false
    /// The requests that its calls may cause at sources.
    package var requests: Allowance?
    /// The bytes that it may be answered.
    package var bytes: Allowance?
    /// Returns an error about ``grants``, with their place in the configuration.
    private var fault: @Sendable (_ problem: String) -> PatchbayError

    /// Creates a client that sees every resource and has no budgets.
    package init(_ name: String, token: String) {
        self.name = name
        self.token = token
        fault = { PatchbayError(.invalidConfiguration, "serve.client.\(name).resources: \($0)") }
    }

    /// Whether the client sees what the owner sees.
    var seesAll: Bool { isOwner && grants == nil }

    /// Makes positions in the feed of changes unreadable; nil for a client that sees all resources.
    var seal: PositionSeal? { grants == nil ? nil : PositionSeal(token) }
}

/// A resource that a client sees: `github.repos`, or `github.issues:title,state` for some fields.
package struct ResourceGrant: Sendable, Hashable {
    /// `SOURCE.RESOURCE`, or `RESOURCE` if only one source has it.
    let name: String
    /// The fields as they were written; nil for all.
    let fields: [String]?

    /// Nil for a text that names no resource, or no field after a colon.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let names = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : nil
        guard parts.count <= 2, let name = parts.first, !name.isEmpty,
            names?.allSatisfy({ !$0.isEmpty }) ?? true
        else { return nil }
        self.name = name.withUnderscores
        fields = names?.map { String($0) }
    }

    func names(_ resource: Resource, _ served: String) -> Bool {
        [served, "\(resource.api).\(resource.name)"].contains(name)
    }
}

extension ClientOptions {
    /// What the client sees of a resource; nil for nothing.
    func rights(to served: ServedResource, among all: [ServedResource]) -> ViewRights? {
        func own(_ served: ServedResource) -> [ResourceGrant]? {
            grants?.filter { $0.names(served.full, served.name) }
        }
        let neighbours = all.filter { $0.full.api == served.full.api && own($0)?.isEmpty != true }
        var rights = ViewRights(fields: nil, showsEdits: isOwner, parents: Set(neighbours.map(\.full.name)))
        guard let own = own(served) else { return rights }
        if own.isEmpty { return nil }
        if own.allSatisfy({ $0.fields != nil }) {
            rights.fields = Set(
                own.flatMap { $0.fields ?? [] }.compactMap { served.full.field(spelled: $0)?.name })
        }
        return rights
    }

    /// - Parameter all: the resources that are served, with their names.
    /// - Throws: `invalidConfiguration` for a grant of something else.
    func check(among all: [(name: String, resource: Resource)]) throws(PatchbayError) {
        for grant in grants ?? [] {
            guard let resource = all.first(where: { grant.names($0.resource, $0.name) })?.resource else {
                let known = all.map { "\($0.resource.api).\($0.resource.name)" }
                throw fault(
                    "there is no resource \(Quotation.quoted(grant.name))"
                        + EditDistance.suggestion(for: grant.name, in: all.map(\.name) + known)
                        + "; known: \(known.joined(separator: ", "))")
            }
            let names = resource.fields.map(\.name)
            for field in grant.fields ?? [] where resource.field(spelled: field) == nil {
                throw fault(
                    "\(resource.plural) have no field \(Quotation.quoted(field))"
                        + EditDistance.suggestion(for: field, in: names)
                        + "; known: \(names.joined(separator: ", "))")
            }
        }
    }

    private static let prefix = "client."

    /// Reads all clients from the options of `serve`.
    ///
    /// - Throws: `invalidConfiguration` for an invalid value, a client without a token, and a token of two clients.
    static func all(_ settings: Settings, besides token: String?) throws -> [ClientOptions] {
        var clients: [ClientOptions] = []
        for name in names(settings) {
            let client = try ClientOptions(name, settings), key = "\(prefix)\(name).token"
            if let fault = ServerOptions.fault(ofToken: client.token) { throw settings.error(key, fault) }
            guard client.token != token, !clients.contains(where: { $0.token == client.token }) else {
                throw settings.error(key, "is also the token of another client; make a different one")
            }
            clients.append(client)
        }
        return clients
    }

    /// The first fault of each client, for options whose secrets were not read.
    ///
    /// - Parameter resources: the resources that can be served, with their names.
    static func faults(
        _ settings: Settings, among resources: [(name: String, resource: Resource)]
    ) -> [PatchbayError] {
        names(settings).compactMap { name in
            do {
                try ClientOptions(name, settings).check(among: resources)
                return nil
            } catch {
                return error as? PatchbayError
            }
        }
    }

    private static func names(_ settings: Settings) -> [String] {
        settings.keys.filter { $0.hasPrefix(prefix) }.compactMap { key in
            key.dropFirst(prefix.utf8.count).split(separator: ".").first.map(String.init)
        }.distinct
    }

    /// Reads a client; its token may be invalid.
    private init(_ name: String, _ settings: Settings) throws {
        func key(_ option: String) -> String { "\(Self.prefix)\(name).\(option)" }
        // A missing option has no place, so that errors about it name another one.
        let written = settings.keys.first { $0.hasPrefix(key("")) } ?? key("token")
        guard ![AccountingResponder.owner, AccountingResponder.anyone].contains(name) else {
            throw settings.error(written, "the account uses the name \(name); choose another one")
        }
        guard let token = settings.text(key("token")) else {
            throw settings.error(
                written, "needs serve.\(key("token")); set env:NAME, file:PATH or command:PROGRAM")
        }
        self.init(name, token: token)
        let resources = key("resources")
        fault = { settings.error(resources, $0) }
        isOwner = settings.text(key("owner")) == "on"
        grants = try settings.text(resources).map { text in
            try text.split(whereSeparator: \.isWhitespace).map { word in
                guard let grant = ResourceGrant(word) else {
                    throw fault(
                        "\(Quotation.quoted(String(word))) must be SOURCE.RESOURCE or "
                            + "SOURCE.RESOURCE:FIELD,FIELD")
                }
                return grant
            }
        }
        requests = try Self.allowance(settings, key("requests"), Allowance.init(requests:), "500/hour")
        bytes = try Self.allowance(settings, key("bytes"), Allowance.init(bytes:), "5MB/hour")
    }

    private static func allowance(
        _ settings: Settings, _ key: String, _ read: (String) -> Allowance?, _ example: String
    ) throws -> Allowance? {
        guard let text = settings.text(key) else { return nil }
        guard let allowance = read(text) else {
            throw settings.error(key, "must be a number per hour or per day, such as \(example)")
        }
        return allowance
    }
}
