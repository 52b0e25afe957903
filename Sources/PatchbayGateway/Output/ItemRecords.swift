import PatchbayCore
package import PatchbayDomain
package import PatchbayJSON

/// Converts rows of a resource to records: the declared fields in their order and under their names, computed fields,
/// local edits, and the gateway's notes.
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

    package func record(_ item: Item) -> OutputRecord {
        let state = item.state
        var record = OutputRecord(usual.map { ($0.name, $0.value(of: item, state)) })
        record.more = more.map { ($0.name, $0.value(of: item, state)) }
        return record
    }

    /// Writes all fields of a row as members of the current object.
    package func write(_ item: Item, to json: inout JSONWriter) {
        let state = item.state
        for part in usual { json.member(part.name, part.value(of: item, state)) }
        for part in more { json.member(part.name, part.value(of: item, state)) }
    }

    /// The name of the field that shows whether the row's details have been fetched.
    package static let hasDetail = "has_detail"

    /// The name of the field that contains the local edit of a field.
    package static func override(_ field: String) -> String { field + "_override" }

    /// The type of a field of the records, for descriptions; nil for text or null.
    package func type(of name: String) -> ValueType? {
        switch (usual + more).first(where: { $0.name == name }) {
        case .field(let name): declaration.fields.first { $0.name == name }?.type
        case .hasDetail: .boolean
        case .noted(.goneAt), .noted(.refusedAt): .time
        case .computed, .override, .noted, nil: nil
        }
    }
}

/// A named value of a record.
private enum Part: Sendable {
    case field(String)
    case computed(String, Template)
    case override(String)
    case hasDetail
    case noted(Noted)

    /// The gateway's notes about a row.
    enum Noted: String, CaseIterable {
        case goneAt = "gone_at"
        case refusal
        case refusalReason = "refusal_reason"
        case refusedAt = "refused_at"
    }

    /// The declared fields with the computed ones in their place, then the edits and `has_detail`.
    static func usual(of declaration: ResourceDeclaration) -> [Part] {
        let computed = declaration.computed.map { Part.computed($0.name, $0.template) }
        let fields = declaration.fields.filter { !$0.isOfParent }.flatMap { field in
            [Part.field(field.name)] + (declaration.computedAfter == field.name ? computed : [])
        }
        return fields + (declaration.computedAfter == nil ? computed : [])
            + declaration.editable.map(Part.override) + (declaration.show == nil ? [] : [.hasDetail])
    }

    /// The fields that only JSON contains by default: those of the parent, which are the same for all rows of a list,
    /// and the gateway's notes.
    static func more(of declaration: ResourceDeclaration) -> [Part] {
        declaration.fields.filter(\.isOfParent).map { .field($0.name) }
            + (declaration.show == nil ? [] : Noted.allCases.map(Part.noted))
    }

    var name: String {
        switch self {
        case .field(let name), .computed(let name, _): name
        case .override(let name): ItemRecords.override(name)
        case .hasDetail: ItemRecords.hasDetail
        case .noted(let noted): noted.rawValue
        }
    }

    func value(of item: Item, _ state: ItemState) -> OutputValue {
        switch self {
        case .field(let name): OutputValue(item[name])
        case .computed(_, let template): template.value(of: item)
        case .override(let name):
            OutputValue(item.resource.field(named: name).flatMap { item.override(of: $0) })
        case .hasDetail: .bool(state.detailFetchedAt != nil)
        case .noted(.goneAt): OutputValue(state.goneAt?.description)
        case .noted(.refusal): OutputValue(state.refusal?.refusal.kind.rawValue)
        case .noted(.refusalReason): OutputValue(state.refusal?.refusal.reason)
        case .noted(.refusedAt): OutputValue(state.refusal?.since.description)
        }
    }
}

extension FieldDeclaration {
    /// Whether the value is the same for all rows of a list.
    package var isOfParent: Bool { if case .parent = origin { true } else { false } }
}

extension Template {
    /// An address made from a row's fields; null when one of them is null.
    fileprivate func value(of item: Item) -> OutputValue {
        var isKnown = true
        let text = expanded { parameter in
            guard case .argument(let name) = parameter, let field = item.resource.field(spelled: name),
                let value = item[field]
            else {
                isKnown = false
                return ""
            }
            return value.description
        }
        return isKnown ? .text(text) : .null
    }
}
