import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// How GitHub and the credentials are: `GET /rate_limit`, which costs no budget (semantics 20).
struct GitHubStatus {
    let server: GitHubServer

    func ask() async throws -> SourceStatus {
        let answer = try await server.answer(at: server.address("/rate_limit"), ifChangedFrom: Validator())
        var status = SourceStatus()
        switch answer.status {
        case 200: status.limits = try answer.decoded("a list of limits", by: LimitsDecoder.decode)
        // A GitHub Enterprise Server without limits says so.
        case 404 where ErrorBody(answer.response.body).says("rate limiting is not enabled"): break
        default: throw answer.error(missing: "\(server.host) does not tell its limits; is it GitHub's API?")
        }
        let fields = answer.response.head.headerFields
        status.serverTime = fields[.date].flatMap(Timestamp.init(httpDate:))
        status.credentialsExpireAt = fields[.tokenExpiration].flatMap(Timestamp.init(tokenExpiration:))
        return status
    }
}

extension Timestamp {
    /// Reads when a token ends, as GitHub writes it: `2026-11-21 18:42:48 UTC` or `2026-11-21 19:42:48 +0100`
    /// (semantics 5).
    init?(tokenExpiration text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3 else { return nil }
        let zone = parts[2]
        let offset = zone == "UTC" ? "Z" : zone.count == 5 ? "\(zone.prefix(3)):\(zone.suffix(2))" : "?"
        self.init("\(parts[0])T\(parts[1])\(offset)")
    }
}

extension HTTPField.Name {
    fileprivate static let tokenExpiration = HTTPField.Name("GitHub-Authentication-Token-Expiration")!
}
