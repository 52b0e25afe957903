import PatchbayCore

extension Promise {
    static let values: [Promise] = []
}
