import HTTPTypes
import PatchbayCore
public import PatchbayDomain
import PatchbayJSON
package import SourceREST

extension BundledDefinition {
    /// GitHub's REST API.
    package static let github = BundledDefinition("github", PackageResources.github_conf)
}

extension SourceAPI {
    /// GitHub's REST API, from its definition.
    ///
    /// Each GitHub Enterprise Server and each tenant of `ghe.com` has its own ids, so its rows are kept apart as those
    /// of another API. Any other address is treated as a proxy or mirror of `api.github.com`.
    public static var github: SourceAPI {
        var api = SourceAPI.rest(.github, hooks: .github)
        api.baseURLHelp = "address of the API; https://HOST/api/v3 for a GitHub Enterprise Server"
        api.pathAlias = "/api/v3"
        return api
    }
}

extension RESTHooks {
    /// The hooks for parts of GitHub that a definition cannot describe: refusals by message, hosts of avatars, servers
    /// with their own ids, limits, and addresses missing in trimmed recordings.
    package static var github: RESTHooks {
        var hooks = RESTHooks()
        hooks.refusal = refusal
        hooks.isPictureHost = { $0.hasSuffix(".githubusercontent.com") }
        hooks.serverWord = serverWord
        hooks.status = status
        hooks.defaults = [
            "users.url": { row, base in row.text("login").map { "\(base)/users/\($0)" } },
            "repos.owner_login": { row, _ in
                row.text("full_name").map { String($0.prefix { $0 != "/" }) }
            },
            "repos.full_name": { row, _ in
                row.text("owner_login").flatMap { owner in row.text("name").map { "\(owner)/\($0)" } }
            },
            "repos.url": { row, base in row.text("full_name").map { "\(base)/repos/\($0)" } },
            "issues.path": path, "pulls.path": path, "releases.path": path,
        ]
        return hooks
    }

    /// The path that identifies an issue, a pull request or a release: the end of its address, such as
    /// `apple/swift/issues/1`.
    @Sendable private static func path(_ row: Item, _ baseURL: String) -> String? {
        row.text("url").flatMap { url in
            url.firstRange(of: "/repos/").map { String(url[$0.upperBound...]) }
        }
    }

    /// Returns the refusal of the row itself; nil when the request or its sender is refused.
    @Sendable private static func refusal(_ answer: RESTAnswer) -> Refusal? {
        switch answer.status {
        case 403, 451:
            if let reason = answer.text(at: blockReason) {
                return Refusal(.blocked, reason: Quotation.plain(reason))
            }
            if answer.status == 451 || answer.mentions("access blocked") {
                return Refusal(.blocked, reason: answer.text)
            }
            let isAboutPermission =
                answer.mentions("not accessible by") || answer.mentions("protected by organization")
                || answer.mentions("must have") || answer.fields[.acceptedPermissions] != nil
            return isAboutPermission ? Refusal(.forbidden, reason: answer.text) : nil
        // GitHub also sends 410 for retired API versions.
        case 410: return answer.mentions("version") ? nil : Refusal(.removed, reason: answer.text)
        default: return nil
        }
    }

    private static let blockReason = JSONPath([.member("block"), .member("reason")])

    /// Returns the host of a server with its own ids: a GitHub Enterprise Server or a tenant of `ghe.com`. The address
    /// may be `HOST/api/v3` or `api.HOST`.
    @Sendable private static func serverWord(_ baseURL: String) -> String? {
        guard let base = HTTPAddress(baseURL) else { return nil }
        let server = base.authority
        let host = server.prefix { $0 != ":" }
        let isEnterprise = base.path.lowercased() == "/api/v3" || host.hasPrefix("api.")
        guard isEnterprise, host != "api.github.com" else { return nil }
        return server.hasPrefix("api.") ? String(server.dropFirst("api.".count)) : server
    }

    /// Returns the limits and the expiry of the token.
    @Sendable private static func status(_ answer: RESTAnswer) throws -> SourceStatus? {
        var status = SourceStatus()
        switch answer.status {
        case 200:
            do {
                status.limits = try LimitsDecoder.decode(answer.body)
            } catch {
                throw answer.invalid("it is not a list of limits: \(error.message)")
            }
        // A GitHub Enterprise Server without limits sends this.
        case 404 where answer.mentions("rate limiting is not enabled"): break
        default: return nil
        }
        status.credentialsExpireAt = answer.fields[.tokenExpiration].flatMap(Timestamp.init(tokenExpiration:))
        return status
    }
}

extension Timestamp {
    /// Parses the expiry of a token in GitHub's format: `2026-11-21 18:42:48 UTC` or `2026-11-21 19:42:48 +0100`.
    init?(tokenExpiration text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3 else { return nil }
        let zone = parts[2]
        let offset = zone == "UTC" ? "Z" : zone.count == 5 ? "\(zone.prefix(3)):\(zone.suffix(2))" : "?"
        self.init("\(parts[0])T\(parts[1])\(offset)")
    }
}

extension HTTPField.Name {
    fileprivate static let acceptedPermissions = HTTPField.Name("X-Accepted-GitHub-Permissions")!
    fileprivate static let tokenExpiration = HTTPField.Name("GitHub-Authentication-Token-Expiration")!
}

/// Decodes the limits in the JSON of `GET /rate_limit`: `{"resources": {"core": {"limit": 60, ...}, ...}}`.
enum LimitsDecoder {
    /// The maximum number of limits; GitHub has about fifteen.
    static let limitsMax = 100

    static func decode(_ body: [UInt8]) throws(JSONError) -> [SourceLimit] {
        var reader = JSONReader(body.span.bytes)
        var limits: [SourceLimit] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "resources" { limits = try resources(&reader) } else { try reader.skipValue() }
        }
        try reader.finish()
        return limits
    }

    private static func resources(_ reader: inout JSONReader) throws(JSONError) -> [SourceLimit] {
        var limits: [SourceLimit] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            guard limits.count < limitsMax, try reader.peek() == .object else {
                try reader.skipValue()
                continue
            }
            limits.append(try limit(name, &reader))
        }
        return limits
    }

    private static func limit(
        _ name: String, _ reader: inout JSONReader
    ) throws(JSONError) -> SourceLimit {
        var limit = SourceLimit(resource: name, limit: 0, remaining: 0, resetsAt: nil)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "limit" {
                limit.limit = try reader.readInteger()
            } else if key == "remaining" {
                limit.remaining = try reader.readInteger()
            } else if key == "reset" {
                let seconds = try reader.readInteger()
                // Valid from 1970 to 9999; other values are ignored.
                limit.resetsAt =
                    (0...253_402_300_799).contains(seconds) ? Timestamp(milliseconds: seconds * 1_000) : nil
            } else {
                try reader.skipValue()
            }
        }
        return limit
    }
}
