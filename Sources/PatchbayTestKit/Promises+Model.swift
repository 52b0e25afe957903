import PatchbayCore

extension Promise {
    static let model: [Promise] = []
}
