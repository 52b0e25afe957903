/// A logarithmic axis.
struct LogScale: Sendable {
    let lowest: Double
    let highest: Double

    /// An axis from the lowest to the highest value above zero; nil when there are none.
    init?(_ values: [Double], margin: Double = 1) {
        let values = values.filter { $0 > 0 && $0.isFinite }
        guard let lowest = values.min(), let highest = values.max() else { return nil }
        self.lowest = lowest / margin
        // One value alone still needs an axis.
        self.highest = max(highest * margin, lowest * 1.01)
    }

    /// The position of a value: 0 for the lowest, 1 for the highest; values beyond are at the end.
    func position(_ value: Double) -> Double {
        let part = Growth.logarithm(max(value, lowest) / lowest) / Growth.logarithm(highest / lowest)
        return min(1, part)
    }

    /// Round values for labels: 1, 2 and 5 of each power of ten, only 1 when there would be more than `most`.
    func ticks(most: Int) -> [Double] {
        let all = values([1, 2, 5])
        let powers = values([1])
        guard all.count > most else { return all }
        let step = max(1, (powers.count + most - 1) / max(1, most))
        return powers.enumerated().filter { $0.offset % step == 0 }.map(\.element)
    }

    private func values(_ digits: [Double]) -> [Double] {
        var power = 1e-12
        var found: [Double] = []
        while power <= highest {
            found += digits.map { $0 * power }.filter { $0 >= lowest * 0.999 && $0 <= highest * 1.001 }
            power *= 10
        }
        return found
    }
}
