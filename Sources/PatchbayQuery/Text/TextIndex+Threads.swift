import PatchbayCore

extension TextIndex {
    /// The threads of this process on which searches and updates wait for files. A test, which runs beside others that
    /// search for long, binds threads with more patience.
    @TaskLocal static var sharedThreads = threads(patience: .seconds(10))
    /// The maximum number of threads, and of open files of an index.
    static let threadsMax = 4

    /// Threads for searches.
    ///
    /// - Parameter patience: how long a search waits for one of them.
    static func threads(patience: Duration) -> StorageThreads {
        StorageThreads(threadsMax: threadsMax, patience: patience, of: "searches have been running")
    }
}
