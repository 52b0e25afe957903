public import PatchbayCore

// Stands in for the reading of definitions until it is merged.
extension Definition {
    public static func reading(
        path: String, bytes: [UInt8]
    ) -> (definition: Definition?, faults: [PatchbayError]) { (nil, []) }
}
