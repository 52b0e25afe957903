import PatchbayCore

/// The properties that distinguish statements on one collection; equal shapes share a prepared statement.
struct StatementShape: Equatable {
    enum Kind: Equatable { case rows, count, countUpToLimit, put, delete, deleteAll }

    /// How a segment limits the part after its equal ones.
    enum Comparison: Equatable { case none, exclusive, inclusive }

    var kind: Kind
    /// The position of the index in the collection's declaration; nil for the primary key.
    var index: Int?
    var isDescending = false
    var equalCount = 0
    var lower = Comparison.none
    var upper = Comparison.none
    /// The selected fields.
    var fields = FieldSet()

    init(_ kind: Kind) { self.kind = kind }

    /// Creates the shape of a statement for the row with a given primary key.
    init(_ kind: Kind, keyCount: Int, fields: FieldSet) {
        self.kind = kind
        self.equalCount = keyCount
        self.fields = fields
    }

    init(
        _ kind: Kind, _ segment: Segment, index: Int?, isDescending: Bool = false,
        fields: FieldSet = FieldSet()
    ) {
        self.kind = kind
        self.index = index
        self.isDescending = isDescending
        self.equalCount = segment.equal.count
        self.lower = Comparison(segment.lower)
        self.upper = Comparison(segment.upper)
        self.fields = fields
    }
}

extension StatementShape.Comparison {
    fileprivate init(_ limit: Segment.Limit?) {
        guard let limit else {
            self = .none
            return
        }
        self = limit.isInclusive ? .inclusive : .exclusive
    }
}
