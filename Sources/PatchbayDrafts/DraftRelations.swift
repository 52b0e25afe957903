import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// A resource being drafted.
struct DraftResource {
    var group: DraftGroup
    var table: DraftTable
    let name: String
    /// The resource to whose rows the lists belong, and the place in these rows of each variable's value.
    var parent: (place: Int, paths: [Int: [String]])?
    /// The variables whose value is the key of the parent's own parent.
    var inherited: Set<Int> = []
    /// Whether the key is unique only among the rows of one parent.
    var isKeyOfParent = false

    var singular: String { EnglishNoun.singular(name) }

    /// The address of a row and the row itself, if an answer is one row of this resource, and the field that names it.
    fileprivate func show(
        _ sample: DraftSample, at address: HTTPAddress
    ) -> (show: DraftShow, row: JSONValue, handle: [String]?)? {
        let isList = group.samples.contains { other in
            other.address?.origin == address.origin && other.address?.segments == address.segments
        }
        if isList { return nil }
        let bodies =
            [(JSONPath.whole, sample.body)]
            + sample.body.members.filter(\.value.isObject).map { (JSONPath([.member($0.name)]), $0.value) }
        for (path, row) in bodies where isLike(row) && RowPlaces.isSpelled(path) {
            if let (template, handle) = template(sample, at: address, row) {
                return (DraftShow(template: template, row: path), row, handle)
            }
        }
        return nil
    }

    /// Whether an object has most of the members of the rows.
    private func isLike(_ row: JSONValue) -> Bool {
        let own = table.survey.columns.filter { $0.path.count == 1 }
        return !own.isEmpty && own.count { row[$0.path[0]] != nil } * 2 > own.count
    }

    /// The address with a parameter in place of the value that names the row.
    private func template(
        _ sample: DraftSample, at address: HTTPAddress, _ row: JSONValue
    ) -> (String, handle: [String]?)? {
        let key = table.key.count == 1 ? table.key.first : nil
        let segments = address.segments
        if group.isDescribed { return declaredTemplate(address, key) }
        let unique = table.survey.columns.filter { column in
            column.path.count == 1 && column.isKey(of: table.survey.rowCount)
                && [.integer, .text].contains(DraftField(column).type)
        }
        for path in [table.handle, key].compactMap(\.self) + unique.map(\.path) {
            guard let word = row.word(at: path), !word.isEmpty else { continue }
            let isHandle = path == table.handle || path != key || table.handle == nil
            let parameter = isHandle ? "{handle}" : "{key}", handle = isHandle && path != key ? path : nil
            let parts = word.split(separator: "/", omittingEmptySubsequences: false).count
            var arguments = DraftArguments()
            if parts <= segments.count - 1,
                segments.suffix(parts).map({ PercentEncoding.decoded($0) }).joined(separator: "/") == word
            {
                let path = DraftPath.fixed(segments.dropLast(parts))
                return ("\(path)/\(parameter)" + DraftPath.query(sample, without: [], &arguments), handle)
            }
            if let item = sample.parameters.first(where: { $0.value == word }) {
                let query = DraftPath.query(sample, without: [item.name], &arguments)
                let separator = query.isEmpty ? "?" : "&"
                return (
                    "\(DraftPath.fixed(segments))\(query)\(separator)"
                        + "\(PercentEncoding.segment(item.name))=\(parameter)", handle
                )
            }
        }
        return nil
    }
}

/// Finds the relations between lists and single rows.
struct DraftRelations {
    var resources: [DraftResource]
    /// Addresses of answers that no resource uses.
    private(set) var unused: [String] = []

    /// - Parameter names: returns a name for the rows of a list, made of the given number of parts of its address.
    init(_ samples: [DraftSample], rows: JSONPath?, names: (_ list: DraftGroup, _ parts: Int) -> String) {
        // An object with its key in the address may contain arrays. It is a row if a list has such rows.
        var lists = DraftGroup.all(in: samples, rows: rows)
        if lists.isEmpty { lists = DraftGroup.all(in: samples, rows: rows, includesRows: true) }
        resources = []
        for (group, name) in zip(lists, DraftRelations.uniqueNames(of: lists, names)) {
            let table = DraftTable(group, noun: EnglishNoun.singular(name))
            resources.append(DraftResource(group: group, table: table, name: name))
        }
        if rows == nil { attachDetails(samples) }
        findParents()
    }

    private static let partsMax = 3

    /// The names of lists. Of those with the same last part, the one with the shortest address has the shortest name.
    /// No list is named like one row of another list, because people may write either.
    private static func uniqueNames(
        of lists: [DraftGroup], _ names: (_ list: DraftGroup, _ parts: Int) -> String
    ) -> [String] {
        var chosen = lists.map { _ in "" }, taken: Set<String> = [], numbers: [String: Int] = [:]
        for place in lists.indices.ordered(by: { [lists[$0].variables.count, lists[$0].segments.count] }) {
            let wanted = (1...partsMax).map { names(lists[place], $0) }
            var name = wanted.first { !taken.contains(EnglishNoun.singular($0)) } ?? wanted[0]
            while !taken.insert(EnglishNoun.singular(name)).inserted {
                numbers[wanted[0], default: 1] += 1
                name = "\(wanted[0])-\(numbers[wanted[0], default: 1])"
            }
            chosen[place] = name
        }
        return chosen
    }

