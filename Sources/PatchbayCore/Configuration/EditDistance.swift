/// Suggests the intended word for a mistyped one.
package enum EditDistance {
    /// The known word nearest to a mistyped one, if at most a third of it differs.
    package static func nearest(to word: String, in known: [String]) -> String? {
        guard word.utf8.count <= wordBytesMax else { return nil }
        let ranked = known.filter { $0.utf8.count <= wordBytesMax }.map {
            (word: $0, distance: between(word, $0))
        }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, max(word.utf8.count, best.word.utf8.count) / 3) ? best.word : nil
    }

    /// The question whether the nearest word was meant, to append to a quoted word in a message: ` (did you mean
    /// "x"?)`. Empty when no word is near enough.
    package static func suggestion(for word: String, in known: [String]) -> String {
        nearest(to: word, in: known).map { " (did you mean \"\($0)\"?)" } ?? ""
    }

    /// A message about an unknown name: `there is no storage "x" (did you mean "y"?); known: y, z`.
    package static func unknown(_ noun: String, _ name: String, in known: [String]) -> String {
        "there is no \(noun) \"\(name)\"\(suggestion(for: name, in: known)); known: "
            + known.joined(separator: ", ")
    }

    /// Longer words are unlikely to be mistyped by a letter, and comparing them takes time proportional to the product
    /// of their lengths.
    private static let wordBytesMax = 256

    /// The number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    static func between(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8), right = Array(right.utf8)
        var rows = [Array(0...right.count)]
        for i in 1..<(left.count + 1) {
            var row = [i]
            for j in 1..<(right.count + 1) {
                let isSame = left[i - 1] == right[j - 1]
                var cost = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (isSame ? 0 : 1))
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    cost = min(cost, rows[i - 2][j - 2] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
