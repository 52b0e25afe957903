package import PatchbayCore
package import PatchbayDomain

/// The state of the stored rows of a resource. Equal states of two transactions mean that no row was changed, added or
/// removed between them.
package struct RowsState: Hashable, Sendable {
    private let incarnation: String?
    /// The change number of the row that changed last.
    private let number: Int64?
    private let clearings: Int64

    fileprivate init(of resource: Resource, in reading: borrowing Reading) throws {
        incarnation = try reading.incarnation()?.id
        clearings = try reading.clearings(of: resource)
        let place = resource.changeNumberPosition
        var last = Query(resource.collection, by: resource.changeIndex)
        (last.order, last.limit, last.fields) = (.descending, 1, FieldSet(positions: [place]))
        var number: Int64?
        try reading.scan(last) { row in
            number = row.isNull(place) ? nil : row.integer(place)
            return .stop
        }
        self.number = number
    }
}

extension Reading {
    /// The state of the stored rows of a resource.
    package func rowsState(of resource: Resource) throws -> RowsState {
        try RowsState(of: resource, in: self)
    }
}
