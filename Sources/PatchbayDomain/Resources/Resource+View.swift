import PatchbayCore

/// What a client may see of a resource's rows.
package struct ViewRights: Sendable {
    /// The names of the fields; nil for all. Those of the key and the handle, which name a row, are always among them.
    package var fields: Set<String>?
    /// Whether local edits are visible.
    package var showsEdits: Bool
    /// The resources of the same source that the client sees, to whose rows lists may belong.
    package var parents: Set<String>

    /// Creates the rights to some fields or all.
    package init(fields: Set<String>?, showsEdits: Bool, parents: Set<String>) {
        self.fields = fields
        self.showsEdits = showsEdits
        self.parents = parents
    }
}

extension Resource {
    /// The resource as a client with fewer rights sees it: a declaration of fewer fields over the same collection, so
    /// that what is not in it cannot be named. The resource itself if nothing is hidden.
    ///
    /// A view with chosen fields has no lists, details and searches, because what a source returns for them, and in
    /// which order, may depend on hidden fields. It has no edits.
    package func view(_ rights: ViewRights) -> Resource {
        var seen = declaration
        if !rights.showsEdits || rights.fields != nil { seen.editable = [] }
        seen.lists.removeAll { list in list.template.parent.map { !rights.parents.contains($0) } ?? false }
        if let fields = rights.fields { seen.restrict(to: fields) }
        let isSame =
            rights.fields == nil && seen.editable == declaration.editable && seen.lists == declaration.lists
        return isSame ? self : Resource(seen, of: self)
    }

    private convenience init(_ declaration: ResourceDeclaration, of full: Resource) {
        let names = Set(declaration.fields.map(\.name)), keepsEdits = Set(declaration.editable)
        var positions: Set<Int> = [full.changeNumberPosition]
        for field in full.fields where names.contains(field.name) {
            positions.insert(field.position)
            // A folded title is that of the edit.
            let isEdited = field.overridePosition != nil && !keepsEdits.contains(field.name)
            if let place = field.foldedPosition, !isEdited { positions.insert(place) }
            if let place = field.overridePosition, !isEdited { positions.insert(place) }
        }
        self.init(
            declaration, api: full.api, full.collection, handleIndex: full.handleIndex,
            visible: full.collection.indexes.filter { index in
                index.parts.allSatisfy { positions.contains($0.position) }
            })
    }
}

extension ResourceDeclaration {
    /// Removes other fields than these and those of the key and the handle, and everything that depends on them.
    fileprivate mutating func restrict(to names: Set<String>) {
        let kept = names.union(key).union(handle.map { [$0.field] } ?? [])
        func isKept(_ name: String) -> Bool { kept.contains(name) }
        fields = fields.filter { isKept($0.name) }
        title = title.filter(isKept)
        picture = picture.flatMap { isKept($0) ? $0 : nil }
        columns = columns.compactMap { column in
            var column = column
            column.fields = column.fields.filter(isKept)
            return column.fields.isEmpty ? nil : column
        }
        indexes = []
        lists = []
        show = nil
        search = nil
        order = order.flatMap { isKept($0) ? $0 : nil }
        within = within.flatMap { isKept($0) ? $0 : nil }
        unsure = nil
        since = nil
        changedAt = nil
        hidden = hidden.filter(isKept)
        website = website.flatMap { isKept($0) ? $0 : nil }
        favourite = favourite.filter(isKept)
        find = find.filter(isKept)
    }
}

extension Item {
    /// The row as a client sees it through a view of its resource.
    package func seen(as view: Resource) -> Item {
        precondition(resource.collection === view.collection, "a view of another resource")
        return resource === view ? self : Item(bytes: bytes, known: .all, of: view)
    }
}
