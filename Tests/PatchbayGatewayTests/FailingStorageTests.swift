import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

@Suite("A storage that fails on command")
struct FailingStorageTests {
    private func fixture(_ plan: FaultPlan<FailingStorage.Operation>) async throws -> ResourceFixture {
        try await ResourceFixture(storage: FailingStorage(MemoryStorage(), plan))
    }

    @Test(
        "a sync reports each disk failure and resumes after it, whichever operation fails",
        arguments: [FailingStorage.Operation.read, .write, .put, .commit])
    func everyOperation(_ operation: FailingStorage.Operation) async throws {
        let counting = FaultPlan<FailingStorage.Operation>()
        let counted = try await fixture(counting), opened = counting.count(of: operation)
        _ = try await counted.gateway.syncPeople().run()
        let count = counting.count(of: operation)
        #expect(count > opened + 2)
        for number in (opened + 1)...count {
            let plan = FaultPlan<FailingStorage.Operation>()
            let fixture = try await fixture(plan)
            plan.fail(operation, at: number, with: PatchbayError(.storageFull, "the disk is full"))
            guard case (.failed(let error), _) = try await fixture.gateway.syncPeople().run() else {
                Issue.record("\(operation) \(number) failed, and the sync did not")
                continue
            }
            #expect(error.code == .storageFull)
            #expect(try await fixture.gateway.syncPeople().run().0.word == "complete")
            #expect(try await fixture.stored().map(\.id) == Array(1...50), "\(operation) \(number)")
        }
    }

    @Test(
        "a storage that is busy is not opened, and waited for, a second time",
        arguments: [StorageAccess.writing, .creating])
    func busy(_ access: StorageAccess) async throws {
        let storage = BusyStorage()
        var source = ScriptedFeed().source()
        source.candidates = ["source", "other"].map { SourceResources(word: $0, ScriptedFeed.declarations) }
        let error = await fault { try await Gateway(storage: storage, source: source, access: access) }
        #expect(error?.code == .busy)
        #expect(storage.openings.withLock { $0 } == 1)
    }

    @Test("a list over a storage that refuses writes shows the stored rows and the reason")
    func fullDisk() async throws {
        let plan = FaultPlan<FailingStorage.Operation>()
        let gateway = try await fixture(plan).gateway
        for await _ in try gateway.listPeople(limit: 20) {}
        plan.fail(
            .write, at: plan.count(of: .write) + 1, times: nil,
            with: PatchbayError(.storageFull, "the disk is full"))
        for policy in [Policy.refresh, .remoteFirst] {
            let last = try await gateway.listPeople(limit: 20, policy: policy).ending
            #expect(last.value?.ids == Array(1...20))
            guard case .failed(let error) = last.outcome else {
                Issue.record("the answer of \(policy) does not report that it was not saved")
                continue
            }
            #expect(error.code == .storageFull)
        }
    }

    @Test("faults end after the given number of operations, or when the plan is healed")
    func healing() async throws {
        let plan = FaultPlan<FailingStorage.Operation>()
        let storage = FailingStorage(MemoryStorage(), plan)
        try await storage.open(.patchbay)
        plan.fail(.revision, at: 2, times: 2, with: PatchbayError(.busy, "held"))
        plan.fail(.close, at: 1, times: nil, with: PatchbayError(.internalError, "no"))
        _ = try await storage.revision()
        for _ in 0..<2 { await #expect(throws: PatchbayError.self) { try await storage.revision() } }
        _ = try await storage.revision()
        await #expect(throws: PatchbayError.self) { try await storage.close() }
        plan.heal()
        try await storage.close()
        #expect(plan.count(of: .revision) == 4)
    }

    @Test("a delayed operation begins when its delay ends")
    func delay() async throws {
        let plan = FaultPlan<FailingStorage.Operation>()
        let gateway = try await fixture(plan).gateway
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        plan.delay(.write) {
            begin.finish()
            for await _ in ends {}
        }
        let task = Task { try await gateway.clearPeople() }
        for await _ in begins {}
        #expect(plan.count(of: .write) == 0)
        end.finish()
        try await task.value
        #expect(plan.count(of: .write) == 1)
    }
}

/// A storage that another process holds.
private final class BusyStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    let openings = Mutex(0)

    func open(_ opening: StorageOpening) async throws -> Schema {
        openings.withLock { $0 += 1 }
        throw PatchbayError(.busy, "another process holds the storage")
    }
}
