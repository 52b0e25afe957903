import ArgumentParser
import Patchbay

/// Data to print in addition to the fields of rows.
enum Addition: Sendable {
    /// The keys of the rows that are favourites.
    case favourites(Set<Key>)
    case children(NewestChildren)

    func fields(of item: Item) -> [(name: String, value: OutputValue)] {
        switch self {
        case .favourites(let keys): [(Addition.favourite, .bool(keys.contains(item.key)))]
        case .children(let children): children.fields(of: item)
        }
    }

    static let favourite = "favourite"
}

/// `--with favourite`, `--with commits`.
struct AdditionOption: ParsableArguments {
    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "For each row, also print whether it is a \"favourite\", or its newest child, such as \"commits\".",
            valueName: "what"), completion: .additions)
    var word: String?

    /// Returns what is added to the rows of a resource.
    ///
    /// - Throws: `ValidationError` for a word that names nothing that could be added.
    func chosen(of declared: DeclaredResource) throws -> ChosenAddition {
        let children = CommandLineTool.declared.children(of: declared).map(\.declaration)
        let words = [Addition.favourite] + children.map(\.name)
        if let word, !words.contains(word) {
            throw ValidationError(EditDistance.unknown("addition", word, in: words))
        }
        return ChosenAddition(word: word, child: children.first { $0.name == word })
    }
}

/// What `--with` adds to the rows of a resource.
struct ChosenAddition {
    let word: String?
    let child: ResourceDeclaration?

    /// The names of the added fields.
    var names: [String] {
        switch word {
        case nil: []
        case Addition.favourite: [Addition.favourite]
        case .some: child.map(NewestChildren.names) ?? []
        }
    }

    /// Reads or fetches the data to add; nil when nothing was requested.
    func added(
        to items: [Item], in gateway: Gateway, _ policy: Policy, _ question: SourceQuestion?
    ) async throws -> Addition? {
        if let child {
            let resource = try gateway.resource(child.name)
            let children = try gateway.visibleChildren(resource, policy: policy)
            let newest = { @Sendable in
                await NewestChildren.fetched(resource.declaration, of: items, from: children)
            }
            if let question { return .children(await question.doing(newest)) }
            return .children(await newest())
        }
        return word == nil ? nil : .favourites(try await gateway.favourites(among: items))
    }
}

/// The newest children of the printed rows.
struct NewestChildren: Sendable {
    let declaration: ResourceDeclaration
    /// The children of the rows with these keys, as far as they have arrived.
    var answers: [Key: Answer<ItemList>] = [:]

    /// Requests the children of all rows, as many at a time as the source allows.
    static func fetched(
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
    func items(of parent: Item) -> [Item] { answers[parent.key]?.value?.items ?? [] }

    /// Returns the names of the printed fields: `commit_sha`, `commit_date`, `commit_message` and `commit_state`.
    static func names(_ declaration: ResourceDeclaration) -> [String] {
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

    func fields(of parent: Item) -> [(name: String, value: OutputValue)] {
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
    func words(of parent: Item) -> String? {
        answers[parent.key] == nil ? nil : column.value(OutputRecord(fields(of: parent)))
    }

    /// The column with the newest child's date and first line, or the reason why there is none.
    var column: TableColumn {
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
