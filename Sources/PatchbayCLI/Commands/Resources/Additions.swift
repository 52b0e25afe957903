import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What is printed of rows beside themselves.
enum Addition: Sendable {
    /// Which rows are favourites.
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
struct AdditionOption<Place: ResourcePlace>: DeclaredArguments {
    private(set) var word: String?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        word = try container.decode(Option<String?>.self, forKey: OptionWord("with")).wrappedValue
    }

    static var declared: [(word: String, option: Any)] {
        let words = words
        let children = words.dropFirst().map { "its newest \"\($0)\"" }
        let what = (["whether it is a \"favourite\""] + children).joined(separator: ", or ")
        let help =
            "Add to each \(Place.declaration.singular) \(what). (values: \(words.joined(separator: ", ")))"
        let option = Option<String?>(
            name: .customLong("with"), help: ArgumentHelp(help), completion: .list(words)
        ) {
            guard words.contains($0) else {
                throw ValidationError(
                    "\"\($0)\" cannot be added; take one of \(words.joined(separator: ", "))")
            }
            return $0
        }
        return [("with", option)]
    }

    private static var words: [String] { [Addition.favourite] + children.map(\.name) }

    private static var children: [ResourceDeclaration] {
        CommandLineTool.declared.children(of: Place.resource).map(\.declaration)
    }

    /// The names of the added fields.
    var names: [String] {
        switch word {
        case nil: []
        case Addition.favourite: [Addition.favourite]
        case .some: child.map(NewestChildren.names) ?? []
        }
    }

    private var child: ResourceDeclaration? { Self.children.first { $0.name == word } }

    /// Asks for what is to be added.
    func added(
        to items: [Item], in gateway: Gateway, _ policy: Policy, _ question: SourceQuestion?
    ) async throws -> Addition? {
        if let child {
            let resource = try gateway.resource(child.name)
            let children = try gateway.visibleChildren(resource, policy: policy)
            let newest = { @Sendable in
                await NewestChildren(resource.declaration, of: items, from: children)
            }
            if let question { return .children(await question.doing(newest)) }
            return .children(await newest())
        }
        return word == nil ? nil : .favourites(try await gateway.favourites(among: items))
    }
}

/// The newest rows that belong to the rows that are printed, to print beside them.
struct NewestChildren: Sendable {
    let declaration: ResourceDeclaration
    private let answers: [Key: Answer<ItemList>]

    /// Asks for those of all rows, as many at the same time as the source takes.
    init(_ declaration: ResourceDeclaration, of items: [Item], from children: VisibleChildren) async {
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
        self.declaration = declaration
        self.answers = answers
    }

    /// The children of a row; none when there are none or nobody knows.
    func items(of parent: Item) -> [Item] { answers[parent.key]?.value?.items ?? [] }

    /// What is printed of the newest: `commit_sha`, `commit_date`, `commit_message`, and `commit_state`.
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

    /// `stored`, `fresh` or `unchanged`; `none` for a row without children; else why they are not known.
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

    /// The column of the newest: its first line, or why there is none.
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
