import PatchbayCore
import PatchbayDomain

// Replaced by former handles and kept edits.
extension Reading {
    func alias(_ handle: String, of resource: Resource) throws -> Key? { nil }
}

extension Writing {
    mutating func takeKeptEdits(of item: Item) throws -> [String: String?] { [:] }
}
