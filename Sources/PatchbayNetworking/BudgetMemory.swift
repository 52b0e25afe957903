package import PatchbayCore

/// Keeps budgets between runs.
package struct BudgetMemory: Sendable {
    let load: @Sendable () async throws -> [StoredBudget]
    let save: @Sendable ([StoredBudget]) async throws -> Void

    /// - Parameters:
    ///   - load: called once, before the first request.
    ///   - save: called when a budget is used up or a limit was exceeded, otherwise at most every 30 s.
    package init(
        load: @escaping @Sendable () async throws -> [StoredBudget],
        save: @escaping @Sendable ([StoredBudget]) async throws -> Void
    ) {
        self.load = load
        self.save = save
    }

    /// Keeps budgets in a store whose schema has ``StoredBudget/collection``. Saving deletes budgets whose reset is
    /// more than a day before the newest reset.
    ///
    /// A store that serves other programs is not waited for (`Store.soon`).
    ///
    /// - Parameters:
    ///   - store: called for each use, so the store may be opened after the network.
    ///   - keeps: whether the budgets of a token, given by its fingerprint, are kept. Those of clients would fill the
    ///     store.
    package init(
        store: @escaping @Sendable () async throws -> Store, keeps: @escaping @Sendable (String) -> Bool
    ) {
        self.init(
            load: {
                try await store().soon { store in
                    try await store.read { try BudgetMemory.all($0).filter { !$0.isEstimate } }
                }
            },
            save: { budgets in
                let budgets = budgets.filter { keeps($0.token) }
                let newest = budgets.map(\.resetsAt).max() ?? Timestamp(milliseconds: 0)
                try await store().soon { store in
                    try await store.write { writing in
                        let old = try BudgetMemory.all(writing.reading).filter {
                            $0.resetsAt.age(at: newest) > .seconds(86_400)
                        }
                        for budget in old { try writing.delete(StoredBudget.self, budget.key) }
                        for budget in budgets {
                            let known = try writing.reading.get(StoredBudget.self, budget.key)
                            try writing.put(budget.beside(known))
                        }
                    }
                }
            })
    }

    private static func all(_ reading: borrowing Reading) throws -> [StoredBudget] {
        try reading.list(StoredBudget.self, Query(StoredBudget.collection, limit: RateBudgets.countMax))
    }
}
