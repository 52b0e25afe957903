import PatchbayCore

extension Promise {
    static let migration: [Promise] = []
}
