import PatchbayCore

extension Promise {
    static let reopen: [Promise] = []
}
