/// Reads JSON text in place, value by value.
public struct JSONReader {}
