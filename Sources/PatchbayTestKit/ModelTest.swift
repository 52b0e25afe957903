import PatchbayCore

extension Promise {
    /// Checks that running a write's body again has the effect of a single run.
    static let repetitions: [Promise] = [
        Promise(
            "transactions", "a write whose body runs twice has the effect of one run"
        ) { (workbench: Workbench) in
            let repeating = Workbench(directory: workbench.directory) {
                RepeatingStorage(try await workbench.makeStorage($0))
            }
            try await ModelTest(repeating, steps: min(100, ModelTest.stepsFromEnvironment)).run(
                .fromEnvironment())
        }
    ]

    static let model: [Promise] = [
        Promise("model", "the storage returns the same results as the model after any operations") {
            (workbench: Workbench) in
            try await ModelTest(workbench, steps: ModelTest.stepsFromEnvironment).run(.fromEnvironment())
        }
    ]
}

/// Performs the same random operations on a storage and on `MemoryStorage`, and compares the results.
struct ModelTest {
    private let workbench: Workbench
    private let steps: Int
    private let model = MemoryStorage()

    init(_ workbench: Workbench, steps: Int) {
        self.workbench = workbench
        self.steps = steps
    }

    /// The number of steps: `PATCHBAY_STEPS`, or 300.
    static var stepsFromEnvironment: Int {
        Environment.value(of: "PATCHBAY_STEPS").flatMap { Int($0) } ?? 300
    }

    /// - Throws: ``BrokenPromise`` with the step, its operations, and the seed that repeats it.
    func run(_ generator: SeededGenerator) async throws {
        let reopens = try await workbench.features().contains(.durable)
        var source = ModelSteps(generator: generator, reopens: reopens)
        try await model.open(Sample.schema)
        var done = 0
        while done < steps {
            done = try await workbench.open { storage in
                var number = done
                while number < steps {
                    number += 1
                    let step = source.next()
                    if case .reopen = step { break }
                    try await stating(number, step, generator.seed) {
                        try await compare(storage, step, number)
                    }
                }
                try await stating(number, .reopen, generator.seed) { try await compareAll(storage) }
                return number
            }
        }
    }

    /// Adds the number and the operations of the step to an error.
    private func stating(_ number: Int, _ step: ModelStep, _ seed: UInt64, _ body: () async throws -> Void)
        async throws
    {
        let place = "step \(number) of \(steps), PATCHBAY_SEED=\(seed)"
        do {
            try await body()
        } catch let broken as BrokenPromise {
            throw BrokenPromise("\(place): \(broken.message); the step was: \(step)", cause: broken.cause)
        } catch {
            throw BrokenPromise("\(place): the storage threw; the step was: \(step)", cause: error)
        }
    }

    private func compare(_ storage: any Storage, _ step: ModelStep, _ number: Int) async throws {
        let expected = try await outcomes(model, step), got = try await outcomes(storage, step)
        for (action, (expected, got)) in zip(step.actions, zip(expected, got)) {
            if case (.rows(let expected), .rows(let got)) = (expected, got) {
                try expect(rows: got, equal: expected, action.description)
            } else if let expected, let got {
                try expect(got, equals: expected, action.description)
            }
        }
        if case .read = step { return }
        for collection in Sample.schema.collections {
            let indexes = [collection.primaryKey] + collection.indexes
            try await compare(storage, collection, by: indexes[number % indexes.count])
        }
    }

    private func outcomes(_ storage: any Storage, _ step: ModelStep) async throws -> [ModelOutcome?] {
        struct RolledBack: Error { let outcomes: [ModelOutcome?] }
        switch step {
        case .reopen: return []
        case .read(let actions):
            return try await storage.read { reader in try actions.map { try $0.read(reader) } }
        case .write(let actions):
            return try await storage.write { writer in try actions.map { try $0.run(writer) } }
        case .rollback(let actions):
            do {
                try await storage.write { writer in
                    throw RolledBack(outcomes: try actions.map { try $0.run(writer) })
                }
            } catch let rollback as RolledBack {
                return rollback.outcomes
            }
            throw BrokenPromise("a transaction that threw was committed")
        }
    }

    /// Compares every row along every index.
    private func compareAll(_ storage: any Storage) async throws {
        for collection in Sample.schema.collections {
            for index in [collection.primaryKey] + collection.indexes {
                try await compare(storage, collection, by: index)
            }
        }
    }

    private func compare(_ storage: any Storage, _ collection: CollectionSchema, by index: Index) async throws
    {
        let query = Query(collection, by: index)
        let expected = try await model.rows(query)
        try expect(rows: await storage.rows(query), equal: expected, "afterwards, \(query.description)")
    }
}

extension ModelStep {
    var actions: [ModelAction] {
        switch self {
        case .write(let actions), .rollback(let actions), .read(let actions): actions
        case .reopen: []
        }
    }
}
