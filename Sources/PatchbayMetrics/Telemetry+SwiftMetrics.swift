public import CoreMetrics
public import Patchbay

extension Telemetry.Metrics {
    /// Creates metrics that report all numbers to a swift-metrics backend.
    ///
    ///     Telemetry(metrics: Telemetry.Metrics(factory))
    public init(_ factory: any MetricsFactory) {
        self.init { name, dimensions, amount in
            Counter(label: name, dimensions: dimensions, factory: factory).increment(by: amount)
        } set: { name, value in
            Meter(label: name, factory: factory).set(value)
        } record: { name, dimensions, value in
            Recorder(label: name, dimensions: dimensions, aggregate: true, factory: factory).record(value)
        }
    }
}
