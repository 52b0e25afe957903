import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbaySystem

extension Checkup {
    /// Ends a trial, so that nothing of its transaction is stored.
    private struct TrialEnd: Error {}

    /// Returns why nothing can be written to a storage that can be read, found by a transaction that is rolled back;
    /// nil if no reason is known.
    func obstacle(to chosen: ChosenStorage) async -> Check? {
        do {
            try await chosen.withStore(nil, .writing) { store in
                let lease = StoredLease(name: "trial", holder: "", token: "")
                let hasLeases = store.schema.collections.contains { $0.name == StoredLease.collection.name }
                try await store.write { writing in
                    if hasLeases { try writing.put(lease) }
                    throw TrialEnd()
                }
            }
        } catch is TrialEnd {
            // The rollback.
        } catch let error as PatchbayError where error.code == .busy {
            // Another process writes to it.
            return nil
        } catch {
            return unwritable(chosen, error)
        }
        return chosen.path.flatMap(fullDisk).map { unwritable(chosen, $0) }
    }

    /// Returns why a storage that does not exist cannot be created; nil if no reason is known.
    func obstacleToCreating(_ chosen: ChosenStorage) -> Check? {
        guard var folder = chosen.path else { return nil }
        while !FileSystem.isTaken(folder) { folder = FileSystem.parent(of: folder) }
        let denial = FileSystem.obstacleToWriting(folder).map {
            PatchbayError.system($0.number, "nothing can be created in \"\(folder)\"")
        }
        return (denial ?? fullDisk(folder)).map { unwritable(chosen, $0) }
    }

    /// A transaction that is rolled back does not find a full disk.
    private func fullDisk(_ path: String) -> PatchbayError? {
        guard DiskSpace.isUsedUp(forFileAt: path) else { return nil }
        return PatchbayError(
            .storageFull, "the disk or the limit on the size of files (ulimit -f) has less than 1 MiB left")
    }

    private func unwritable(_ chosen: ChosenStorage, _ reason: any Error) -> Check {
        let code = (reason as? PatchbayError)?.code ?? .internalError
        return .fail(
            "storage",
            PatchbayError(
                code, "fetched rows and edits cannot be saved in \(chosen.name)", cause: reason))
    }
}
