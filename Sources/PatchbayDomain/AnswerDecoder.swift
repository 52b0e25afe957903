public import PatchbayCore

/// Turns an API's JSON into rows without sending a request, to read saved answers.
public protocol AnswerDecoder: Sendable {
    /// Returns the rows of a list's answer.
    ///
    /// - Parameters:
    ///   - rows: the place of the rows in the answer.
    ///   - parent: the row to which the list belongs.
    ///   - place: the index of the first row in the list, from 0.
    /// - Throws: ``ItemFault`` for a value that does not fit the definition.
    func items(
        _ answer: [UInt8], at rows: JSONPath, of resource: Resource, parent: Item?, from place: Int
    ) throws -> [Item]
}

/// Why an answer's JSON does not fit its definition.
public struct ItemFault: Error, Hashable, Sendable {
    /// What is wrong, and in which member.
    public var problem: String
    /// The number of the faulty row in the answer, from 0; nil when no row is at fault.
    public var row: Int?
    /// The field and the beginning of its value, as far as they are known.
    public var details: [PatchbayError.Detail]

    /// Creates a fault of one row, or of the whole answer when `row` is nil.
    public init(_ problem: String, row: Int?, details: [PatchbayError.Detail] = []) {
        self.problem = problem
        self.row = row
        self.details = details
    }
}
