package import PatchbayCore

/// Turns an API's JSON into rows without sending a request, to read saved answers.
package protocol AnswerDecoder: Sendable {
    /// Returns the rows of a list's answer, as a page without a next one.
    ///
    /// - Parameters:
    ///   - rows: the place of the rows in the answer.
    ///   - parent: the row to which the list belongs.
    ///   - place: the index of the first row in the list, from 0.
    /// - Throws: ``ItemFault`` for a value that does not fit the definition.
    func page(
        _ answer: [UInt8], at rows: JSONPath, of resource: Resource, parent: Item?, from place: Int
    ) throws -> ItemPage

    /// Returns why a whole answer has no rows, if the definition marks it as an error; otherwise nil.
    func error(in answer: [UInt8]) -> ItemFault?
}

/// Why an answer's JSON does not fit its definition.
package struct ItemFault: Error, Hashable, Sendable {
    /// What is wrong, and in which member.
    package var problem: String
    /// The field and the beginning of its value, as far as they are known.
    package var details: [PatchbayError.Detail]

    package init(_ problem: String, details: [PatchbayError.Detail] = []) {
        self.problem = problem
        self.details = details
    }
}
