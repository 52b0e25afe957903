import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The rows of a resource as records: the fields that the definition declares, in its order and under its names.
struct ItemOutput: Sendable {
    let declaration: ResourceDeclaration
    private let parts: [Part]

    init(_ declaration: ResourceDeclaration) {
        self.declaration = declaration
        parts = Part.all(of: declaration)
    }

    /// A named value of a record.
    private enum Part: Sendable {
        case field(String)
        case computed(String, Template)
        case override(String)
        case hasDetail

        /// The declared fields with the computed ones in their place, then what is noted here. The field that names
        /// the row of which a list's rows are is the same for all of them and stands with ``more``.
        static func all(of declaration: ResourceDeclaration) -> [Part] {
            let computed = declaration.computed.map { Part.computed($0.name, $0.template) }
            let fields = declaration.fields.filter { !$0.isOfParent }.flatMap { field in
                [Part.field(field.name)] + (declaration.computedAfter == field.name ? computed : [])
            }
            return fields + (declaration.computedAfter == nil ? computed : [])
                + declaration.editable.map(Part.override)
                + (declaration.show == nil ? [] : [.hasDetail])
        }

        var name: String {
            switch self {
            case .field(let name), .computed(let name, _): name
            case .override(let name): ItemOutput.override(name)
            case .hasDetail: ItemOutput.hasDetail
            }
        }

        func value(of item: Item) -> OutputValue {
            switch self {
            case .field(let name): OutputValue(item[name])
            case .computed(_, let template): template.value(of: item)
            case .override(let name):
                OutputValue(item.resource.field(named: name).flatMap { item.override(of: $0) })
            case .hasDetail: .bool(item.state.detailFetchedAt != nil)
            }
        }
    }

    static let hasDetail = "has_detail"

    /// The name of the field that holds what was edited here.
    static func override(_ field: String) -> String { field + "_override" }
}

extension ItemOutput {
    func record(_ item: Item) -> OutputRecord {
        var record = OutputRecord(parts.map { ($0.name, $0.value(of: item)) })
        record.more = more(item)
        return record
    }

    /// What JSON has of a row beside its fields.
    private func more(_ item: Item) -> [(name: String, value: OutputValue)] {
        let parents = declaration.fields.filter(\.isOfParent).map { ($0.name, OutputValue(item[$0.name])) }
        guard declaration.show != nil else { return parents }
        let state = item.state
        let values = [
            OutputValue(state.goneAt?.description), OutputValue(state.refusal?.refusal.kind.rawValue),
            OutputValue(state.refusal?.refusal.reason), OutputValue(state.refusal?.since.description),
        ]
        return parents + zip(Self.noted, values).map { ($0, $1) }
    }

    private static let noted = ["gone_at", "refusal", "refusal_reason", "refused_at"]

    /// The names of a record's fields.
    var names: FieldNames {
        let parents = declaration.fields.filter(\.isOfParent).map(\.name)
        return FieldNames(
            parts.map(\.name), more: parents + (declaration.show == nil ? [] : Self.noted))
    }

    /// - Parameter added: what is printed beside the rows.
    func list(_ items: [Item], added: Addition? = nil) -> Listing {
        let records = items.map { item in
            var record = record(item)
            record.fields += added?.fields(of: item) ?? []
            return record
        }
        let columns = ItemColumns(declaration).columns
        switch added {
        case nil: return Listing(records, names, .columns(columns))
        case .favourites:
            let column = TableColumn(Addition.favourite) {
                $0[Addition.favourite] == .bool(true) ? "yes" : ""
            }
            return Listing(records, names + [Addition.favourite], .columns(columns + [column]))
        case .children(let children):
            // The newest one takes the place of the last column.
            return Listing(
                records, names + NewestChildren.names(children.declaration),
                .columns(columns.dropLast() + [children.column]))
        }
    }

    /// What a search found.
    func list(_ items: [Item], foundBy origin: SearchWindow<Item>.Origin) -> Listing {
        let found = OutputValue.text(origin == .local ? "local" : "source")
        let records = items.map { item in
            var record = record(item)
            record.fields.append((Self.foundBy, found))
            return record
        }
        return Listing(records, foundNames, .columns(ItemColumns(declaration).columns))
    }

    var foundNames: FieldNames { names + [Self.foundBy] }

    private static let foundBy = "found_by"

    /// A change of watched rows.
    func record(_ change: ItemChange) -> OutputRecord {
        let word =
            switch change {
            case .inserted: "insert"
            case .updated: "update"
            case .deleted: "delete"
            }
        return OutputRecord([("change", .text(word))] + record(change.item).fields)
    }

    func show(_ item: Item, added: Addition? = nil) -> Listing {
        var record = record(item)
        let additions = added?.fields(of: item) ?? []
        record.fields += additions
        let extra = additions.map(\.name)
        let isFavourite = extra == [Addition.favourite]
        let hidden = isFavourite ? [] : extra
        return Listing(
            [record], names + extra, .fields { shownFields(of: $0).filter { !hidden.contains($0.name) } })
    }

    /// What there is to show of a row, one line a field.
    func shownFields(of item: Item) -> [(name: String, value: String)] { shownFields(of: record(item)) }

    /// The badges, then the fields that have a value, without those that programs alone want. An edit stands below the
    /// source's value, which is shown even where there is none.
    private func shownFields(of record: OutputRecord) -> [(name: String, value: String)] {
        let edited = declaration.editable.filter { record[Self.override($0)] != .null }
        let hidden = Set(
            declaration.hidden + declaration.computed.map(\.name) + declaration.editable.map(Self.override)
                + [Self.hasDetail])
        var shown: [(name: String, value: String)] = ItemColumns(declaration).badges(record).map { ("", $0) }
        for field in record.fields where !hidden.contains(field.name) {
            let isEdited = edited.contains(field.name)
            if field.value != .null || isEdited { shown.append((field.name, field.value.description)) }
            if isEdited {
                let name = Self.override(field.name)
                shown.append((name, record[name].description))
            }
        }
        return shown
    }
}

extension FieldDeclaration {
    /// Whether the value is the same for all rows of a list.
    var isOfParent: Bool { if case .parent = origin { true } else { false } }
}

extension Template {
    /// An address that is made of a row's fields; null when one of them is.
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

extension OutputValue {
    init(_ text: String?) { self = text.map(OutputValue.text) ?? .null }
    init(_ number: Int64?) { self = number.map(OutputValue.integer) ?? .null }
    init(_ isTrue: Bool?) { self = isTrue.map(OutputValue.bool) ?? .null }

    /// A list of texts is one in every format.
    init(_ value: ItemValue?) {
        self =
            switch value {
            case nil: .null
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .boolean(let isTrue): .bool(isTrue)
            case .time(let time): .text(time.description)
            case .json(let text): OutputValue.texts(text).map(OutputValue.list) ?? .json(text)
            }
    }

    /// The elements of a JSON array of texts; nil for any other JSON.
    private static func texts(_ json: String) -> [String]? {
        guard json.utf8.first == UInt8(ascii: "[") else { return nil }
        let bytes = Array(json.utf8)
        var reader = JSONReader(bytes.span.bytes)
        var texts: [String] = []
        do {
            try reader.beginArray()
            while try reader.nextElement() { texts.append(try reader.readString()) }
            try reader.finish()
        } catch {
            return nil
        }
        return texts
    }
}
