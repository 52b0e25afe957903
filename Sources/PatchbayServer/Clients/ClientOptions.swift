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

    /// Creates a client that sees every resource and has no budgets.
    package init(_ name: String, token: String) {
        self.name = name
        self.token = token
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

    func names(_ served: ServedResource) -> Bool {
        [served.name, "\(served.full.api).\(served.full.name)"].contains(name)
    }
}

extension ClientOptions {
    /// What the client sees of a resource; nil for nothing.
    func rights(to served: ServedResource, among all: [ServedResource]) -> ViewRights? {
        func own(_ served: ServedResource) -> [ResourceGrant]? { grants?.filter { $0.names(served) } }
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

    /// - Throws: `invalidConfiguration` for a grant of something that is not served.
    func check(among all: [ServedResource]) throws(PatchbayError) {
        for grant in grants ?? [] {
            guard let served = all.first(where: grant.names) else {
                let known = all.map { "\($0.full.api).\($0.full.name)" }
                throw PatchbayError(
                    .invalidConfiguration,
                    "\(key("resources")): there is no resource \(Quotation.quoted(grant.name))"
                        + EditDistance.suggestion(for: grant.name, in: known)
                        + "; known: \(known.joined(separator: ", "))")
            }
            let names = served.full.fields.map(\.name)
            for field in grant.fields ?? [] where served.full.field(spelled: field) == nil {
                throw PatchbayError(
                    .invalidConfiguration,
                    "\(key("resources")): \(served.full.plural) have no field \(Quotation.quoted(field))"
                        + EditDistance.suggestion(for: field, in: names)
                        + "; known: \(names.joined(separator: ", "))")
            }
        }
    }

    /// The whole key of one of its options.
    func key(_ option: String) -> String { "serve.client.\(name).\(option)" }
}

extension ClientOptions {
    /// Reads all clients from the options of `serve`.
    ///
    /// - Throws: `invalidConfiguration` for an invalid value, a client without a token, and a token of two clients.
    static func all(_ settings: Settings, besides token: String?) throws -> [ClientOptions] {
        let prefix = "client."
        let names = settings.keys.filter { $0.hasPrefix(prefix) }.compactMap { key in
            key.dropFirst(prefix.utf8.count).split(separator: ".").first.map(String.init)
        }.distinct
        var clients: [ClientOptions] = []
        for name in names {
            guard ![AccountingResponder.owner, AccountingResponder.anyone].contains(name) else {
                throw settings.error("\(prefix)\(name)", "the account uses this name; choose another one")
            }
            func key(_ option: String) -> String { "\(prefix)\(name).\(option)" }
            guard let own = settings.text(key("token")) else {
                throw settings.error(key("token"), "is required; set env:NAME, file:PATH or command:PROGRAM")
            }
            if let fault = ServerOptions.fault(ofToken: own) { throw settings.error(key("token"), fault) }
            guard own != token, !clients.contains(where: { $0.token == own }) else {
                throw settings.error(
                    key("token"), "is also the token of another client; make a different one")
            }
            var client = ClientOptions(name, token: own)
            client.isOwner = settings.text(key("owner")) == "on"
            client.grants = try settings.text(key("resources")).map { text in
                try text.split(whereSeparator: \.isWhitespace).map { word in
                    guard let grant = ResourceGrant(word) else {
                        throw settings.error(
                            key("resources"),
                            "\(Quotation.quoted(String(word))) must be SOURCE.RESOURCE or "
                                + "SOURCE.RESOURCE:FIELD,FIELD")
                    }
                    return grant
                }
            }
            client.requests = try allowance(settings, key("requests"), Allowance.init(requests:), "500/hour")
            client.bytes = try allowance(settings, key("bytes"), Allowance.init(bytes:), "5MB/hour")
            clients.append(client)
        }
        return clients
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
