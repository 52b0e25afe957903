import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Sends raw requests to an API.
struct RESTRaw: RawSource {
    let server: RESTServer

    func get(_ path: String) async throws -> RawAnswer {
        let answer = try await server.answer(at: address(path))
        var raw = RawAnswer(status: answer.status, fields: answer.fields.map(shown), body: answer.body)
        let next = Link.target("next", in: answer.fields[.link]).flatMap(answer.address.resolving)
        raw.next = next.flatMap { server.isOurs($0.text) && $0 != answer.address ? $0.text : nil }
        if !(200...299).contains(answer.status) || answer.isMarkedAsError {
            raw.error = answer.error(
                missing: "\(server.host) has nothing at this path, or hides it", hooks: server.hooks)
        }
        return raw
    }

    private func address(_ path: String) throws -> HTTPAddress {
        if path.contains("://") {
            guard server.isOurs(path) else { throw refusal(path, "is not at \(server.baseURL)") }
            return try server.address(next: path)
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw refusal(path, "must start with one slash, as in /users/ada")
        }
        guard path.isVisibleASCII, !path.utf8.contains(UInt8(ascii: "#")) else {
            throw refusal(
                path, "contains characters that are not allowed in a path; percent-encode them (%20)")
        }
        return try server.address(path)
    }

    private func refusal(_ path: String, _ problem: String) -> PatchbayError {
        PatchbayError(.invalidValue, "the path \(Quotation.quoted(path)) \(problem)")
    }

    private func shown(_ field: HTTPField) -> (name: String, value: String) {
        let isSecret = SecretNames.isSecret(field: field.name.canonicalName)
        return (field.name.rawName, isSecret ? "REDACTED" : field.value)
    }
}
