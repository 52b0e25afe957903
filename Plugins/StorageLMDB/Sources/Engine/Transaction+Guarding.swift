import PatchbayCore

extension Transaction {
    /// Runs a read, then checks that the snapshot was intact throughout.
    func guarding<Result>(_ body: () throws -> Result) throws -> Result {
        let result: Result
        do {
            result = try body()
        } catch let error as PatchbayError {
            try environment.checkStands(snapshot)
            throw error
        }
        try environment.checkStands(snapshot)
        return result
    }
}
