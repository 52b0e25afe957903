import PatchbayCore
package import PatchbayDomain
package import PatchbayJSON

/// Converts rows of a resource to records: the declared fields in their order and under their names, local edits, and
/// the gateway's notes.
package struct ItemRecords: Sendable {
    package let declaration: ResourceDeclaration
    private let usual: [Part]
    private let more: [Part]

    package init(_ declaration: ResourceDeclaration) {
        self.init(declaration, Part.usual(of: declaration), more: Part.more(of: declaration))
    }

    private init(_ declaration: ResourceDeclaration, _ usual: [Part], more: [Part]) {
        self.declaration = declaration
        self.usual = usual
        self.more = more
    }

    package var names: FieldNames { FieldNames(usual.map(\.name), more: more.map(\.name)) }

    /// The same with only these fields, in this order. All names must be known.
    package func choosing(_ names: [String]) -> ItemRecords {
        let all = usual + more
        return ItemRecords(
            declaration, names.compactMap { name in all.first { $0.name == name } }, more: [])
    }

    /// - Parameter item: a row of a resource with this declaration.
    package func record(_ item: Item) -> OutputRecord {
        check(item)
        let state = item.state
        var record = OutputRecord(usual.map { ($0.name, $0.value(of: item, state)) })
        record.more = more.map { ($0.name, $0.value(of: item, state)) }
        return record
    }

    /// Writes all fields of a row of a resource with this declaration as members of the current object.
    package func write(_ item: Item, to json: inout JSONWriter) {
        check(item)
        let state = item.state
        item.withRow { row in
            for part in usual { part.write(item, row, state, to: &json) }
            for part in more { part.write(item, row, state, to: &json) }
        }
    }

    /// Fields are read by their places, which differ in a view.
    private func check(_ item: Item) {
        precondition(
            item.resource.fields.count == declaration.fields.count, "a row of a resource with other fields")
    }

    /// The name of the field that shows whether the row's details have been fetched.
    package static let hasDetail = "has_detail"

    /// The name of the field that contains ``ItemState/sourceState``. Every format has it in every row, because the
    /// header of CSV is written before it is known whether a row has a note.
    package static let sourceState = "source_state"

    /// The name of the field that contains the local edit of a field.
    package static func override(_ field: String) -> String { field + "_override" }

    /// The type of a field of the records, for descriptions; nil for text or null.
    package func type(of name: String) -> ValueType? {
        switch (usual + more).first(where: { $0.name == name })?.content {
        case .field(let place): declaration.fields[place].type
        case .hasDetail: .boolean
        case .noted(.missingSince), .noted(.goneAt), .noted(.refusedAt): .time
        case .override, .sourceState, .noted, nil: nil
        }
    }
}

/// A named value of a record.
private struct Part: Sendable {
    /// Where the value comes from. A declared field is given by its place in the declaration, which a resource keeps.
    enum Content {
        case field(Int)
        case override(String)
        case hasDetail
        case sourceState
        case noted(Noted)
    }

    /// The gateway's notes about a row.
    enum Noted: String, CaseIterable {
        case missingSince = "missing_since"
        case goneAt = "gone_at"
        case refusal
        case refusalReason = "refusal_reason"
        case refusedAt = "refused_at"
    }

    let name: String
    let content: Content

    init(_ name: String, _ content: Content) {
        self.name = name
        self.content = content
    }

    /// The declared fields, then the edits, `has_detail`, `source_state`, and the fields of the parent.
    static func usual(of declaration: ResourceDeclaration) -> [Part] {
        func fields(ofParent: Bool) -> [Part] {
            declaration.fields.indices.filter { declaration.fields[$0].isOfParent == ofParent }
                .map { Part(declaration.fields[$0].name, .field($0)) }
        }
        let edits = declaration.editable.map { Part(ItemRecords.override($0), .override($0)) }
        let detail = declaration.show == nil ? [] : [Part(ItemRecords.hasDetail, .hasDetail)]
        let state = [Part(ItemRecords.sourceState, .sourceState)]
        return fields(ofParent: false) + edits + detail + state + fields(ofParent: true)
    }

    /// The fields that only JSON contains by default: times and reasons of the state at the source.
    static func more(of declaration: ResourceDeclaration) -> [Part] {
        let notes = declaration.show == nil ? [.missingSince] : Noted.allCases
        return notes.map { Part($0.rawValue, .noted($0)) }
    }

    func value(of item: Item, _ state: ItemState) -> OutputValue {
        switch content {
        case .field(let place): OutputValue(item[item.resource.fields[place]])
        case .override(let name):
            OutputValue(item.resource.field(named: name).flatMap { item.override(of: $0) })
        case .hasDetail: .bool(state.detailFetchedAt != nil)
        case .sourceState: OutputValue(state.sourceState)
        case .noted(.missingSince): OutputValue(state.missingSince?.description)
        case .noted(.goneAt): OutputValue(state.goneAt?.description)
        case .noted(.refusal): OutputValue(state.refusal?.refusal.kind.rawValue)
        case .noted(.refusalReason): OutputValue(state.refusal?.refusal.reason)
        case .noted(.refusedAt): OutputValue(state.refusal?.since.description)
        }
    }

    /// Writes the part as a member of the current object, texts and numbers without copying them first.
    func write(_ item: Item, _ row: borrowing RowView, _ state: ItemState, to json: inout JSONWriter) {
        json.key(name)
        guard case .field(let place) = content else { return json.value(value(of: item, state)) }
        let field = item.resource.fields[place]
        switch field.type {
        case _ where row.isNull(field.position): json.null()
        case .text: json.string(utf8: row.bytes(field.position))
        case .integer: json.integer(row.integer(field.position))
        case .real, .boolean, .time, .json: json.value(OutputValue(item[field]))
        }
    }
}

extension FieldDeclaration {
    /// Whether the value is the same for all rows of a list.
    package var isOfParent: Bool { if case .parent = origin { true } else { false } }
}
