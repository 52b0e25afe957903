import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Writes how the connector sends its secrets.
extension AirbyteDraft {
    mutating func writeAuthorization(_ text: inout DraftText) {
        let manifest = manifest
        let requesters = manifest.streams.compactMap { stream in
            manifest.component("retriever", of: stream).flatMap { manifest.component("requester", of: $0) }
        }
        let all = requesters.compactMap { manifest.component("authenticator", of: $0) }
        let secrets = drafted.flatMap(\.secrets)
        guard let found = all.first(where: { $0.type != "NoAuth" }),
            let first = found.type == "SelectiveAuthenticator"
                ? manifest.component("authenticators", of: found)?.value.members.first
                    .map({ manifest.resolved($0.value, in: found) }) : found
        else {
            // A secret in a header or a parameter is the only one.
            guard secrets.isEmpty else { return }
            guard all.isEmpty else {
                text.set("auth", "none")
                return
            }
            return text.comment(
                "The manifest has no authorisation. If the API needs a token, add a line such as "
                    + "auth = bearer.")
        }
        let ways = Set(all.filter { $0.type != "NoAuth" }.map(way))
        if first.type != found.type || ways.count > 1 {
            text.comment("The first of several ways to send credentials.")
        }
        if ways.count > 1 {
            summary.corrections.append("auth, because the connector authorises some requests in another way")
        }
        switch first.type {
        case "BearerAuthenticator": text.set("auth", "bearer")
        case "BasicHttpAuthenticator":
            text.comment("source.token is NAME:PASSWORD.")
            text.set("auth", "basic")
        case "OAuthAuthenticator":
            text.comment("Set source.token to an access token; Patchbay does not renew it.")
            text.set("auth", "bearer")
        case "ApiKeyAuthenticator":
            let option = manifest.component("inject_into", of: first)
            let written = option?.value["field_name"]?.word ?? first.value["header"]?.word
            let field = written.flatMap { AirbyteTemplate($0, first.parameters).literal } ?? "Authorization"
            let place = option?.value["inject_into"]?.word ?? "header"
            if place == "request_parameter" {
                text.set("auth", "query \(field)")
                return
            }
            guard place == "header" else {
                text.comment(
                    "Left out: the token in the body of requests, where a definition cannot send it.")
                summary.leftOut.append("the token, which the connector sends in the body of requests")
                return
            }
            let parts = AirbyteTemplate(first.value["api_token"]?.word ?? "", first.parameters).parts
            var prefix: String?
            if case .literal(let before)? = parts.first, parts.count > 1 { prefix = before }
            if parts.count > (prefix == nil ? 1 : 2) {
                text.comment(
                    "The connector sends several values in this header; source.token must have all of them"
                        + (prefix == nil ? "." : ", without the text in auth."))
                summary.corrections.append(
                    "source.token, which must have all values that the connector sends in the header "
                        + DraftWords.shown(field))
            }
            let isBearer = prefix == "Bearer " && field.lowercased() == "authorization"
            text.set(
                "auth",
                isBearer ? "bearer" : Definition.Authorization.header(name: field, prefix: prefix).words)
        default:
            if let made = madeToken(first) {
                text.comment(
                    first.type == "JwtAuthenticator"
                        ? "Set source.token to a signed token (JWT); Patchbay does not sign one."
                        : "Set source.token to the token of a session; Patchbay does not sign in.")
                text.set("auth", made.words)
                return
            }
            text.comment(
                "Left out: the authorisation by \(DraftWords.shown(first.className ?? first.type))"
                    + "\(manifest.place(of: first.className ?? first.type)).")
            summary.leftOut.append("the authorisation by \(first.className ?? first.type)")
        }
    }

    /// How a token is sent that the connector makes or gets by a login; nil for another way.
    private func madeToken(_ authenticator: AirbyteManifest.Component) -> Definition.Authorization? {
        if authenticator.type == "JwtAuthenticator" {
            let prefix = authenticator.value["header_prefix"]?.word ?? ""
            if prefix == "Bearer" { return .bearer }
            return .header(name: "Authorization", prefix: prefix.isEmpty ? nil : prefix + " ")
        }
        // Other ways have no such member.
        let request = manifest.component("request_authentication", of: authenticator)
        if request?.type == "Bearer" { return .bearer }
        guard let option = request.flatMap({ manifest.component("inject_into", of: $0) }),
            let written = option.value["field_name"]?.word,
            let name = AirbyteTemplate(written, option.parameters).literal
        else { return nil }
        switch option.value["inject_into"]?.word {
        case "header": return .header(name: name, prefix: nil)
        case "request_parameter": return .query(name: name)
        default: return nil
        }
    }

    /// What distinguishes two ways to send credentials: the kind, the place and the credential.
    private func way(_ authenticator: AirbyteManifest.Component) -> [String?] {
        let place = manifest.component("inject_into", of: authenticator)
        let names = ["header", "api_token", "username", "access_token", "client_id"]
        return [authenticator.type, authenticator.className, place?.value["field_name"]?.word]
            + names.map { authenticator.value[$0]?.word }
    }

    /// A secret in a header or a parameter of the requests, beside that of the authenticator; the only one if there is
    /// none.
    mutating func writeSecondSecret(_ text: inout DraftText) {
        let value = text.lines.first { $0.hasPrefix("auth = ") }?.dropFirst("auth = ".count)
        // A line that cannot be read takes no place.
        let first = value.flatMap { try? Definition.Authorization(described: String($0)) }
        var taken = Set(first.map { [$0.place] } ?? [])
        let others = drafted.flatMap(\.secrets).filter { taken.insert($0.place).inserted }
        let keys = first == nil ? ["auth", "auth-second"] : ["auth-second"]
        for (key, secret) in zip(keys, others) { text.set(key, secret.words) }
        for secret in others.dropFirst(keys.count) {
            text.comment("A further secret is left out: \(DraftWords.shown(secret.place)).")
            summary.leftOut.append(
                "the secret in \(DraftWords.shown(secret.place)), because there are others")
        }
    }
}
