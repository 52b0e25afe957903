import PatchbayJSON

/// Descriptions of APIs that are not read.
extension JSONValue {
    /// The name of the format; nil for another value, such as an answer.
    var otherDescription: String? {
        let info = self["info"]
        if info?["_postman_id"] != nil || info?["schema"]?.word?.contains("getpostman.com") == true {
            return "a Postman collection"
        }
        if (self["data"] ?? self)["__schema"] != nil { return "the schema of a GraphQL API" }
        if let version = self["asyncapi"]?.word {
            return "a description in AsyncAPI \(DraftWords.shown(version))"
        }
        if let version = self["swaggerVersion"]?.word ?? self["swagger"]?.word {
            return "a description in Swagger \(DraftWords.shown(version))"
        }
        guard let version = self["openapi"]?.word, info != nil || self["paths"] != nil else { return nil }
        return "a description in OpenAPI \(DraftWords.shown(version))"
    }

    /// A key that an object in this value has twice, so that two readers may take different values; nil for none.
    var repeatedKey: String? {
        switch self {
        case .object(let members):
            var known: Set<String> = []
            let repeated = members.first { !known.insert($0.name).inserted }?.name
            return repeated ?? members.lazy.compactMap(\.value.repeatedKey).first
        case .array(let elements): return elements.lazy.compactMap(\.repeatedKey).first
        default: return nil
        }
    }
}
