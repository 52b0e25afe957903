import PatchbayCore

extension Row {
    /// Whether a part of a record is there: it was fetched, with or without values, or has a value that an import or
    /// another program wrote.
    func has<Value>(_ part: ClosedRange<Int>, fetched: Column<Value>) -> Bool {
        if !isNull(fetched.position) { return true }
        for position in part where !isNull(position) { return true }
        return false
    }
}
