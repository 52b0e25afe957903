import PatchbayCore

extension Transaction {
    /// Runs what reads, and checks afterwards that the snapshot was whole all the time.
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
