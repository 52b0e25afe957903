import PatchbayCore

extension Promise {
    static let snapshots: [Promise] = []
}
