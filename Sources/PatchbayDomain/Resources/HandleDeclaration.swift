/// How people refer to a row on the command line.
package struct HandleDeclaration: Hashable, Sendable {
    /// The name of an integer or text field.
    package var field: String
    /// The names of its parts, for help: `OWNER/NAME`. Slashes separate the parts; a handle without slashes has one.
    package var parts: [String]
    /// Creates a handle; without parts, its one part is the field's name in capitals.
    package init(_ field: String, parts: [String]? = nil) {
        self.field = field
        self.parts = parts ?? [field.uppercased()]
    }

    /// Splits a handle of more than one part; nil when it has another number of parts, or an empty one.
    package static func parts(of handle: String, count: Int) -> [String]? {
        guard count > 1 else { return [handle] }
        let parts = handle.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count && !parts.contains("") ? parts : nil
    }
}
