extension Int64 {
    /// The sum, or the nearest number that an `Int64` can hold. For stored numbers, which may have any value.
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}
