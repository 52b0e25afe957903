package import PatchbayCore

/// How a later sync requests only newer rows: `NAME.since = [PARAM] FIELD [FORM]`.
package struct SinceDeclaration: Hashable, Sendable {
    /// The name of the query parameter; nil if the path contains `{since}`.
    package var parameter: String?
    /// The field whose newest stored value is sent.
    package var field: String
    /// How the parameter represents a time; values of other types are sent unchanged.
    package var form: TimeForm
    /// How far before the newest value a later sync begins, because a source may show rows late; nil for a minute.
    package var overlap: Duration?
    /// Where the first sync begins (`NAME.since-start`); nil leaves the time out of its requests.
    package var start: Timestamp?
    /// The length of the periods that are requested one after another (`NAME.window`); nil requests everything at once.
    package var window: Duration?
    /// Creates the declaration; the field must be a time unless the form is `iso8601`.
    package init(parameter: String?, field: String, form: TimeForm = .iso8601) {
        self.parameter = parameter
        self.field = field
        self.form = form
    }

    /// The length of the shortest difference between two times as they are sent, in the parameter or in one of the
    /// addresses.
    package func unit(in lists: [ListDeclaration]) -> Duration {
        let forms = lists.flatMap(\.template.parameters).compactMap { parameter -> TimeForm? in
            if case .since(let form) = parameter { form } else { nil }
        }
        return ((parameter == nil ? [] : [form]) + forms).map(\.unit).max() ?? .seconds(1)
    }
}

/// The rows of a list that a definition keeps: `NAME.where = [not] PATH`, `PATH = VALUE`, `PATH != VALUE`.
package struct RowCondition: Hashable, Sendable {
    /// A place in the JSON of the row.
    package var path: JSONPath
    /// The value there, as a text; nil for any value but null, false, zero and empty ones.
    package var value: String?
    /// Whether the rows that fulfil the condition are left out.
    package var isNegated: Bool
}