    /// Attaches answers that are one row of a list.
    private mutating func attachDetails(_ samples: [DraftSample]) {
        // The rows of a document's short path are those of its shortest list.
        let order = resources.indices.ordered { [variables(of: $0)] }
        let ofLastPart = Dictionary(grouping: order) { resources[$0].group.parts.last?.stem }
        let listed = Set(resources.flatMap(\.group.samples).compactMap(\.address))
        for sample in samples where sample.body.isObject {
            guard let address = sample.address else { continue }
            let list = DraftGroup.parts(of: address).dropLast()
            let likely = sample.isDescribed ? ofLastPart[list.last?.stem] ?? [] : order
            let found = likely.lazy.compactMap { [resources] place in
                resources[place].show(sample, at: address).map { (place, $0) }
            }.first
            guard let (place, (show, row, handle)) = found else {
                if !listed.contains(address) { unused.append(address.path.withBraces) }
                continue
            }
            let isFirst = resources[place].group.show == nil
            if isFirst { resources[place].group.show = show }
            // A document's other addresses of one row may take another value.
            if let handle, isFirst || !sample.isDescribed { resources[place].table.setHandle(handle) }
            resources[place].group.details.append(row)
        }
        // Removes lists that were created because a single row contains an array.
        let shown = Set(resources.flatMap { $0.group.details.map(\.identity) })
        resources.removeAll { resource in
            resource.group.show == nil
                && resource.group.samples.allSatisfy { shown.contains($0.body.identity) }
        }
        for place in resources.indices where !resources[place].group.details.isEmpty {
            let (resource, handle) = (resources[place], resources[place].table.handle)
            resources[place].table = DraftTable(resource.group, noun: resource.singular)
            if let handle { resources[place].table.setHandle(handle) }
        }
    }

    /// Finds resources whose rows contain the variables of other resources' paths.
    private mutating func findParents() {
        let described = resources.indices.filter { resources[$0].group.isDescribed }
        let places = Dictionary(grouping: described) { DraftRelations.stems(resources[$0].group.parts) }
        for child in described.ordered(by: { [depth(of: $0)] }) {
            findDeclaredParent(of: child, in: places)
        }
        for child in resources.indices where !resources[child].group.isDescribed {
            let segments = resources[child].group.segments
            let candidates = resources.indices.filter {
                $0 != child && resources[$0].group.segments.count < segments.count
            }
            let found = candidates.map { ($0, matches(child, $0)) }.filter { !$0.1.isEmpty }
            guard let (parent, paths) = found.max(by: { $0.1.count < $1.1.count }) else {
                noteArgument(of: child, after: candidates)
                continue
            }
            resources[child].parent = (parent, paths)
            for place in paths.keys where segments[place].values == nil {
                resources[child].group.segments[place].values = [segments[place].decoded]
            }
            requireKeys(of: child)
        }
    }

    private func variables(of resource: Int) -> Int {
        resources[resource].group.isDescribed ? resources[resource].group.variables.count : 0
    }

    func depth(of resource: Int) -> Int { resources[resource].group.segments.count }

    /// Turns the part between the path of another list and a last part into an argument, because it names something
    /// unknown.
    private mutating func noteArgument(of child: Int, after candidates: [Int]) {
        let segments = resources[child].group.segments
        for other in candidates.map({ resources[$0].group.segments }) {
            guard other.count < segments.count - 1, segments.starts(with: other),
                segments[other.count].values == nil
            else { continue }
            resources[child].group.segments[other.count].values = [segments[other.count].decoded]
            return
        }
    }

    /// The places in a parent's rows that provide parts of a child's path.
    private func matches(_ child: Int, _ parent: Int) -> [Int: [String]] {
        let (group, other) = (resources[child].group, resources[parent])
        let isBelow = zip(group.segments, other.group.segments).allSatisfy { $0.text == $1.text }
        var paths: [Int: [String]] = [:]
        for place in group.segments.indices.dropFirst() {
            let segment = group.segments[place]
            let values = segment.values ?? [segment.decoded]
            if values.isEmpty { continue }
            // A single value may equal a word of the address by chance.
            let isSure =
                segment.values != nil
                || isBelow && place == other.group.segments.count && place < group.segments.count - 1
                || segment.text.count > 1 && segment.text.contains(where: \.isNumber)
                    && !segment.text.hasPrefix("v")
            guard isSure else { continue }
            let names = other.table.key + [other.table.handle].compactMap(\.self)
            let texts = other.table.survey.leaves.filter { Set($0.counts.keys) == [.text] }
            let unique = texts.filter { $0.isKeyInAnswers(of: other.table.survey.rowCount) }
            paths[place] = (names + unique.map(\.path) + texts.map(\.path)).first { path in
                values.isSubset(of: other.table.words(at: path))
            }
        }
        return paths
    }

    /// Adds the parent's key to ids that are unique only among the rows of one parent.
    private mutating func requireKeys(of child: Int) {
        let isUnique = resources[child].table.isKeyNamed(resources[child].singular)
        guard !isUnique || resources[child].table.isKeyRepeated else { return }
        let surveys = resources[child].group.answersByAddress.map { RowSurvey($0) }.filter { $0.rowCount > 0 }
        let (table, noun) = (resources[child].table, resources[child].singular)
        let unique = table.survey.columns.first { column in
            table.isNamedLikeKey(column.path, noun) && [.integer, .text].contains(DraftField(column).type)
                && surveys.allSatisfy { survey in
                    survey[column.path].map { $0.isKeyInAnswers(of: survey.rowCount) } ?? false
                }
        }
        guard let unique else { return }
        resources[child].table.setKey(unique.path)
        resources[child].isKeyOfParent = true
    }
}

extension JSONValue {
    /// The members' names and scalars, which identify the same object elsewhere.
    fileprivate var identity: [String] { members.map { "\($0.name)=\($0.value.word ?? "")" } }
}
