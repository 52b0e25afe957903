/// Decides when a connection reads the file through its memory map.
///
/// Look-ups are faster with the map, which keeps all pages at hand without copying them. A long walk in the order of
/// the rows is faster without it: the system copies a page faster than the processor fetches its parts one by one from
/// memory, and no page has to be mapped (1,000,000 rows in 800 MB take 215 ms instead of 345, or 300 if all pages are
/// mapped already).
struct MapUse {
    private unowned let connection: Connection
    /// Whether the connection may use the map at all.
    private let canMap: Bool
    /// Whether reads may go through the map now.
    private(set) var isMapped: Bool
    /// The rows of walks in the order of the rows since the last look-ups, in this transaction.
    private var inOrder = 0
    /// The look-ups since the last walk.
    private var lookUps = 0
    /// The rows that walks and counts have visited through the map since the file was mapped.
    private var mappedRows = 0

    /// The number of rows from which on a walk is long.
    static let longWalk = 4_096
    /// A few look-ups between the parts of a walk, such as those of a table whose rows are known by then.
    private static let fewLookUps = 16
    /// The number of rows after which the file is mapped again. This releases the pages of the old map, which count as
    /// memory of this process; otherwise a walk in batches would use as much memory as the file is large.
    private static let rowsBetweenMaps = 131_072

    /// - Parameter canMap: whether the connection has mapped the file, and reads only.
    init(_ connection: Connection, canMap: Bool) {
        self.connection = connection
        self.canMap = canMap
        isMapped = canMap
    }

    /// Prepares a look-up, or a walk that leads to rows in any order.
    @inline(__always)
    mutating func lookUp() {
        if isMapped, lookUps > MapUse.fewLookUps { return }
        lookUps += 1
        guard lookUps > MapUse.fewLookUps else { return }
        inOrder = 0
        if canMap, !isMapped { isMapped = connection.limitMap(bytesMax: ConnectionOptions.mappedBytesMax) }
    }

    /// Prepares a walk in the order of the rows, or a part of it.
    mutating func walk(isLong: Bool = false) {
        if lookUps > MapUse.fewLookUps { inOrder = 0 }
        lookUps = 0
        guard isMapped, isLong || inOrder >= MapUse.longWalk else { return }
        isMapped = connection.limitMap(bytesMax: 0)
        if !isMapped { mappedRows = 0 }
    }

    /// Adds rows that were visited.
    mutating func add(_ rows: Int, inOrder isInOrder: Bool) {
        if isInOrder { inOrder += rows }
        if isMapped { mappedRows += rows }
    }

    /// Ends a transaction.
    mutating func end() {
        inOrder = 0
        guard mappedRows >= MapUse.rowsBetweenMaps else { return }
        mappedRows = 0
        isMapped = connection.limitMap(bytesMax: 0)
        isMapped = connection.limitMap(bytesMax: ConnectionOptions.mappedBytesMax)
    }
}
