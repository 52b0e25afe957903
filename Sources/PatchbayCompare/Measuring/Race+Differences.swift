extension Race {
    /// Finds the first operation of the last turn that two subjects answered differently.
    func findDifference(
        _ workload: Workload, _ rows: Int, _ rival: Rival, _ reference: Rival
    ) async {
        guard case .digests(let expected) = await ask(reference, .digests, workload, rows: rows),
            case .digests(let found) = await ask(rival, .digests, workload, rows: rows),
            let operation = zip(expected, found).firstIndex(where: { $0 != $1 }),
            case .rows(let query, let expectedRows) = await ask(
                reference, .answer(operation: operation), workload, rows: rows),
            case .rows(_, let foundRows) = await ask(
                rival, .answer(operation: operation), workload, rows: rows)
        else { return }
        add(RowDifference(expectedRows, foundRows), query, workload, rows, rival, reference)
    }

    /// Finds the first row that differs between the collections of two subjects.
    func findDifferentContent(
        _ workload: Workload, _ rows: Int, _ rival: Rival, _ reference: Rival
    ) async {
        for number in 0... {
            guard
                case .digests(let expected) = await ask(
                    reference, .contents(collection: number), workload, rows: rows),
                case .digests(let found) = await ask(
                    rival, .contents(collection: number), workload, rows: rows)
            else { return }
            // All collections have been compared.
            if expected.isEmpty { return }
            guard expected != found else { continue }
            let part = zip(expected, found).firstIndex { $0 != $1 } ?? min(expected.count, found.count)
            let request = BenchRequest.contentRows(collection: number, part: part)
            guard
                case .rows(let query, let expectedRows) = await ask(reference, request, workload, rows: rows),
                case .rows(_, let foundRows) = await ask(rival, request, workload, rows: rows)
            else { return }
            return add(RowDifference(expectedRows, foundRows), query, workload, rows, rival, reference)
        }
    }

    private func add(
        _ difference: RowDifference, _ query: String, _ workload: Workload, _ rows: Int, _ rival: Rival,
        _ reference: Rival
    ) {
        rival.differs = true
        comparison.differences.append(
            Difference(
                workload: workload.name, rows: rows, subject: rival.subject.name,
                reference: reference.subject.name, query: query, key: difference.key,
                field: difference.field, expected: difference.expected, found: difference.found))
    }
}

extension Sequence {
    fileprivate func firstIndex(where isWanted: (Element) -> Bool) -> Int? {
        enumerated().first { isWanted($0.element) }?.offset
    }
}
