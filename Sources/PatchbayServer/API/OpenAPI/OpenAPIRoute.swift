import HTTPTypes
import PatchbayJSON

extension Route {
    static let openAPI = Route(
        method: .get, path: "/openapi.json", operation: "openAPI", summary: "This description.",
        content: .schema(["type": "object"])
    ) { request, api in
        api.response(request, api.openAPI())
    }
}
