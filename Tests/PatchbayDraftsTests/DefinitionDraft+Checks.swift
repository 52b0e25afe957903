import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayDrafts

extension DefinitionDraft {
    /// The draft of a description or an answer, whose definition must have no fault.
    init(describedBy text: String, only: [String] = [], name: String) throws {
        let samples = try DraftSample.all(in: Array(text.utf8), name: "api.yaml")
        try self.init(samples, only: only, name: name, source: "api.yaml")
        _ = try definition()
    }

    /// Reads the text, which must have no fault.
    func definition(sourceLocation: SourceLocation = #_sourceLocation) throws -> Definition {
        let (definition, faults) = Definition.reading(path: "draft", bytes: Array(text.utf8))
        #expect(faults.map(\.description) == [], "\(text)", sourceLocation: sourceLocation)
        return try #require(definition, sourceLocation: sourceLocation)
    }

    /// The value of a key; nil when no line sets it.
    func value(_ key: String) -> String? {
        let start = key + " = "
        return text.split(separator: "\n").first { $0.hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
    }

    /// What the summary says must be corrected; nil when nothing must be.
    var correction: String? {
        let start = "to correct: "
        return sentences.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}

/// A description of one list, whose answer is an object with the given members.
func listDescription(
    of list: String = "parks", _ members: String, _ parameters: String = "", example: String = ""
) -> String {
    """
    openapi: 3.1.0
    servers: [{url: https://parks.example.org}]
    paths:
      /\(list):
        get:
          parameters: [\(parameters)]
          responses:
            200:
              content:
                application/json: {schema: {type: object, properties: {\(members)}}\(example)}
    """
}
