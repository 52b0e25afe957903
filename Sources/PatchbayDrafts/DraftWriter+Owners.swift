import PatchbayCore
import PatchbayDomain

/// Fields with what distinguishes two lists of a resource: values of the parent and arguments.
extension DraftWriter {
    /// A field of the rows; its value is nil when the rows contain it themselves.
    typealias Owner = (name: String, value: String?)

    private static let timeWords: Set<String> = [
        "after", "at", "before", "date", "end", "from", "since", "start", "time", "to", "until",
    ]

    /// The fields that the key begins with.
    func keyOwners(_ place: Int) -> [Owner] {
        let table = resources[place].table
        // A key that the document names is valid in all lists; a guess or a place may not be.
        let isDoubtful = table.key.isEmpty || table.isKeyGuess && resources[place].group.isDescribed
        guard isDoubtful else { return [] }
        let parent = parentField(place)
        var owners = parent.map { [$0] } ?? []
        var names = table
        if table.key.isEmpty { _ = names.takeName("place", .integer) }
        if let parent { _ = names.takeName(parent.name, .text) }
        var known: Set<String> = []
        for parameter in templates[place]?.parameters ?? [] where known.insert(parameter.description).inserted
        {
            let value = "{\(parameter.description)}"
            switch parameter {
            case .field(let resource, let field):
                let name = resource.withHyphens
                guard let other = resources.first(where: { $0.name == name }),
                    parent.map({ $0.value != nil && $0.value?.hasSuffix(value) != true }) ?? true
                else { continue }
                let found = other.table.fields.first { $0.name.withUnderscores == field }
                let type: ValueType = found?.type == .integer ? .integer : .text
                let wanted = "\(other.singular)-\(field.withHyphens)"
                owners.append((names.takeName(wanted, type), "\(type.rawValue) \(value)"))
            case .argument(let argument):
                // A row is the same in every interval of time.
                guard Self.timeWords.isDisjoint(with: DraftWords.split(argument)) else { continue }
                owners.append((names.takeName(argument, .text), "text \(value)"))
            case .handle, .key, .text, .after, .since, .until, .setting: continue
            }
        }
        return owners
    }

    /// The fields to declare: those of the key, and the key of the parent.
    func ownerFields(_ place: Int) -> [Owner] {
        let owners = keyOwners(place)
        return owners.isEmpty ? parentField(place).map { [$0] } ?? [] : owners
    }
}
