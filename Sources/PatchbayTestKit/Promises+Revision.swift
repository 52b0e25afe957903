import PatchbayCore

extension Promise {
    static let revision: [Promise] = []
}
