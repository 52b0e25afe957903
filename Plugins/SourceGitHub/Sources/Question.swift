import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// A `GET` of GitHub's API.
struct Question {
    let address: HTTPAddress
    private let request: HTTPRequest
    /// Whether "not modified" is a possible answer.
    let isConditional: Bool

    /// Asks with the entity tag where there is one, else with the date (semantics 12, 19).
    init(_ address: HTTPAddress, ifChangedFrom validator: Validator) {
        self.address = address
        var request = address.request
        request.headerFields = Question.headerFields
        if let tag = validator.usableEntityTag {
            request.headerFields[.ifNoneMatch] = tag
        } else if let date = validator.lastModified {
            request.headerFields[.ifModifiedSince] = date
        }
        isConditional = validator.usableEntityTag != nil || validator.lastModified != nil
        self.request = request
    }

    func ask(_ networking: any Networking) async throws -> Answer {
        do {
            return try await Answer(address: address, response: networking.send(request, body: []))
        } catch let error as PatchbayError where error.code == .notFound {
            // Not GitHub says so, but a recording: nothing is known about the user.
            throw PatchbayError(.unsupported, error.message, error.context, cause: error.cause)
        }
    }

    private static let headerFields: HTTPFields = [
        .accept: "application/vnd.github+json",
        .gitHubAPIVersion: "2022-11-28",
        .userAgent: "patchbay/\(PatchbayVersion.current)",
    ]
}

extension Validator {
    /// The entity tag, unless it is empty (`W/""`): such a tag tells nothing.
    var usableEntityTag: String? {
        guard let entityTag, !["", "\"\"", "W/\"\""].contains(entityTag) else { return nil }
        return entityTag
    }
}

extension HTTPField.Name {
    static let link = HTTPField.Name("Link")!
    static let gitHubAPIVersion = HTTPField.Name("X-GitHub-Api-Version")!
    static let gitHubRequestID = HTTPField.Name("X-GitHub-Request-Id")!
}
