import PatchbayCore

/// The faults that a check found, at most ``countMax``.
struct FaultList {
    static let countMax = 100

    private(set) var faults: [StorageFault] = []

    var isFull: Bool { faults.count >= FaultList.countMax }

    mutating func add(_ file: String?, _ place: String?, _ message: String) {
        if !isFull { faults.append(StorageFault(file: file, place: place, message)) }
    }
}
