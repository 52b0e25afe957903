extension Race {
    /// Finds the first part of some answers that two subjects answered differently; from a collection on, the first
    /// row that differs in this or a later one.
    func findDifference(
        in answers: BenchRequest.Answers, _ workload: Workload, _ rows: Int, _ rival: Rival,
        _ reference: Rival
    ) async {
        guard case .digests(let expected) = await ask(reference, .digests(of: answers), workload, rows: rows),
            case .digests(let found) = await ask(rival, .digests(of: answers), workload, rows: rows),
            // There is no further collection.
            !expected.isEmpty
        else { return }
        guard expected != found else {
            guard case .collection(let number) = answers else { return }
            return await findDifference(in: .collection(number + 1), workload, rows, rival, reference)
        }
        let part = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let request = BenchRequest.rows(of: answers, part: part ?? min(expected.count, found.count))
        guard
            case .rows(let query, let expectedRows) = await ask(reference, request, workload, rows: rows),
            case .rows(_, let foundRows) = await ask(rival, request, workload, rows: rows)
        else { return }
        let difference = RowDifference(expectedRows, foundRows)
        rival.differs = true
        comparison.differences.append(
            Difference(
                workload: workload.name, rows: rows, subject: rival.subject.name,
                reference: reference.subject.name, query: query, key: difference.key,
                field: difference.field, expected: difference.expected, found: difference.found))
    }
}
