/// Does work for each input, so many at a time; cancelling the caller's task cancels what is being done.
///
/// - Parameter isEnough: told of each output; true starts no more and cancels what is being done.
/// - Returns: the outputs by the inputs' positions; nil for what was not begun.
func concurrently<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], atMost width: Int, isEnough: (Output) -> Bool = { _ in false },
    _ work: @escaping @Sendable (Input) async -> Output
) async -> [Output?] {
    var outputs = [Output?](repeating: nil, count: inputs.count)
    await withTaskGroup(of: (Int, Output).self) { group in
        var waiting = inputs.indices[...]
        func begin() {
            guard let position = waiting.popFirst() else { return }
            let input = inputs[position]
            _ = group.addTaskUnlessCancelled { (position, await work(input)) }
        }
        for _ in 0..<width { begin() }
        for await (position, output) in group {
            outputs[position] = output
            if isEnough(output) { group.cancelAll() }
            begin()
        }
    }
    return outputs
}
