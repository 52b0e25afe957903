import PatchbayCore

extension Promise {
    static let processes: [Promise] = []
}
