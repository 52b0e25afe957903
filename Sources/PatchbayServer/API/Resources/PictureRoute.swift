import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Route {
    static let showPicture = Route(
        method: .get, path: "/resources/{name}/{key}/picture", operation: "picture",
        summary: "The picture of a row. A stored picture is returned without checking for changes.",
        parameters: [.policy], answers: [.picture], isOffered: \.hasPictures
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        return try await api.picture(served.handle(in: request), of: served, request)
    }
}

extension API {
    fileprivate func picture(
        _ key: String, of served: ServedResource, _ request: APIRequest
    ) async throws -> ServerResponse {
        let policy = try served.policy(of: request)
        return try await answer(
            request, from: served.store, question: request.question, policy: policy
        ) {
            let answers = served.gateway.picture(served.full, key, policy: policy)
            let chosen = await ServedAnswer(answers, policy) { _ in true }
            guard let picture = try chosen.served().value else {
                throw Problem.notFound(
                    "no picture of \(served.resource.singular) \"\(key)\" is stored; use policy=local-first",
                    parameter: "key")
            }
            var answer = APIAnswer(picture.bytes, chosen.provenance(from: served.gateway.source.name))
            answer.mediaType = picture.mediaType
            return answer
        }
    }
}
