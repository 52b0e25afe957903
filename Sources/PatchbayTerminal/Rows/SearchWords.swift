package import Patchbay

/// The fields that a local search compares, in words.
package struct SearchWords {
    private let resource: ResourceDeclaration

    package init(_ resource: ResourceDeclaration) { self.resource = resource }

    private var fields: [String] {
        let names = (resource.handle.map { [$0.field] } ?? resource.key) + resource.title
        return ItemColumns.distinct(names).map { $0.withSpaces }
    }

    /// The fields of one row, one of which must begin with the text: `login or name`.
    package var beginnings: String { fields.joined(separator: " or ") }

    /// The fields of several rows: `logins and names`.
    package var plural: String { fields.map { $0 + "s" }.joined(separator: " and ") }
}
