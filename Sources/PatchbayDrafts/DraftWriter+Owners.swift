import PatchbayCore
import PatchbayDomain

/// Fields with what distinguishes two lists of a resource: values of the parent and arguments.
extension DraftWriter {
    /// A field of the rows; its value is nil when the rows contain it themselves.
    typealias Owner = (name: String, value: String?)

    private static let timeWords: Set<String> = [
        "after", "at", "before", "date", "end", "from", "since", "start", "time", "to", "until",
    ]

    /// Whether a document's list has a key that no other list of the resource repeats for another row: an id of the
    /// row itself, or one by which the document finds a row without naming the list. A name, a number or the id of
    /// another object may be in many lists, each time of another row.
    private func isKeyOfAllLists(_ place: Int) -> Bool {
        let resource = resources[place]
        guard !resource.table.isKeyGuess else { return false }
        return resource.group.variables.isEmpty || resource.group.show != nil
            || resource.table.isKeyOwnID(resource.singular)
    }

    /// The fields that the key begins with.
    func keyOwners(_ place: Int) -> [Owner] {
        let table = resources[place].table
        guard table.key.isEmpty || resources[place].group.isDescribed && !isKeyOfAllLists(place) else {
            return []
        }
        let parent = parentField(place)
        var owners = parent.map { [$0] } ?? []
        var names = table
        if table.key.isEmpty { _ = names.takeName("place", .integer) }
        if let parent { _ = names.takeName(parent.name, .text) }
        var known: Set<String> = []
        for parameter in templates[place]?.parameters ?? [] where known.insert(parameter.description).inserted
        {
            switch parameter {
            case .field(let resource, let field):
                let name = resource.withHyphens, value = "{\(name).\(field.withHyphens)}"
                guard let at = resources.firstIndex(where: { $0.name == name }),
                    case let other = resources[at],
                    parent.map({ $0.value != nil && $0.value?.hasSuffix(value) != true }) ?? true
                else { continue }
                let type = type(of: field, at: at, before: place)
                let wanted = "\(other.singular)-\(field.withHyphens)"
                owners.append((names.takeName(wanted, type), "\(type.rawValue) \(value)"))
            case .argument(let argument):
                // A row is the same in every interval of time.
                guard Self.timeWords.isDisjoint(with: DraftWords.split(argument)),
                    // A secret is not stored. In a path, a name such as `accessKey` is that of a thing.
                    !DraftPath.mayBeCredential(argument)
                        || DraftWords.split(argument).last == "key"
                            && templates[place]?.isInPath(parameter) == true
                else { continue }
                owners.append((names.takeName(argument, .text), "text {\(argument)}"))
            case .handle, .key, .text, .after, .since, .until, .setting: continue
            }
        }
        return owners
    }

    /// The type of a field, which the rows of a resource contain or have from their own parent.
    private func type(of field: String, at place: Int, before child: Int) -> ValueType {
        if let found = resources[place].table.fields.first(where: { $0.name.withUnderscores == field }) {
            return found.type == .integer ? .integer : .text
        }
        let owner = place == child ? nil : ownerFields(place).first { $0.name.withUnderscores == field }
        return owner?.value?.hasPrefix(ValueType.integer.rawValue + " ") == true ? .integer : .text
    }

    /// The fields to declare: those of the key, and the key of the parent.
    func ownerFields(_ place: Int) -> [Owner] {
        let owners = keyOwners(place)
        return owners.isEmpty ? parentField(place).map { [$0] } ?? [] : owners
    }
}

extension Template {
    /// Whether a parameter is in the path, not in the query.
    fileprivate func isInPath(_ wanted: Parameter) -> Bool {
        for piece in pieces {
            switch piece {
            case .literal(let text) where text.contains("?"): return false
            case .parameter(let parameter) where parameter.description == wanted.description: return true
            default: continue
            }
        }
        return false
    }
}
