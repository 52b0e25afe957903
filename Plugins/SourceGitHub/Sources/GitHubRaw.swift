import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// GitHub's REST API as it is.
struct GitHubRaw: RawSource {
    let server: GitHubServer

    func get(_ path: String) async throws -> RawAnswer {
        let answer = try await server.answer(at: address(path), ifChangedFrom: Validator())
        var raw = RawAnswer(
            status: answer.status, fields: answer.response.head.headerFields.map(shown),
            body: answer.response.body)
        raw.next = Link.target("next", in: answer.response.head.headerFields[.link]).flatMap {
            server.isOurs($0) && HTTPAddress($0) != answer.address ? $0 : nil
        }
        if !(200...299).contains(answer.status) {
            raw.error = answer.error(missing: "\(server.host) has nothing at this path, or hides it")
        }
        return raw
    }

    private func address(_ path: String) throws -> HTTPAddress {
        if path.contains("://") {
            guard server.isOurs(path) else { throw refusal(path, "is not at \(server.baseURL)") }
            return try server.address(next: path)
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw refusal(path, "does not begin with one slash, as /users/octocat does")
        }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 }) else {
            throw refusal(path, "holds signs that no path has; write them as %20 and alike")
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
