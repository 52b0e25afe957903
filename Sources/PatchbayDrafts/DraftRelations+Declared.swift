import PatchbayCore
import PatchbayDomain

extension DraftResource {
    /// The list's own path followed by a variable, as a document of the API declares it, or a shorter path with the
    /// same noun: `/comments/{id}` for `/posts/{post_id}/comments`.
    func declaredTemplate(_ address: HTTPAddress, _ key: [String]?) -> (String, handle: [String]?)? {
        let parts = DraftGroup.parts(of: address), fixed = parts.dropLast()
        guard let last = parts.last, let name = last.name, fixed.allSatisfy({ $0.values == nil }),
            let noun = fixed.last, let own = group.parts.last, noun.isLike(own),
            !group.variables.isEmpty || fixed.elementsEqual(group.parts, by: { $0.isLike($1) }),
            let place = table.place(of: name), place == key || !table.isNullable(place)
        else { return nil }
        let path = DraftPath.fixed(fixed.map(\.text)) + "/" + last.before
        let end = last.after + (parts.count < address.segments.count ? "/" : "")
        if place == key, table.handle != nil { return (path + "{key}" + end, nil) }
        return (path + "{handle}" + end, place == key ? nil : place)
    }
}

extension DraftRelations {
    /// Finds the list with the longest path by which the child's begins, and whose rows contain the variables: the next
    /// part is the row's own key, and earlier ones are known from the row's own parent.
    ///
    /// - Parameter places: the resources by the stems of their paths.
    mutating func findDeclaredParent(of child: Int, in places: [[String]: [Int]]) {
        let segments = resources[child].group.segments, stems = DraftRelations.stems(segments)
        let candidates = segments.indices.reversed().filter { segments[$0].isDeclared }.flatMap { count in
            places[Array(stems[..<count])] ?? []
        }
        for other in candidates {
            let parent = resources[other], place = parent.group.parts.count
            guard let name = segments[place].name, let path = parent.table.place(of: name),
                DraftRelations.mayName(name, DraftGroup.nouns(of: parent.group.segments).last ?? "")
            else { continue }
            let inherited = Set(parent.group.variables)
            guard inherited.isEmpty || areKey(inherited, ofParentOf: parent) else { continue }
            resources[child].parent = (other, [place: path])
            resources[child].inherited = inherited
            return
        }
    }

    /// The parts of a path as they are compared: all variables are equal, and `.json` does not count.
    static func stems(_ parts: some Sequence<DraftGroup.Segment>) -> [String] {
        parts.map { $0.isDeclared ? "{}" : String($0.stem) }
    }

    /// Whether all variables of a resource's path take the key of its parent.
    private func areKey(_ variables: Set<Int>, ofParentOf resource: DraftResource) -> Bool {
        guard let parent = resource.parent, resource.inherited.isEmpty else { return false }
        let key = resources[parent.place].table.key.first
        return Set(parent.paths.keys) == variables && parent.paths.values.allSatisfy { $0 == key }
    }

    /// Whether a variable may name a row of a list: `{id}`, `{pet_id}` and `{username}` do after `/pets` or `/users`,
    /// but `{workspace}` does not after `/repositories`.
    private static func mayName(_ variable: String, _ noun: String) -> Bool {
        let words = DraftWords.split(variable)
        // Ends of words, not words: `petId` is split, but `petid` and `username` are not.
        let isID = ["id", "key", "slug", "number", "code", "sha", "name", "login", "handle"].contains {
            words.last?.hasSuffix($0) == true
        }
        let last = EnglishNoun.singular(DraftWords.split(noun).last ?? "")
        return isID || words.joined().hasPrefix(last) || last.hasPrefix(words[0])
    }
}
