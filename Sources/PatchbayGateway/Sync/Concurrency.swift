/// Runs work for each input, up to `width` at a time. Cancelling the caller's task cancels the running work.
///
/// - Parameter isEnough: called with each output; if it returns true, no more work is started and the running work is
///   cancelled.
/// - Returns: the outputs at their inputs' positions; nil for work that was not started.
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
