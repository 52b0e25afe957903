package import Patchbay

/// The newest children of the printed rows.
package struct NewestChildren: Sendable {
    package let declaration: ResourceDeclaration
    /// The children of the rows with these keys, as far as they have arrived.
    package var answers: [Key: Answer<ItemList>] = [:]

    /// Requests the children of all rows, as many at a time as the source allows.
    package static func fetched(
        _ declaration: ResourceDeclaration, of items: [Item], from children: VisibleChildren
    ) async -> NewestChildren {
        var answers: [Key: Answer<ItemList>] = [:]
        var seen: Set<Key> = []
        let distinct = items.filter { seen.insert($0.key).inserted }
        for start in stride(from: 0, to: distinct.count, by: VisibleChildren.visibleMax) {
            let visible = Array(distinct[start...].prefix(VisibleChildren.visibleMax))
            await children.show(visible)
            for await arrival in children.arrivals {
                answers[arrival.parent.key] = arrival.answer
                if answers.count == start + visible.count { break }
            }
        }
        await children.close()
        return NewestChildren(declaration: declaration, answers: answers)
    }

    /// Returns the children of a row; empty when there are none or they are unknown.
    package func items(of parent: Item) -> [Item] { answers[parent.key]?.value?.items ?? [] }

    /// Returns the names of the printed fields: `commit_sha`, `commit_date`, `commit_message` and `commit_state`.
    package static func names(_ declaration: ResourceDeclaration) -> [String] {
        let fields = fields(declaration)
        return [fields.id, "date", fields.title, "state"].map { "\(declaration.singular)_\($0)" }
    }

    private static func fields(_ declaration: ResourceDeclaration) -> (
        id: String, date: String?, title: String
    ) {
        let id = declaration.handle?.field ?? declaration.key.last ?? "key"
        let columns = ItemColumns(declaration), shown = columns.declared.flatMap(\.fields)
        let date = declaration.since?.field ?? shown.first { columns.type($0) == .time }
        let title = declaration.title.first ?? shown.last { columns.type($0) == .text }
        return (id, date, title ?? id)
    }

    package func fields(of parent: Item) -> [(name: String, value: OutputValue)] {
        let newest = items(of: parent).first
        let fields = Self.fields(declaration)
        let values = [
            OutputValue(newest?[fields.id]), OutputValue(fields.date.flatMap { newest?[$0] }),
            OutputValue(newest?[fields.title]), .text(state(of: parent)),
        ]
        return zip(Self.names(declaration), values).map { ($0, $1) }
    }

    /// Returns `stored`, `fresh` or `unchanged`; `none` for a row without children; else why they are unknown.
    private func state(of parent: Item) -> String {
        guard let answer = answers[parent.key] else { return "not asked" }
        if answer.value?.items.isEmpty == true { return "none" }
        return switch answer.outcome {
        case .stored, .localOnly: answer.value == nil ? "not stored" : "stored"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed(let error): error.message
        }
    }

    /// Returns the newest child's date and first line, or the reason why there is none; nil before they have arrived.
    package func words(of parent: Item) -> String? {
        answers[parent.key] == nil ? nil : column.value(OutputRecord(fields(of: parent)))
    }

    /// The column with the newest child's date and first line, or the reason why there is none.
    package var column: TableColumn {
        let names = Self.names(declaration), plural = declaration.plural
        return TableColumn("newest \(declaration.singular)", isElastic: true) { record in
            guard record[names[0]] != .null else {
                return record[names[3]] == .text("none")
                    ? "no \(plural)" : "(\(record[names[3]].description))"
            }
            let date = record[names[1]].description.prefix(10)
            return "\(date) \(record[names[2]].description.prefix { !$0.isNewline })"
        }
    }
}
