import PatchbayCore
import PatchbayDomain

extension Writing {
    mutating func put(_ rows: some Sequence<Item>) throws {
        for row in rows { try row.withRow { try put($0, in: row.resource.collection) } }
    }
}
